import { type SyncSummary, tenths } from "./syncPlanFile.ts";

/** What the work phase of a sync adds up to; counted while it runs. */
export interface WorkTotals {
  basesBuilt: number;
  basesFailed: number;
  ready: number;
  failed: number;
  /** Planned PRs that another process took over, or that left the queue or moved while they waited. */
  skipped: number;
  chunksEmbedded: number;
  chunksReused: number;
  /** Seconds of one worker, to estimate what indexing everything from scratch would have taken. */
  workSeconds: number;
  fullChunks: number;
  fullSeconds: number;
  readonly chunksOfPrs: Array<number>;
}

export const newTotals = (): WorkTotals => ({
  basesBuilt: 0,
  basesFailed: 0,
  ready: 0,
  failed: 0,
  skipped: 0,
  chunksEmbedded: 0,
  chunksReused: 0,
  workSeconds: 0,
  fullChunks: 0,
  fullSeconds: 0,
  chunksOfPrs: [],
});

/**
 * The summary of a run for the plan file and `--json`. Savings are against indexing every prepared PR from scratch at
 * the speed measured in this run, else before it (chunks a second of one worker); without a speed there are none.
 */
export const summaryOf = (input: {
  readonly totals: WorkTotals;
  /** Rows that the plan left as they are. */
  readonly skipped: number;
  readonly seconds: number;
  readonly speedBefore: number | null;
}): SyncSummary => {
  const { totals } = input;
  const measured = totals.fullSeconds > 0 && totals.fullChunks > 0;
  const speed = measured ? totals.fullChunks / totals.fullSeconds : input.speedBefore;
  const chunks = totals.chunksOfPrs.reduce((sum, count) => sum + count, 0);
  const full = speed === null || totals.workSeconds === 0 ? 0 : chunks / speed;
  return {
    bases_built: totals.basesBuilt,
    ready: totals.ready,
    failed: totals.failed,
    skipped: input.skipped + totals.skipped,
    seconds: tenths(input.seconds),
    estimated_full_seconds: tenths(full),
    saved_seconds: tenths(Math.max(0, full - totals.workSeconds)),
    chunks_embedded: totals.chunksEmbedded,
    chunks_reused: totals.chunksReused,
  };
};
