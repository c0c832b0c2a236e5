import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { baseKey } from "../../../src/sync/classifyBase.ts";
import { planSync } from "../../../src/sync/planSync.ts";
import type { PlanInput, SyncPlan } from "../../../src/sync/planTypes.ts";
import { base, daysAgo, input, pr, readyPr } from "./support.ts";

const plan = (change: Partial<PlanInput>): SyncPlan => planSync(input(change));
const tiers = (result: SyncPlan) => result.prs.map(({ number, tier }) => [number, tier]);
const two = [pr(1), pr(2)];

describe("tiers", () => {
  it("are 0 over a fresh base, which is left alone", () => {
    const result = plan({ rows: two, bases: [base("main")] });
    expect(tiers(result)).toEqual([
      [1, 0],
      [2, 0],
    ]);
    expect(result.bases).toMatchObject([{ class: "fresh-user", action: "none", event: null }]);
  });

  it("are 1 over a base that is refreshed, even for a single PR", () => {
    const stale = base("main", { created_by: "auto", last_indexed_at: daysAgo(7), state: "stale" });
    const result = plan({ rows: [pr(1)], bases: [stale] });
    expect(tiers(result)).toEqual([[1, 1]]);
    expect(result.bases).toMatchObject([{ class: "stale-auto", action: "refresh", event: "REFRESH" }]);
  });

  it("are 1 over an auto base for a missing branch that two PRs share, and 2 for one PR alone", () => {
    const result = plan({ rows: [pr(3), pr(9, { target_branch: "v2" }), pr(1)] });
    expect(tiers(result)).toEqual([
      [3, 1],
      [9, 2],
      [1, 1],
    ]);
    expect(result.bases).toMatchObject([
      {
        branch: "main",
        action: "create_auto",
        created_by: "auto",
        auto_reason: "shared by 2 PRs: #1, #3",
        prs: [3, 1],
      },
      { branch: "v2", class: "missing", action: "none_singleton", created_by: null, auto_reason: null, prs: [9] },
    ]);
  });

  it("never borrow the base of another branch or repository", () => {
    const result = plan({ rows: [pr(1, { target_branch: "v2" }), pr(2, { repo: "jobs" })], bases: [base("main")] });
    expect(tiers(result)).toEqual([
      [1, 2],
      [2, 2],
    ]);
  });

  it("find a base whatever the letter case of owner and repository, but never of the branch", () => {
    const rows = [pr(1, { repo: "Shop", owner: "ACME" }), pr(2, { target_branch: "Main" })];
    expect(tiers(plan({ rows, bases: [base("main")] }))).toEqual([
      [1, 0],
      [2, 2],
    ]);
  });
});

describe("the threshold of an auto base", () => {
  it("counts ready rows, and builds for the one PR that is left to prepare", () => {
    const result = plan({ rows: [readyPr(1), pr(2)] });
    expect(result.bases).toMatchObject([{ action: "create_auto", auto_reason: "shared by 2 PRs: #1, #2", prs: [2] }]);
  });

  it("does not count drafts, merged or closed rows", () => {
    const rows = [pr(1), pr(2, { is_draft: true }), pr(3, { status: "merged" }), pr(4, { status: "closed" })];
    expect(tiers(plan({ rows }))).toEqual([[1, 2]]);
  });

  it("builds nothing when no PR would be prepared from it", () => {
    const result = plan({ rows: [readyPr(1), readyPr(2)], bases: [base("main", { last_indexed_at: daysAgo(99) })] });
    expect(result.prs).toEqual([]);
    expect(result.bases).toMatchObject([{ class: "stale-user", action: "none", event: null, prs: [] }]);
    expect(plan({ rows: [readyPr(1), readyPr(2)] }).bases).toMatchObject([{ class: "missing", action: "none" }]);
  });
});

describe("a missing index", () => {
  it("of a tracked branch is rebuilt as a user base for a single PR", () => {
    const tracked = base("main", null, { tracked: true, indexReadable: false });
    const result = plan({ rows: [pr(1)], bases: [tracked] });
    expect(tiers(result)).toEqual([[1, 1]]);
    expect(result.bases).toMatchObject([
      { class: "missing", event: "BUILD", created_by: "user", auto_reason: null, before: null },
    ]);
  });

  it("of a user base that broke is rebuilt as a user base after its loss is recorded", () => {
    const result = plan({ rows: [pr(1)], bases: [base("main", {}, { indexReadable: false })] });
    expect(result.bases).toMatchObject([{ class: "missing", event: "BUILD", created_by: "user", before: "LOST" }]);
  });

  it("of an auto base that broke is rebuilt only for the threshold, whatever tracked says", () => {
    const broken = base("main", { created_by: "auto" }, { indexReadable: false, tracked: true });
    expect(tiers(plan({ rows: [pr(1)], bases: [broken] }))).toEqual([[1, 2]]);
    expect(plan({ rows: two, bases: [broken] }).bases).toMatchObject([{ action: "create_auto", created_by: "auto" }]);
  });
});

it("keeps an expired base that a PR wants again", () => {
  const expired = base("main", { created_by: "auto", state: "expired" });
  expect(plan({ rows: [pr(1)], bases: [expired] }).bases).toMatchObject([{ event: null, before: "KEEP" }]);
});

it("rebuilds a foreign index beside the old one", () => {
  const result = plan({ rows: [pr(1)], bases: [base("main", {}, { foreign: true, indexReadable: false })] });
  expect(result.bases).toMatchObject([{ class: "foreign", action: "refresh", event: "REFRESH", before: null }]);
  expect(tiers(result)).toEqual([[1, 1]]);
});

describe("rows that are left out", () => {
  it.each([
    ["draft", pr(1, { is_draft: true })],
    ["ready", readyPr(1)],
    ["failed_out", pr(1, { prep_status: "failed", prep_attempts: 3 })],
    ["no_target", pr(1, { target_branch: null })],
    ["no_head", pr(1, { head_sha: null })],
    ["being_prepared", pr(1, { prep_status: "preparing" })],
  ])("are listed with their reason: %s", (reason, row) => {
    const result = plan({ rows: [row] });
    expect(result.prs).toEqual([]);
    expect(result.skipped).toMatchObject([{ pr_url: row.pr_url, number: 1, reason }]);
    expect(result.skipped[0]?.why).not.toBe("");
  });

  it("include a row under a live review", () => {
    const row = pr(1);
    expect(plan({ rows: [row], held: new Set([row.pr_url]) }).skipped).toMatchObject([{ reason: "in_review" }]);
  });

  it("do not include a draft with prepare_drafts, a second try, or a ready row whose key moved", () => {
    const rows = [
      pr(1, { is_draft: true }),
      pr(2, { prep_status: "failed", prep_attempts: 2 }),
      readyPr(3, { prep_head_sha: "old" }),
      readyPr(4, { prep_base_ref: "old" }),
      readyPr(5, { prep_merge_base: "old" }),
    ];
    const config = { ...input({}).config, prepare_drafts: true };
    expect(plan({ rows, config }).prs.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5]);
  });

  it("do not include ready rows with rebuild", () => {
    const result = plan({ rows: [readyPr(1)], bases: [base("main")], rebuild: true });
    expect(result.prs).toMatchObject([{ number: 1, tier: 1, rebuild: true }]);
    expect(result.bases).toMatchObject([{ class: "stale-user", event: "REFRESH" }]);
  });
});

it("estimates by the branch's own size when the speed is known", () => {
  const rates = { full_seconds: 30, seeded_seconds: 3, refresh_seconds: 10, chunks_per_second: 100 };
  const result = plan({ rows: two, bases: [base("main", { chunks: 6000 })], rates });
  expect(result.estimates).toEqual({ full_seconds: 120, planned_seconds: 6, saved_seconds: 114 });
});

it("uses the registered folder name of a repository without any base", () => {
  const repos = [{ name: "shop~ab", platform: "github" as const, host: "github.com", owner: "acme", repo: "shop" }];
  expect(plan({ rows: [pr(1)], repos }).prs).toMatchObject([{ repo: "shop~ab" }]);
});

it("plans every open row exactly once, PRs in queue order, bases with most PRs first, the same each time", () => {
  const row = fc.record({
    branch: fc.constantFrom("main", "v2", "v3", null),
    repo: fc.constantFrom("shop", "jobs"),
    status: fc.constantFrom("pending" as const, "merged" as const, "reviewed" as const),
    is_draft: fc.boolean(),
    ready: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(row, { maxLength: 40 }), fc.boolean(), (shapes, rebuild) => {
      const rows = shapes.map(({ branch, ready, ...rest }, i) =>
        (ready ? readyPr : pr)(i, { ...rest, target_branch: branch }),
      );
      const at = { rows, bases: [base("main"), base("v2", { last_indexed_at: daysAgo(30) })], rebuild };
      const result = plan(at);
      const seen = [...result.prs, ...result.skipped].map(({ pr_url }) => pr_url).sort();
      expect(seen).toEqual(rows.flatMap((one) => (one.status === "merged" ? [] : [one.pr_url])).sort());
      expect(result.prs.map(({ order }) => order)).toEqual(result.prs.map(({ order }) => order).sort((a, b) => a - b));
      const waiting = result.bases.map(({ prs }) => prs.length);
      expect(waiting).toEqual([...waiting].sort((a, b) => b - a));
      for (const one of result.bases) if (one.event !== null) expect(one.prs.length).toBeGreaterThan(0);
      expect(plan(at)).toEqual(result);
    }),
  );
});

it("plans 10,000 rows in well under a second", () => {
  const rows = Array.from({ length: 10_000 }, (_, i) => pr(i, { target_branch: `b${i % 500}` }));
  const started = process.cpuUsage().user;
  expect(plan({ rows }).prs).toHaveLength(10_000);
  expect((process.cpuUsage().user - started) / 1e6).toBeLessThan(1);
});

it("asks tips by base key", () => {
  const old = base("main", { last_indexed_at: daysAgo(30) });
  expect(plan({ rows: two, bases: [old], tips: new Map([[baseKey(old), "tip"]]) }).bases[0]?.class).toBe("fresh-user");
  expect(plan({ rows: two, bases: [old], tips: new Map([[baseKey(old), "new"]]) }).bases[0]?.class).toBe("stale-user");
});
