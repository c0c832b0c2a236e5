import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planSync } from "../../../src/sync/planSync.ts";
import {
  decodeSyncPlan,
  initialPlanFile,
  withBase,
  withNotes,
  withPlan,
  withPr,
} from "../../../src/sync/syncPlanFile.ts";
import { base, input, pr } from "./support.ts";

const at = "2026-03-20T12:00:00Z";
const start = initialPlanFile({ run_id: "r1", pid: 7, queue: "/q", argv: ["pr-sync"], at });
const plan = planSync(input({ rows: [pr(1), pr(2), pr(3, { target_branch: "v2" })], bases: [base("v2")] }));
const file = withPlan(start, plan);
const reread = (value: unknown) => decodeSyncPlan(JSON.stringify(value));

describe("sync-plan.json", () => {
  it("starts with every step pending, in the order of a sync", () => {
    expect(start.steps.map(({ name }) => name)).toEqual([
      "pr-scan",
      "pr-queue update --all",
      "pr-queue clean",
      "pr-task clean-orphans",
      "plan",
      "bases",
      "prepare",
      "pr-queue remind",
      "repo auto-bases clean",
    ]);
    expect(new Set(start.steps.map(({ status }) => status))).toEqual(new Set(["pending"]));
    expect(reread(start)).toEqual(start);
  });

  it("shows the plan: bases by class, PRs by tier", () => {
    expect(file.bases).toMatchObject([
      { branch: "main", class: "missing", action: "create_auto", status: "pending", prs: [1, 2] },
      { branch: "v2", class: "fresh-user", action: "none", status: "ready", prs: [3] },
    ]);
    expect(file.prs).toMatchObject([
      { number: 1, tier: 1, initial_tier: 1, base: "main", prep_status: "pending" },
      { number: 2, tier: 1 },
      { number: 3, tier: 0, base: "v2" },
    ]);
    expect(file).toMatchObject({ started_at: at, updated_at: at });
    expect(reread(file)).toEqual(file);
  });

  it("changes one base or PR and nothing else", () => {
    const failed = withBase(file, { repo: "shop", branch: "main" }, { status: "failed", error: "x" });
    expect(failed.bases.map(({ status }) => status)).toEqual(["failed", "ready"]);
    const moved = withPr(file, pr(1).pr_url, { tier: 2, prep_status: "preparing" });
    expect(moved.prs.map(({ tier, initial_tier }) => [tier, initial_tier])).toEqual([
      [2, 1],
      [1, 1],
      [0, 0],
    ]);
    expect([reread(failed), reread(moved)]).toEqual([failed, moved]);
  });

  it("keeps notes in the order they came", () => {
    const noted = withNotes(withNotes(file, ["one"]), ["two", "three"]);
    expect(noted.notes).toEqual(["one", "two", "three"]);
    expect(withNotes(noted, [])).toBe(noted);
  });
});

describe("decodeSyncPlan", () => {
  it("is null for what is missing, cut short, or of another kind or version", () => {
    const text = JSON.stringify(file);
    for (const bad of [
      null,
      undefined,
      "",
      "null",
      "[]",
      "{}",
      text.slice(0, -1),
      text.replace('"version":1', '"version":2'),
    ])
      expect(decodeSyncPlan(bad)).toBeNull();
  });

  it("is null when any field is missing, and never throws", () => {
    for (const name of Object.keys(file)) {
      const { [name as keyof typeof file]: _gone, ...rest } = file;
      expect(reread(rest)).toBeNull();
    }
    fc.assert(fc.property(fc.string(), (text) => decodeSyncPlan(text) === null));
    fc.assert(fc.property(fc.json(), (text) => decodeSyncPlan(text) === null));
  });

  it("allows further fields", () => {
    expect(reread({ ...file, future: 1 })).toMatchObject({ run_id: "r1", future: 1 });
  });
});
