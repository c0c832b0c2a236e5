import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import type { QueueRow } from "../../src/queue/row.ts";
import type { BranchMeta, RepoMeta } from "../../src/repo/repoMeta.ts";
import { autoBaseUse } from "../../src/sync/expiry.ts";
import { Repos } from "../repos/Repos.ts";
import { Settings } from "../settings/Settings.ts";
import { QueueStore } from "../store/QueueStore.ts";

/** A base as `repo list --json` shows it (spec 3). */
export interface BaseDescription {
  readonly branch: string;
  readonly created_by: "user" | "auto";
  readonly auto_reason: string | null;
  readonly state: string;
  readonly last_indexed_sha: string | null;
  readonly last_indexed_at: string | null;
  readonly last_used_at: string | null;
  readonly chunks: number | null;
  /** Open rows that target the branch or were seeded from it. */
  readonly prs: number;
  readonly expires_at?: string;
}

const describe = (
  repo: RepoMeta,
  base: BranchMeta,
  rows: ReadonlyArray<QueueRow>,
  now: number,
  ttlHours: number,
): BaseDescription => {
  const use = autoBaseUse({ meta: base, repo: { ...repo, repoName: repo.name }, rows, now, ttlHours });
  return {
    branch: base.branch,
    created_by: base.created_by,
    auto_reason: base.auto_reason ?? null,
    state: base.state,
    last_indexed_sha: base.last_indexed_sha,
    last_indexed_at: base.last_indexed_at,
    last_used_at: base.last_used_at,
    chunks: base.chunks,
    prs: use.users,
    ...(use.expires_at === null ? {} : { expires_at: use.expires_at }),
  };
};

/** The bases of a repository with their users and, for unused auto bases, when they go. */
export const describeBases = (repo: RepoMeta) =>
  Effect.gen(function* () {
    const repos = yield* Repos;
    const store = yield* QueueStore;
    const { config } = yield* Settings;
    const now = yield* Clock.currentTimeMillis;
    const { prs } = yield* store.read;
    const bases = yield* repos.bases(repo.name);
    return bases.map((base) => describe(repo, base, prs, now, config.pr_sync.auto_base_ttl_hours));
  });
