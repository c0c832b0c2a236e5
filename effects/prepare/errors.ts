import { failure } from "../../src/errors.ts";

/** The row lacks what a preparation needs (head, target branch). */
export class RowIncomplete extends failure("RowIncomplete", 1)<{ readonly pr_url: string }> {}

/** The PR's head on the host is another one than the row's. */
export class HeadMoved extends failure("HeadMoved", 1)<{ readonly expected: string; readonly found: string }> {}

/** Head and base have no common ancestor in the clone. */
export class NoMergeBase extends failure("NoMergeBase", 1)<{ readonly head: string; readonly base: string }> {}

/** The host counts changed files, the local diff has none. */
export class DiffEmpty extends failure("DiffEmpty", 1)<{ readonly changed_files: number }> {}

/** A folder of adk's could not be made, swapped or removed. */
export class TaskFolderFailed extends failure("TaskFolderFailed", 1)<{ readonly path: string }> {}
