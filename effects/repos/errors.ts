import { failure } from "../../src/errors.ts";

/** A repository or base that is not registered. */
export class RepoUnknown extends failure("RepoUnknown", 1)<{ readonly repo: string }> {}

/** A second ref that normalises to the folder of another one (spec 2, "Names"). */
export class RefCollision extends failure("RefCollision", 2)<{ readonly ref: string; readonly taken_by: string }> {}
