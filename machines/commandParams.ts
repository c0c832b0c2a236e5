/** A branch of a registered repository: its folder name and the exact ref. */
export interface BranchRef {
  readonly repo: string;
  readonly branch: string;
}

/** `cmd.prepare`: index a PR at its head, seeded from a base or from nothing. */
export interface PrepareParams {
  readonly pr_url: string;
  readonly head_sha: string | null;
  readonly target_branch: string | null;
  readonly seed: BranchRef | null;
  readonly rebuild: boolean;
  readonly tier: 0 | 1 | 2;
}

/** `cmd.buildBase`: index a branch that has no usable index. */
export interface BuildBaseParams extends BranchRef {
  readonly created_by: "user" | "auto";
  readonly auto_reason: string | null;
  readonly rebuild: boolean;
}

/** `cmd.refreshBase`: bring an index to the branch's tip, or build it anew beside the old one with `rebuild`. */
export interface RefreshBaseParams extends BranchRef {
  readonly rebuild: boolean;
}

/** `cmd.syncPhase`: do one phase of a sync. */
export interface SyncPhaseParams {
  readonly phase: "discover" | "plan" | "work" | "remind" | "cleanup";
}
