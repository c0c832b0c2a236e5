import { failure } from "../../src/errors.ts";
import type { GitError, NotARepository, RefMissing } from "../git/errors.ts";

/** The head or base branch that was named is not in the repository. */
export class LocalBranchMissing extends failure("LocalBranchMissing", 1)<{ readonly branch: string }> {}

/** Neither given nor to be guessed: no branch is checked out, or no branch stands out as the base. */
export class LocalBranchUnclear extends failure("LocalBranchUnclear", 2)<{ readonly side: "head" | "base" }> {}

/** Head and base are one branch. */
export class LocalSameBranch extends failure("LocalSameBranch", 2)<{ readonly branch: string }> {}

/** The head has no commit that the base does not have. */
export class LocalNothingToReview extends failure("LocalNothingToReview", 2)<{
  readonly head: string;
  readonly base: string;
}> {}

/** Head and base share no commit: there is no diff to review. */
export class LocalUnrelated extends failure("LocalUnrelated", 1)<{ readonly head: string; readonly base: string }> {}

/** The repository's history is cut off, so that nothing can be fetched from it whole. */
export class LocalShallow extends failure("LocalShallow", 1)<{ readonly path: string }> {}

/** All that resolving a local change request can end in. */
export type LocalFailure =
  | LocalBranchMissing
  | LocalBranchUnclear
  | LocalSameBranch
  | LocalNothingToReview
  | LocalUnrelated
  | LocalShallow
  | NotARepository
  | RefMissing
  | GitError;
