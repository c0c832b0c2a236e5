import type { QueueRow } from "../queue/row.ts";

/**
 * Number of a new local change request. Numbers run per repository NAME over the whole queue, so that
 * `local:<repo>#N` is unique even when two folders of one name are registered (their owners differ, their address
 * would not). `atLeast`: the repositories' `next_local_number`, so that a number is never given twice after a clean-up.
 * Call it under the queue lock.
 */
export const nextLocalNumber = (
  rows: ReadonlyArray<QueueRow>,
  options: { readonly repo: string; readonly atLeast?: number },
): number => {
  const name = options.repo.toLowerCase();
  const taken = rows.filter((row) => row.platform === "local" && row.repo.toLowerCase() === name);
  return taken.reduce((next, row) => Math.max(next, row.pr_number + 1), Math.max(1, options.atLeast ?? 1));
};

/**
 * The row that already stands for a head and a base branch of a local repository (spec 2: dedupe on head + base). A
 * merged row is history: new commits on the same branch are a new change request, as on a host. A closed row is found,
 * because it opens again when its branch is back.
 */
export const findLocalChange = (
  rows: ReadonlyArray<QueueRow>,
  change: { readonly owner: string; readonly head_ref: string; readonly target_branch: string },
): QueueRow | null =>
  rows.find(
    (row) =>
      row.platform === "local" &&
      row.status !== "merged" &&
      row.owner === change.owner &&
      row.head_ref === change.head_ref &&
      row.target_branch === change.target_branch,
  ) ?? null;
