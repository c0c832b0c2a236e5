import { failure } from "../../src/errors.ts";

/** The branch of a base does not exist on the host. */
export class BranchMissing extends failure("BranchMissing", 1)<{ readonly repo: string; readonly branch: string }> {}
