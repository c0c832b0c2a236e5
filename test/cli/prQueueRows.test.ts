import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { shopState } from "../../fixtures/github/shopState.ts";
import { RepoBuilder } from "../../fixtures/repos/RepoBuilder.ts";
import { taskName } from "../../src/names.ts";
import { freshRow, readyRow } from "../effects/queue/support/rows.ts";
import { type FakeGitHub, startFakeGitHub } from "../fakes/github/startFakeGitHub.ts";
import { loadedBy, packagesOf, readMetafile } from "./support/metafile.ts";
import { ended, root, start } from "./support/program.ts";
import { bytesOf, type CliHome, cliHome } from "./support/queueHome.ts";

let home: CliHome;
beforeEach(() => {
  home = cliHome();
});
afterEach(() => home.remove());

describe("adk pr-queue list", () => {
  it("prints one document with counts, rows and their locks", async () => {
    home.write([readyRow(1), readyRow(2), freshRow(3, { status: "merged" })]);
    await home.run(["pr-queue", "claim", "acme/shop#2"]);
    const { code, body } = await home.json(["pr-queue", "list"]);
    expect(code).toBe(0);
    expect(body.queue).toBe(home.queue);
    expect(body.counts).toEqual({
      total: 3,
      ready: 1,
      in_review: 1,
      by_status: { pending: 1, in_review: 1, merged: 1 },
    });
    expect(body.prs.map((row: { ready_for_review: boolean }) => row.ready_for_review)).toEqual([true, false, false]);
    expect(body.prs[0].lock).toEqual({ held: false, run_id: null, since: null, age_s: null });
    expect(body.prs[1].lock).toMatchObject({
      held: true,
      run_id: body.prs[1].claim.run_id,
      since: body.prs[1].taken_at,
    });
    expect(body.prs[1].lock.age_s).toBeGreaterThanOrEqual(0);
  });

  it("filters by status and readiness, and prints URLs alone", async () => {
    home.write([readyRow(1), freshRow(2), freshRow(3, { status: "merged" })]);
    expect((await home.run(["pr-queue", "list", "--status", "merged", "--urls-only"])).stdout).toBe(
      "https://github.com/acme/shop/pull/3\n",
    );
    expect((await home.run(["pr-queue", "list", "--ready", "--urls-only"])).stdout).toBe(
      "https://github.com/acme/shop/pull/1\n",
    );
    expect((await home.run(["pr-queue", "list", "--status", "nonsense"])).code).toBe(2);
  });

  it("works on no queue at all and leaves no file behind", async () => {
    const { code, body } = await home.json(["pr-queue", "list"]);
    expect([code, body.prs, body.counts.total]).toEqual([0, [], 0]);
    expect((await home.run(["pr-queue", "list", "--urls-only"])).stdout).toBe("");
    expect(existsSync(join(home.data, "config"))).toBe(false);
  });

  it("prints hostile titles without a byte that steers a terminal, in the table and as JSON", async () => {
    home.write([readyRow(1, { title: "x\u001b]0;owned\u0007\u001b[2J\n\u202efake\u009b1m", author: "\u001b[31m" })]);
    for (const args of [["list"], ["list", "--json"], ["show", "acme/shop#1"], ["ready-to-merge"]]) {
      const { code, stdout } = await home.run(["pr-queue", ...args]);
      expect(code).toBe(0);
      expect(stdout.replaceAll("\n", "")).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202a-\u202e]/);
    }
  });

  it("shows the last good queue under a warning when the file is broken; claim refuses; restore puts it back", async () => {
    home.write([readyRow(1)]);
    await home.run(["pr-queue", "set-status", "acme/shop#1", "comments"]);
    await home.run(["pr-queue", "set-status", "acme/shop#1", "pending"]);
    const bad = "{ schema_version: 4, prs: [ <<<<<<< HEAD\n";
    writeFileSync(home.queue, bad);
    const list = await home.json(["pr-queue", "list"]);
    expect([list.code, list.body.prs.length]).toEqual([0, 1]);
    expect(list.body.banner).toContain(home.queue);
    expect(list.stderr).toMatch(/^warning: /);
    const claim = await home.json(["pr-queue", "claim", "acme/shop#1"]);
    expect([claim.code, claim.body.error.tag]).toEqual([3, "QueueUnreadable"]);
    expect(bytesOf(home.queue).toString()).toBe(bad);
    const restored = await home.json(["pr-queue", "restore"]);
    expect(restored.code).toBe(0);
    expect(bytesOf(restored.body.kept_broken).toString()).toBe(bad);
    expect((await home.run(["pr-queue", "claim", "acme/shop#1"])).code).toBe(0);
  });

  it("does not replace a queue that can be read without being told", async () => {
    home.write([readyRow(1)]);
    const before = bytesOf(home.queue);
    expect((await home.run(["pr-queue", "restore", "--from", home.queue])).code).toBe(2);
    expect(bytesOf(home.queue).equals(before)).toBe(true);
  });

  it("exits 3 when the file is broken and there is no copy", async () => {
    home.write([]);
    writeFileSync(home.queue, "[]");
    expect((await home.run(["pr-queue", "list"])).code).toBe(3);
  });

  it("loads neither machines, nor schemas, nor git, nor a host's client", () => {
    const loaded = loadedBy(readMetafile(), ["cli/main.ts", "cli/run.ts", "cli/commands/prQueueList.ts"]);
    expect(packagesOf(loaded).filter((name) => name !== "effect" && name !== "fs-native-extensions")).toEqual([]);
    expect(
      loaded.modules.filter((path) => /^(machines|effects\/(git|github|engine|platform))\/|\/Schema\.js$/.test(path)),
    ).toEqual([]);
  });
});

describe("adk pr-queue show", () => {
  it("prints the row with the five rules and the lock", async () => {
    home.write([freshRow(1)]);
    const { code, body } = await home.json(["pr-queue", "show", "https://github.com/Acme/Shop/pull/1/files?w=1"]);
    expect(code).toBe(0);
    expect(body).toMatchObject({ pr_number: 1, ready_for_review: false, lock: { held: false } });
    expect(body.eligibility.map((rule: { rule: number; pass: boolean }) => [rule.rule, rule.pass])).toEqual([
      [1, true],
      [2, true],
      [3, false],
      [4, false],
      [5, true],
    ]);
    expect((await home.run(["pr-queue", "show", "acme/shop#2"])).code).toBe(1);
    expect((await home.run(["pr-queue", "show", "nonsense"])).code).toBe(2);
  });

  it("knows the pages of the host that GITHUB_API_URL names, and of no other", async () => {
    const ghe = ["pr-queue", "show", "https://ghe.acme.test/acme/shop/pull/1"];
    const env = { GITHUB_API_URL: "https://ghe.acme.test/api/v3" };
    expect((await home.json(ghe, env)).body.error.tag).toBe("NotFound");
    expect((await home.json(ghe)).body.error.tag).toBe("UsageError");
  });
});

describe("adk pr-queue set-status", () => {
  it("takes canonical statuses only", async () => {
    home.write([readyRow(1)]);
    const { code, body } = await home.json(["pr-queue", "set-status", "acme/shop#1", "approved"]);
    expect([code, body.status]).toEqual([0, "approved"]);
    expect((await home.run(["pr-queue", "set-status", "acme/shop#1", "lgtm"])).code).toBe(2);
    expect((await home.run(["pr-queue", "ready-to-merge"])).stdout).toContain("https://github.com/acme/shop/pull/1");
  });
});

describe("adk pr-queue clean", () => {
  it("asks first, says what it would do, and removes rows with their folders", async () => {
    home.write([freshRow(1, { status: "merged" }), freshRow(2)]);
    const folder = join(home.data, "skill-pr-review", taskName(freshRow(1)));
    mkdirSync(folder, { recursive: true });
    expect((await home.run(["pr-queue", "clean"])).code).toBe(2);
    expect((await home.json(["pr-queue", "clean", "--dry-run"])).body).toMatchObject({
      dry_run: true,
      removed: ["https://github.com/acme/shop/pull/1"],
      folders: [folder],
    });
    expect(existsSync(folder)).toBe(true);
    const { code, body } = await home.json(["pr-queue", "clean", "-y"]);
    expect([code, body.removed, body.folders]).toEqual([0, ["https://github.com/acme/shop/pull/1"], [folder]]);
    expect(existsSync(folder)).toBe(false);
    expect((await home.run(["pr-queue", "list", "--urls-only"])).stdout).toBe("https://github.com/acme/shop/pull/2\n");
    expect((await home.run(["pr-queue", "clean"])).stdout).toBe("nothing to clean\n");
  });

  it("refuses an odd number of days and two modes at once", async () => {
    expect((await home.run(["pr-queue", "clean", "--stale-days", "0", "-y"])).code).toBe(2);
    expect((await home.run(["pr-queue", "clean", "--stale-days", "3", "--all", "-y"])).code).toBe(2);
  });
});

describe("adk pr-queue add and update", () => {
  let fake: FakeGitHub;
  beforeAll(async () => {
    fake = await startFakeGitHub({ state: shopState });
  });
  afterAll(() => fake.close());
  const env = () => ({ GITHUB_API_URL: fake.url });
  const page = (n: number): string => `https://github.com/acme/shop-api/pull/${n}`;

  it("adds several PRs with their metadata and says which are there already", async () => {
    const added = await home.json(["pr-queue", "add", page(1), "acme/shop-api", "3"], env());
    expect(added.code).toBe(0);
    expect(added.body).toEqual({
      added: [
        { pr_url: page(1), status: "pending" },
        { pr_url: page(3), status: "merged" },
      ],
      existing: [],
      failed: [],
    });
    const again = await home.json(["pr-queue", "add", "acme/old-shop#1"], env());
    expect([again.code, again.body.existing]).toEqual([2, [page(1)]]);
    expect((await home.run(["pr-queue", "add", page(1), "-y"], env())).code).toBe(0);
    const missing = await home.run(["pr-queue", "add", "acme/shop-api#99"], env());
    expect([missing.code, missing.stdout]).toEqual([1, ""]);
    expect(missing.stderr).toMatch(/^error: .+ — .+\n$/);
    expect((await home.run(["pr-queue", "add", "http://github.com/a/b/pull/1"], env())).code).toBe(2);
    const { body } = await home.json(["pr-queue", "list"]);
    expect(body.prs.map((row: { title: string }) => row.title)).toEqual([
      "Round prices to cents",
      "Round prices to cents",
    ]);
    expect(fake.violations).toEqual([]);
  });

  it("updates all rows, exits 1 when one fails, and marks what was merged", async () => {
    const row = (n: number) => ({ ...freshRow(n), repo: "shop-api", node_id: null, pr_url: page(n) });
    home.write([row(1), row(3), row(77)]);
    const { code, body } = await home.json(["pr-queue", "update", "--all"], env());
    expect(code).toBe(1);
    expect(body).toMatchObject({ checked: 3, moved: 1, merged: 1, closed: 0, unchanged: 0 });
    expect(body.failed).toEqual([{ pr_url: page(77), error: expect.stringContaining("77") }]);
    const again = await home.json(["pr-queue", "update", page(1)], env());
    expect([again.code, again.body]).toEqual([
      0,
      { checked: 1, unchanged: 1, moved: 0, merged: 0, closed: 0, reopened: 0, failed: [], renamed: [], notes: [] },
    ]);
    expect((await home.run(["pr-queue", "update"], env())).code).toBe(2);
    expect((await home.run(["pr-queue", "update", page(1), "--all"], env())).code).toBe(2);
    expect((await home.run(["pr-queue", "update", page(8)], env())).code).toBe(1);
  });

  it("ends with 130 when it is interrupted while a host is silent, and leaves the queue as it was", async () => {
    home.write([{ ...readyRow(1), repo: "shop-api", pr_url: page(1) }]);
    const before = bytesOf(home.queue);
    for (const verb of [["update", "--all"], ["get-next"]]) {
      const silent = await startFakeGitHub({ state: shopState });
      silent.behave({ times: 10, does: { kind: "hang" } });
      const child = start(join(root, "bin/adk"), ["pr-queue", ...verb], {
        ADK_DATA_HOME: home.data,
        GITHUB_API_URL: silent.url,
      });
      const end = ended(child);
      await silent.arrived(1);
      const asked = performance.now();
      child.kill("SIGINT");
      expect((await end).code).toBe(130);
      expect(performance.now() - asked).toBeLessThan(5000);
      expect(bytesOf(home.queue).equals(before)).toBe(true);
      await silent.close();
    }
  });

  it("asks the host before it hands a row out: what was merged is passed over", async () => {
    const row = (n: number) => ({
      ...readyRow(n),
      repo: "shop-api",
      pr_url: page(n),
      head_sha: "a".repeat(40),
      prep_head_sha: "a".repeat(40),
    });
    home.write([{ ...row(3), added_at: "2025-12-31T00:00:00Z" }, row(1)]);
    const next = await home.json(["pr-queue", "get-next"], env());
    expect([next.code, next.body.action, next.body.pr_url]).toEqual([0, "claimed", page(1)]);
    const { body } = await home.json(["pr-queue", "list"]);
    expect(body.prs.map((each: { status: string }) => each.status)).toEqual(["merged", "in_review"]);
  });

  it("adds a change of a local repository with no network at all", async () => {
    const repo = new RepoBuilder(join(home.data, "work", "notes"));
    repo.commit({ message: "Start", files: { "a.txt": "1\n" } });
    repo.commit({ message: "Say more", branch: "more", from: "main", files: { "a.txt": "2\n" } });
    repo.checkout("more");
    const { code, body } = await home.json(["pr-queue", "add", "--local", repo.dir]);
    expect([code, body.added]).toEqual([0, [{ pr_url: "local:notes#1", status: "pending" }]]);
    expect((await home.run(["pr-queue", "add", "--local", repo.dir])).code).toBe(2);
    expect((await home.run(["pr-queue", "add", "--local", home.data])).code).not.toBe(0);
    expect((await home.run(["pr-queue", "add", "acme/shop#1", "--local", repo.dir])).code).toBe(2);
    const shown = await home.json(["pr-queue", "show", "local:notes#1"]);
    expect(shown.body).toMatchObject({
      title: "Say more",
      head_ref: "more",
      target_branch: "main",
      local_path: repo.dir,
    });
  });
});
