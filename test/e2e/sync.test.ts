import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { syncSteps } from "../../src/sync/syncPlanFile.ts";
import { leftovers } from "./support/endState.ts";
import { type Answer, fill, type Transition, World } from "./support/world.ts";

// Whole processes on a machine that may be busy with others.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

let world: World;
let first: Answer;
let second: Answer;
let cpuSeconds: number;

beforeAll(async () => {
  world = new World();
  await fill(world);
  first = await world.json(["pr-sync"]);
  const measured = await world.timed(["pr-sync", "-v", "--json"]);
  second = { code: measured.code, body: JSON.parse(measured.stdout), stderr: measured.stderr };
  cpuSeconds = measured.cpuSeconds;
});
afterAll(() => world.remove());

/** Highest number of actors of a kind that were at work at once, as the event log tells it. */
const peak = (events: ReadonlyArray<Transition>, machine: string, atWork: ReadonlyArray<string>): number => {
  let now = 0;
  let most = 0;
  for (const event of events.filter((one) => one.machine === machine)) {
    now += Number(atWork.includes(event.to)) - Number(atWork.includes(event.from));
    most = Math.max(most, now);
  }
  return most;
};

describe("one sync over two repositories", () => {
  it("makes every row ready at its whole review key", () => {
    expect(first.code).toBe(0);
    const rows = world.rows();
    expect(rows.map((row) => row.prep_status)).toEqual(["ready", "ready", "ready", "ready", "ready"]);
    for (const row of rows) {
      expect(row).toMatchObject({ prep_head_sha: row.head_sha, prep_base_ref: row.target_branch, prep_error: null });
      expect(row.prep_merge_base).toBe(row.merge_base);
      expect(row.prep_merge_base).toMatch(/^[0-9a-f]{40}$/);
    }
    expect(world.row("local:shop#1").prep_merge_base).toBe(world.shop.sha("main"));
    expect(world.row("local:shop#3").prep_merge_base).toBe(world.shop.sha("release/v2"));
  });

  it("seeds from the base that is there, from one it builds for two PRs, and not at all for a lone one", () => {
    const tiers = world.rows().map((row) => row.prep_used_base);
    const main = { repo: "shop", branch: "main", sha: world.shop.sha("main"), created_by: "user" };
    const release = { repo: "shop", branch: "release/v2", sha: world.shop.sha("release/v2"), created_by: "auto" };
    expect(tiers).toEqual([main, main, release, release, null]);
    expect(world.base("shop", "release/v2")).toMatchObject({
      state: "fresh",
      auto_reason: "shared by 2 PRs: #3, #4",
      last_indexed_sha: world.shop.sha("release/v2"),
    });
    expect(world.base("shop", "release/v2")?.last_used_at).not.toBeNull();
    expect(world.base("report", "main")).toBeNull();
  });

  it("builds each base once, before any PR that waits for it starts", () => {
    const events = world.events();
    const builds = events.filter((event) => event.event === "BUILD").map((event) => event.actor);
    expect(builds).toEqual(["base:shop:main", "base:shop:release/v2"]);
    const built = events.findIndex((event) => event.event === "BUILT" && event.actor === "base:shop:release/v2");
    const starts = events.flatMap((event, at) =>
      event.event === "START" && event.from === "waiting_for_base" ? [at] : [],
    );
    expect(starts).toHaveLength(2);
    expect(Math.min(...starts)).toBeGreaterThan(built);
  });

  it("runs two preparations at once and never more", () => {
    expect(peak(world.events(), "prep", ["preparing"])).toBe(2);
    expect(peak(world.events(), "base", ["building", "refreshing"])).toBeLessThanOrEqual(2);
  });

  it("leaves the whole first phase of a review in every task folder", () => {
    for (const row of world.rows()) {
      const folder = world.taskFolder(row);
      const review = join(folder, "pr-review");
      const names = ["pr.json", "threads.json", "diff.patch", "changed-files.json", "precis.md", "queue-context.json"];
      for (const name of [...names, "state.json"]) expect(existsSync(join(review, name)), name).toBe(true);
      for (const name of ["code", "code-index", "docs"]) expect(existsSync(join(folder, name)), name).toBe(true);
      expect(readFileSync(join(review, "diff.patch"), "utf8")).toContain("diff --git ");
      const precis = readFileSync(join(review, "precis.md"), "utf8");
      expect(precis).toContain("- threads: 0 open, 0 resolved, 0 comments on the PR as a whole");
      expect(precis).toContain("- CI state: no checks at this head");
    }
    expect(leftovers(world)).toEqual([]);
  });

  it("prints the documented document", () => {
    const { body } = first;
    expect(Object.keys(body).sort()).toEqual(["failed", "notes", "ready", "run_id", "status", "summary", "warnings"]);
    expect(body).toMatchObject({ status: "done", failed: [], warnings: [], notes: [] });
    expect([...body.ready].sort()).toEqual(
      world
        .rows()
        .map((row) => row.pr_url)
        .sort(),
    );
    expect(body.summary).toMatchObject({ bases_built: 1, ready: 5, failed: 0, skipped: 0 });
    expect(body.summary.chunks_embedded).toBeGreaterThan(0);
    expect(body.run_id).toMatch(/^sync-\d{8}T\d{6}Z-\d+$/);
  });
});

describe("a second sync with nothing new", () => {
  it("fetches nothing, embeds nothing, prepares nothing, and says so", () => {
    expect(second).toMatchObject({ code: 0, body: { status: "done", ready: [], failed: [] } });
    expect(second.body.summary).toMatchObject({ bases_built: 0, ready: 0, skipped: 5, chunks_embedded: 0 });
    const git = world
      .logRecords()
      .filter((record) => record.event === "child")
      .map((record) => (record.argv as ReadonlyArray<string>)[1]);
    expect(git).not.toContain("fetch");
    expect(git.filter((verb) => verb === "ls-remote").length).toBeLessThanOrEqual(4);
  });

  it("leaves a plan that readers understand, every step in order and ended", () => {
    const plan = world.plan();
    expect(plan).toMatchObject({ status: "done", rc: 0, run_id: second.body.run_id });
    expect(plan.steps.map((step) => step.name)).toEqual(syncSteps.map((step) => step.name));
    expect(plan.steps.map((step) => step.status)).toEqual([
      "skipped",
      "ok",
      "ok",
      "ok",
      "ok",
      "ok",
      "ok",
      "skipped",
      "ok",
    ]);
  });

  it("costs at most two seconds of processor time", () => {
    expect(cpuSeconds).toBeLessThanOrEqual(2);
  });
});
