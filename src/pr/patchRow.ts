import type { QueueRow, Status } from "../queue/row.ts";
import type { IsoTime } from "../time.ts";
import type { PrMetadata } from "./prMetadata.ts";

/** What fresh metadata means for a row. `moved`: the review key's head or target is another one. */
export interface RowChange {
  readonly moved: boolean;
  readonly merged: boolean;
  readonly closed: boolean;
  readonly reopened: boolean;
  /** None of the four: at most title, counts or draft state differ. */
  readonly unchanged: boolean;
}

/** `merged` is never left. `closed` is left when the PR is open again (→ pending) or turned out merged. */
const nextStatus = (status: Status, disposition: PrMetadata["disposition"]): Status => {
  if (status === "merged" || disposition === "merged") return "merged";
  if (disposition === "closed") return "closed";
  return status === "closed" ? "pending" : status;
};

/** A first look at a row is no move. */
const hasMoved = (row: QueueRow, meta: PrMetadata): boolean =>
  (row.head_sha !== null && row.head_sha !== meta.head_sha) ||
  (row.target_branch !== null && row.target_branch !== meta.target_branch);

/** Compares a row with fresh metadata, for the counts of `pr-queue update`. */
export const rowChange = (row: QueueRow, meta: PrMetadata): RowChange => {
  const status = nextStatus(row.status, meta.disposition);
  const moved = hasMoved(row, meta);
  const merged = status === "merged" && row.status !== "merged";
  const closed = status === "closed" && row.status !== "closed";
  const reopened = row.status === "closed" && status === "pending";
  return { moved, merged, closed, reopened, unchanged: !(moved || merged || closed || reopened) };
};

/**
 * The row with fresh metadata as of `at`: descriptive fields, host state, and merged or closed as status. The row's
 * identity, claim, review and preparation fields are not touched (they belong to the machines); `merge_base` is
 * forgotten when the head or the target moved, because it was fetched for another pair.
 */
export const patchRow = (row: QueueRow, meta: PrMetadata, at: IsoTime): QueueRow => ({
  ...row,
  node_id: meta.node_id ?? row.node_id,
  title: meta.title,
  author: meta.author,
  head_sha: meta.head_sha,
  head_ref: meta.head_ref,
  target_branch: meta.target_branch,
  is_draft: meta.is_draft,
  additions: meta.additions ?? row.additions,
  deletions: meta.deletions ?? row.deletions,
  changed_files: meta.changed_files ?? row.changed_files,
  merged_at: meta.merged_at ?? row.merged_at,
  state: meta.state,
  // One look may say less than another; what was not said is as it was last seen.
  auto_merge: meta.auto_merge ?? row.auto_merge ?? null,
  in_merge_queue: meta.in_merge_queue ?? row.in_merge_queue ?? null,
  review_decision: meta.review_decision ?? row.review_decision ?? null,
  last_checked_at: at,
  status: nextStatus(row.status, meta.disposition),
  merge_base: hasMoved(row, meta) ? null : row.merge_base,
});
