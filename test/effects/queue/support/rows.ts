import { canonicalPrUrl } from "../../../../src/pr/prUrl.ts";
import { newRow, type QueueRow } from "../../../../src/queue/row.ts";

const sha = (n: number, letter = "a"): string => `${letter.repeat(32)}${String(n).padStart(8, "0")}`;

/** Row `n` of acme/shop as `add` leaves it. */
export const freshRow = (n: number, fields: Partial<QueueRow> = {}): QueueRow => {
  const identity = { platform: "github", host: "github.com", owner: "acme", repo: "shop", pr_number: n } as const;
  return {
    ...newRow({ ...identity, pr_url: canonicalPrUrl(identity) }),
    node_id: `PR_${n}`,
    title: `Change ${n}`,
    author: "ada",
    head_sha: sha(n),
    head_ref: `feature/${n}`,
    target_branch: "main",
    additions: 3,
    deletions: 1,
    changed_files: 2,
    state: "open",
    last_checked_at: "2026-01-01T08:00:00Z",
    added_at: `2026-01-01T${String(Math.floor(n / 60) % 24).padStart(2, "0")}:${String(n % 60).padStart(2, "0")}:00Z`,
    ...fields,
  };
};

/** Row `n` of acme/shop, prepared at its head and so ready for review. */
export const readyRow = (n: number, fields: Partial<QueueRow> = {}): QueueRow =>
  freshRow(n, {
    prep_status: "ready",
    prep_completed_at: "2026-01-01T09:00:00Z",
    prep_head_sha: sha(n),
    prep_base_ref: "main",
    prep_merge_base: sha(n, "b"),
    merge_base: sha(n, "b"),
    ...fields,
  });
