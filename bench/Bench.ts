import type { BenchRow } from "./BenchRow.ts";

/** What a run of the benchmarks is given. */
export interface Bench {
  /** The repository's folder; `dist/` in it is the program that is measured. */
  readonly root: string;
  /** A temporary folder for data homes and repositories, removed at the end. */
  readonly folder: string;
  /** Small data and few runs: shows that everything works, not how fast it is. */
  readonly quick: boolean;
  /** A git repository to index instead of the default one, made of installed packages. */
  readonly repo: string | null;
  /** Runs of each full index; the slowest measurement of all. */
  readonly fullRuns: number;
  /** Worker processes on both sides of the sync ratio. */
  readonly jobs: number;
}

/** One group of measurements. */
export type Section = (bench: Bench) => Promise<ReadonlyArray<BenchRow>>;
