/** A change request of a bench repository, as two of its branches. */
export interface BenchChange {
  readonly head: string;
  readonly base: string;
}

/** A bare git repository whose branches stand for pull requests. Default branch: `main`. */
export interface BenchRepository {
  readonly dir: string;
  /** Change requests for main, each with at most 30 changed files. */
  readonly shared: ReadonlyArray<BenchChange>;
  /** Two change requests, each for a branch that no other one is for. */
  readonly alone: ReadonlyArray<BenchChange>;
  /** Subjects of its history, to search with. */
  readonly subjects: ReadonlyArray<string>;
  /** Git objects that the source lacks and that are therefore left out. */
  readonly missing: ReadonlyArray<string>;
}

/** Most files that a change request of the figures changes (spec 4, "Targets"). */
export const maxChangedFiles = 30;

/** Change requests for main that are made: eight for the sync, and enough for single ones and four at once. */
export const sharedChanges = 14;
