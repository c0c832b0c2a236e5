import { failure } from "../../src/errors.ts";

/** The head of an open PR that git cannot get: its fork is deleted or not readable, or its branch is gone. */
export class HeadUnreadable extends failure("HeadUnreadable", 1)<{
  readonly pr_url: string;
  /** `workspace/repo` that the head is in; null when that repository is deleted. */
  readonly head_repository: string | null;
}> {}
