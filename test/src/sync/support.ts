import { defaultConfig } from "../../../src/config/config.ts";
import { newRow, type QueueRow } from "../../../src/queue/row.ts";
import type { BranchMeta } from "../../../src/repo/repoMeta.ts";
import type { BaseFacts, PlanInput } from "../../../src/sync/planTypes.ts";

export const now = Date.parse("2026-03-20T12:00:00Z");
export const daysAgo = (days: number): string => new Date(now - days * 86_400_000).toISOString();

/** An open PR of acme/<repo>, not prepared yet. */
export const pr = (pr_number: number, change: Partial<QueueRow> = {}): QueueRow => {
  const repo = change.repo ?? "shop";
  return {
    ...newRow({
      pr_url: `https://github.com/acme/${repo}/pull/${pr_number}`,
      platform: "github",
      host: "github.com",
      owner: "acme",
      repo,
      pr_number,
    }),
    head_sha: `head${pr_number}`,
    target_branch: "main",
    ...change,
  };
};

/** The same PR as prepared when it was new: at its own head against main. */
export const readyPr = (pr_number: number, change: Partial<QueueRow> = {}): QueueRow => {
  const row = pr(pr_number, change);
  return {
    ...row,
    prep_status: "ready",
    prep_head_sha: `head${pr_number}`,
    prep_base_ref: "main",
    prep_merge_base: "mb",
    merge_base: "mb",
    ...change,
  };
};

/** A readable base of acme/shop, indexed today at `tip`. */
export const base = (
  branch: string,
  meta: Partial<BranchMeta> | null = {},
  change: Partial<BaseFacts> = {},
): BaseFacts => ({
  repoName: "shop",
  platform: "github",
  host: "github.com",
  owner: "acme",
  repo: "shop",
  branch,
  indexReadable: true,
  foreign: false,
  tracked: false,
  meta:
    meta === null
      ? null
      : {
          schema_version: 1,
          branch,
          slug: branch,
          last_indexed_sha: "tip",
          last_indexed_at: daysAgo(0),
          provider: "builtin",
          embed_model: "m",
          dim: 256,
          chunker_version: 1,
          chunks: null,
          created_by: "user",
          created_at: daysAgo(30),
          last_used_at: null,
          state: "fresh",
          ...meta,
        },
  ...change,
});

export const rates = { full_seconds: 30, seeded_seconds: 3, refresh_seconds: 10, chunks_per_second: null };

export const input = (change: Partial<PlanInput>): PlanInput => ({
  rows: [],
  bases: [],
  tips: new Map(),
  config: defaultConfig.pr_sync,
  now,
  rebuild: false,
  rates,
  ...change,
});
