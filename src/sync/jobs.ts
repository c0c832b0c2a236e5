/** What a machine and a configuration allow. */
export interface JobLimits {
  readonly configured: number;
  readonly ramBytes: number;
  readonly cores: number;
  readonly provider: "builtin" | "ollama";
}

/** 8 GB, decimal: a machine sold with 16 GB reports a little less than 16 GiB and still gets two jobs. */
const bytesPerJob = 8e9;

/**
 * Number of workers of a pool (spec 4): max(1, min(configured, floor(RAM GB / 8))), and with the builtin provider, which
 * computes in this process, no more than there are cores.
 */
export const effectiveJobs = (limits: JobLimits): number => {
  const byCores = limits.provider === "builtin" ? limits.cores : Number.POSITIVE_INFINITY;
  const jobs = Math.min(Math.floor(limits.configured), Math.floor(limits.ramBytes / bytesPerJob), byCores);
  return Math.max(1, Number.isFinite(jobs) ? jobs : 1);
};
