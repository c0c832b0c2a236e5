import { failure } from "../../src/errors.ts";

/** There is no git to start. */
export class GitMissing extends failure("GitMissing", 1) {}

/** git ended with an error, or answered something that is no answer. */
export class GitFailed extends failure("GitFailed", 1)<{
  /** The words of the call without the fixed options, redacted. */
  readonly args: ReadonlyArray<string>;
  /** Exit code; null when a signal ended it or its output could not be used. */
  readonly code: number | null;
  /** The end of what it printed, redacted and without control characters. */
  readonly stderr: string;
}> {}

/** git did not end in time; it and its children were ended. */
export class GitTimeout extends failure("GitTimeout", 1)<{
  readonly args: ReadonlyArray<string>;
  readonly seconds: number;
}> {}

/** A revision or ref that this repository does not have. */
export class RefMissing extends failure("RefMissing", 1)<{ readonly ref: string }> {}

/** An object that this repository does not have: pruned, or never fetched. */
export class ObjectMissing extends failure("ObjectMissing", 1)<{ readonly oid: string }> {}

/** The folder of a clone is missing, or holds something that adk did not make and will not delete. */
export class CloneUnusable extends failure("CloneUnusable", 1)<{ readonly clone: string }> {}

/** The repository to fetch from has a cut-off history: merge bases would be lost. */
export class ShallowSource extends failure("ShallowSource", 1)<{ readonly url: string }> {}

/** The repository to fetch from lacks objects of the branches that are wanted. */
export class SourceIncomplete extends failure("SourceIncomplete", 1)<{
  readonly path: string;
  /** Names of missing objects, with their path where it is known. */
  readonly missing: ReadonlyArray<string>;
}> {}

/** A URL whose transport adk does not use, or not for this repository. */
export class UrlRefused extends failure("UrlRefused", 2)<{ readonly url: string }> {}

/** A folder stands where a worktree should be made and nothing proves that adk made it. */
export class WorktreeOccupied extends failure("WorktreeOccupied", 1)<{ readonly path: string }> {}

/** A path that is no git repository, or one without a single commit. */
export class NotARepository extends failure("NotARepository", 1)<{ readonly path: string }> {}

/** What every call of git can end in. */
export type GitError = GitMissing | GitFailed | GitTimeout | CloneUnusable;

export const gitMissing = (): GitMissing =>
  new GitMissing({ message: "git was not found", hint: "install git 2.43.7 or newer and see that PATH holds it" });

export const cloneUnusable = (clone: string, why: string): CloneUnusable =>
  new CloneUnusable({
    message: `the clone at ${clone} ${why}`,
    hint: "run adk repo add again to make it anew, or move the folder away if it is not adk's",
    clone,
  });

export const unreadable = (args: ReadonlyArray<string>, what: string): GitFailed =>
  new GitFailed({
    message: `git ${args[0] ?? ""} answered ${what}`,
    hint: "run adk doctor: this git may be too old or its repository damaged",
    args,
    code: null,
    stderr: "",
  });

export const refMissing = (ref: string): RefMissing =>
  new RefMissing({ message: `there is no ${ref} in this repository`, hint: "fetch it first, or check the name", ref });

export const objectMissing = (oid: string): ObjectMissing =>
  new ObjectMissing({
    message: `object ${oid} is not in this repository`,
    hint: "fetch the commit again; run adk repo add again if the clone lost objects",
    oid,
  });

export const sourceIncomplete = (
  path: string,
  lacks: { readonly count: number; readonly examples: ReadonlyArray<string> },
): SourceIncomplete =>
  new SourceIncomplete({
    message: `${path} lacks ${lacks.count} git object${lacks.count === 1 ? "" : "s"} of its branches: ${lacks.examples.join(", ")}${lacks.count > lacks.examples.length ? ", …" : ""}`,
    hint: `complete it: git -C ${path} fetch --refetch --no-filter; or register the repository by the URL of its origin`,
    path,
    missing: lacks.examples,
  });
