import { basename, dirname } from "node:path";
import * as Effect from "effect/Effect";
import { localOwner } from "../../src/names.ts";
import { localRepoName } from "../../src/pr/prGrammar.ts";
import { changeWords } from "./changeWords.ts";
import {
  LocalBranchMissing,
  LocalBranchUnclear,
  type LocalFailure,
  LocalNothingToReview,
  LocalSameBranch,
  LocalShallow,
  LocalUnrelated,
} from "./errors.ts";
import type { LocalGit } from "./LocalGit.ts";

export interface LocalRequest {
  /** Any folder inside a repository. */
  readonly path: string;
  /** Short branch name; the checked-out branch when left out. */
  readonly head?: string;
  /** Short branch name; the repository's default branch when left out. */
  readonly base?: string;
}

/** A change request of a local repository before it has a number: head branch against base branch. */
export interface LocalChange {
  readonly platform: "local";
  readonly host: "local";
  /** 10 hex of SHA-256 of `realPath`. */
  readonly owner: string;
  readonly repo: string;
  /** Real path that names the repository: the main work tree, or the bare repository itself. */
  readonly realPath: string;
  readonly head_ref: string;
  readonly head_sha: string;
  readonly target_branch: string;
  readonly base_sha: string;
  readonly merge_base: string;
  readonly title: string;
  readonly author: string | null;
}

interface Branch {
  readonly name: string;
  readonly sha: string;
}

/**
 * The path that names a repository. Taken from the git folder that all its worktrees share, so that two worktrees of
 * one repository are one repository: the folder that holds `.git`, else (bare) the git folder itself.
 */
export const repositoryPath = (commonGitDir: string): string =>
  basename(commonGitDir) === ".git" ? dirname(commonGitDir) : commonGitDir;

const branchNames = (branches: ReadonlyArray<Branch>): string =>
  branches.length === 0
    ? "it has no branch"
    : `its branches are ${branches
        .slice(0, 8)
        .map((branch) => branch.name)
        .join(", ")}${branches.length > 8 ? ", …" : ""}`;

const named = (branches: ReadonlyArray<Branch>, name: string, side: "head" | "base") => {
  const branch = branches.find((known) => known.name === name);
  return branch === undefined
    ? Effect.fail(
        new LocalBranchMissing({
          message: `there is no branch ${name} in this repository; ${branchNames(branches)}`,
          hint: `name another one with --${side}, or make it: git branch ${name} origin/${name}`,
          branch: name,
        }),
      )
    : Effect.succeed(branch);
};

const unclear = (side: "head" | "base", why: string) =>
  Effect.fail(new LocalBranchUnclear({ message: why, hint: `name it with --${side} BRANCH`, side }));

/**
 * Base when none is named: the default branch, else the only other branch. A repository without main, master or an
 * origin calls its checked-out branch the default, so a head that is the default counts only under those two names.
 */
const defaultBase = (branches: ReadonlyArray<Branch>, head: string, defaultBranch: string | null) => {
  if (defaultBranch !== null && (defaultBranch !== head || head === "main" || head === "master"))
    return Effect.succeed(defaultBranch);
  const [only, ...more] = branches.filter((branch) => branch.name !== head);
  if (only === undefined) return Effect.succeed(head);
  return more.length === 0
    ? Effect.succeed(only.name)
    : unclear("base", `no base stands out: there is no default branch, and ${branchNames(branches)}`);
};

const sameBranch = (branch: string) =>
  new LocalSameBranch({
    message: `head and base are both ${branch}`,
    hint: "check out the branch to review, or name it with --head BRANCH (and its base with --base BRANCH)",
    branch,
  });

const nothingToReview = (head: string, base: string) =>
  new LocalNothingToReview({
    message: `${head} has no commit that ${base} does not have: nothing to review`,
    hint: "commit the work to the branch first; uncommitted changes are not reviewed",
    head,
    base,
  });

const shallow = (path: string) =>
  new LocalShallow({
    path,
    message: `${path} is a shallow clone: its history is cut off`,
    hint: "get the rest first: run git fetch --unshallow in it",
  });

const unrelated = (head: string, base: string) =>
  new LocalUnrelated({
    message: `${head} and ${base} have no commit in common`,
    hint: "name the branch it was made from with --base BRANCH",
    head,
    base,
  });

/**
 * Finds the change request that a person means by a folder and, at will, two branches. Reads the repository, changes
 * nothing. Fails by name for: no repository, no commits, a branch that is missing or cannot be guessed, head = base, no
 * commits ahead, no common history. The caller gives the number (`nextLocalNumber`) and drops a second row for the same
 * branches (`findLocalChange`), both under the queue lock.
 */
export const resolveLocal = (git: LocalGit, request: LocalRequest): Effect.Effect<LocalChange, LocalFailure> =>
  Effect.gen(function* () {
    const repository = yield* git.localRepository(request.path);
    const clone = repository.gitDir;
    if (repository.isShallow) return yield* shallow(request.path);
    const { branches } = repository;
    const headName = request.head ?? repository.headBranch;
    if (headName === null) return yield* unclear("head", "no branch is checked out (detached HEAD)");
    const head = yield* named(branches, headName, "head");
    const baseName = request.base ?? (yield* defaultBase(branches, head.name, repository.defaultBranch));
    if (baseName === head.name) return yield* sameBranch(head.name);
    const base = yield* named(branches, baseName, "base");
    const mergeBase = yield* git.mergeBase({ clone, a: base.sha, b: head.sha });
    if (mergeBase === null) return yield* unrelated(head.name, base.name);
    if (mergeBase === head.sha) return yield* nothingToReview(head.name, base.name);
    const { title, author } = yield* changeWords(git, {
      clone,
      head_sha: head.sha,
      base_sha: base.sha,
      head_ref: head.name,
    });
    const realPath = repositoryPath(clone);
    return {
      platform: "local",
      host: "local",
      owner: localOwner(realPath),
      repo: localRepoName(basename(realPath)),
      realPath,
      head_ref: head.name,
      head_sha: head.sha,
      target_branch: base.name,
      base_sha: base.sha,
      merge_base: mergeBase,
      title,
      author,
    } as const;
  });
