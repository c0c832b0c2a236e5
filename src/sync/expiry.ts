import { type PrIdentity, repoKey } from "../names.ts";
import { isTerminal, type QueueRow } from "../queue/row.ts";
import type { BranchMeta } from "../repo/repoMeta.ts";
import { formatTime, type IsoTime, parseTime } from "../time.ts";

export interface AutoBaseFacts {
  readonly meta: Pick<BranchMeta, "branch" | "created_by" | "created_at" | "last_used_at">;
  /** The repository that the base belongs to; `repoName` is its folder under repos/. */
  readonly repo: Pick<PrIdentity, "platform" | "host" | "owner" | "repo"> & { readonly repoName: string };
  readonly rows: ReadonlyArray<QueueRow>;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly ttlHours: number;
}

export interface AutoBaseUse {
  /** Open rows that target the branch or were seeded from the base. */
  readonly users: number;
  /** When it may go if nobody uses it before; null for a user base, for one in use, and for one without a readable time. */
  readonly expires_at: IsoTime | null;
  readonly expired: boolean;
}

const hourMs = 3_600_000;

/**
 * The clean-up rule of auto bases (spec 2, "branch-meta.json"): zero users now and at least `ttlHours` since the later
 * of creation and last use. A user base never expires; a base whose times cannot be read is left alone, and a time in
 * the future postpones.
 */
export const autoBaseUse = (facts: AutoBaseFacts): AutoBaseUse => {
  const { meta, repo } = facts;
  const key = repoKey(repo);
  const users = facts.rows.filter((row) => {
    if (isTerminal(row)) return false;
    const targets = row.target_branch === meta.branch && repoKey(row) === key;
    const seeded = row.prep_used_base?.branch === meta.branch && row.prep_used_base.repo === repo.repoName;
    return targets || seeded;
  }).length;
  const created = parseTime(meta.created_at);
  const used = meta.last_used_at === null ? created : parseTime(meta.last_used_at);
  if (meta.created_by !== "auto" || users > 0 || created === null || used === null)
    return { users, expires_at: null, expired: false };
  const until = Math.max(created, used) + facts.ttlHours * hourMs;
  return { users, expires_at: formatTime(until), expired: facts.now >= until };
};
