import { failure } from "../../src/errors.ts";

/** The branch of a base does not exist on the host. */
export class BranchMissing extends failure("BranchMissing", 1)<{ readonly repo: string; readonly branch: string }> {}

/** A base that does not get to its end although nothing failed: its stored state and its machine disagree. */
export class BaseNotDeleted extends failure("BaseNotDeleted", 1)<{ readonly repo: string; readonly branch: string }> {}
