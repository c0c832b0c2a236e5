import { join } from "node:path";
import { branchSlug, type PrIdentity, taskName } from "../../src/names.ts";

interface Roots {
  readonly repos: string;
  readonly tasks: string;
}

/** Folder of a registered repository: repos/<name>. */
export const repoDir = (home: Roots, repoName: string): string => join(home.repos, repoName);

/** The bare clone that every worktree and index of a repository is made from; changed only by fetch. */
export const cloneDir = (home: Roots, repoName: string): string => join(repoDir(home, repoName), "original-clone");

/** Folder of a base: repos/<name>/branch-<slug>. */
export const branchDir = (home: Roots, repoName: string, branch: string): string =>
  join(repoDir(home, repoName), `branch-${branchSlug(branch)}`);

/** Folder of a PR's task; same shape as a base's folder plus pr-review/. */
export const taskDir = (home: Roots, pr: PrIdentity): string => join(home.tasks, taskName(pr));

/** The parts that a base's folder and a task's folder share (spec 2, "Layout"). */
export const codeIndexDir = (folder: string): string => join(folder, "code-index");
export const worktreeDir = (folder: string): string => join(folder, "code");
export const docsDir = (folder: string): string => join(folder, "docs");
export const reviewDir = (folder: string): string => join(folder, "pr-review");
export const branchMetaFile = (folder: string): string => join(folder, "branch-meta.json");

/** Name of the kernel lock that one writer of a base holds. */
export const baseLock = (repoName: string, branch: string): string => `base-${repoName}--${branchSlug(branch)}`;

/** Name of the kernel lock of one task folder: one preparer at a time. */
export const taskLock = (pr: PrIdentity): string => `task-${taskName(pr)}`;

/** Where a fetched branch tip stands in the clone. Slugs carry `~`, which no ref may. */
export const branchRef = (branch: string): string => `refs/adk/heads/${branchSlug(branch).replace("~", ".")}`;

/** Where a fetched PR head stands in the clone. */
export const pullRef = (number: number): string => `refs/adk/pull/${number}`;
