import { isObjectName } from "./tokens.ts";

/** What a remote answered to `ls-remote --symref`. */
export interface RemoteRefs {
  /** Short name of the branch that the remote's HEAD points at; null when it is detached, hidden or unborn. */
  readonly head: string | null;
  /** Full ref name → object name. */
  readonly refs: ReadonlyMap<string, string>;
}

const branchPrefix = "refs/heads/";

/**
 * True for a full ref name that git would accept and that is no pattern (the rules of `git check-ref-format`). A name
 * that fails cannot exist on a remote.
 */
export const isFullRef = (ref: string): boolean =>
  /^refs\/[^\u0000-\u0020\u007f~^:?*[\\]+$/.test(ref) &&
  !ref.includes("..") &&
  !ref.includes("@{") &&
  !ref.endsWith(".") &&
  ref.split("/").every((part) => part !== "" && !part.startsWith(".") && !part.endsWith(".lock"));

/** Parses `git ls-remote --symref`; lines of another shape are not refs and are passed over. */
export const parseRemoteRefs = (output: Buffer): RemoteRefs => {
  let head: string | null = null;
  const refs = new Map<string, string>();
  for (const line of output.toString("utf8").split("\n")) {
    const [left, name] = line.split("\t");
    if (left === undefined || name === undefined) continue;
    const target = left.startsWith("ref: ") ? left.slice(5) : null;
    if (name === "HEAD" && target?.startsWith(branchPrefix)) head = target.slice(branchPrefix.length);
    else if (isObjectName(left) && name.startsWith("refs/") && !name.endsWith("^{}")) refs.set(name, left);
  }
  return { head, refs };
};

export interface LocalBranch {
  /** Short name, as a person writes it. */
  readonly name: string;
  /** Full ref: what is handed to git. */
  readonly ref: string;
  readonly sha: string;
}

/** Parses `git for-each-ref --format=%(objectname) %(refname) refs/heads`. */
export const parseBranches = (output: Buffer): ReadonlyArray<LocalBranch> =>
  output
    .toString("utf8")
    .split("\n")
    .flatMap((line) => {
      const space = line.indexOf(" ");
      const sha = line.slice(0, space);
      const ref = line.slice(space + 1);
      return isObjectName(sha) && ref.startsWith(branchPrefix)
        ? [{ name: ref.slice(branchPrefix.length), ref, sha }]
        : [];
    });
