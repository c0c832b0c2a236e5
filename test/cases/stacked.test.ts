import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { FileSpec } from "../../fixtures/repos/RepoBuilder.ts";
import { type HostedHome, hostedHome, readTask, rowOf, type Task } from "./support/hosted.ts";

let home: HostedHome;
afterEach(() => home.close());

/** main with one commit; `parent` one commit ahead of it; `child` one commit ahead of parent; and some without lines. */
const stack = async () => {
  home = await hostedHome();
  const { repo } = home;
  const first = repo.commit({ message: "Start", files: { "shared.ts": "export const a = 1;\n", "other.ts": "1\n" } });
  const branch = (name: string, from: string, files: Readonly<Record<string, FileSpec>>): string =>
    repo.commit({ branch: name, from, message: `Change of ${name}`, files });
  const parent = branch("parent", "main", { "parent.ts": "export const p = 1;\n" });
  const child = branch("child", "parent", { "child.ts": "export const c = 1;\n" });
  const undone = branch("undone", "main", {});
  const mode = branch("mode", "main", { "other.ts": { executable: "1\n" } });
  const pulls = (over: { readonly childBase?: string; readonly parentSha?: string } = {}) =>
    home.pulls([
      { number: 1, head: "parent", headSha: over.parentSha ?? parent, base: "main" },
      { number: 2, head: "child", headSha: child, base: over.childBase ?? "parent" },
      { number: 3, head: "undone", headSha: undone, base: "main", files: 0 },
      { number: 4, head: "undone", headSha: undone, base: "main", files: 2 },
      { number: 5, head: "mode", headSha: mode, base: "main", files: 1 },
    ]);
  pulls();
  const add = async (...numbers: ReadonlyArray<number>) =>
    expect((await home.run(["pr-queue", "add", ...numbers.map(home.url)])).code).toBe(0);
  return { first, parent, child, pulls, add };
};

const row = (number: number) => rowOf(home, home.url(number));
const taskOf = (number: number): Task => readTask(join(home.data, "skill-pr-review", `acme__shop_pr-${number}`));
const prepare = async (number: number): Promise<Task> => {
  const { code, stderr } = await home.run(["pr-task", "prepare", home.url(number)]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return taskOf(number);
};

describe("a stacked change request", () => {
  it("is compared with the branch that the host names and seeded from that branch's base; one without changes says so", async () => {
    const { add } = await stack();
    expect((await home.run(["repo", "add", "https://github.com/acme/shop.git", "--branch", "parent"])).code).toBe(0);
    await add(1, 2, 3, 4, 5);
    expect((await home.run(["pr-task", "prepare", "--all", "-v"])).code).toBe(1);
    const task = taskOf(2);
    expect(Object.keys(task.files)).toEqual(["child.ts"]);
    expect(task.patch).not.toContain("parent.ts");
    expect(await row(2)).toMatchObject({
      target_branch: "parent",
      prep_base_ref: "parent",
      prep_used_base: { branch: "parent" },
    });
    expect(home.fake.violations).toEqual([]);
    expect(new Set(home.fake.ledger.map(({ operation }) => operation))).toEqual(new Set(["pulls/get"]));

    const logs = readdirSync(join(home.data, "logs")).filter((name) => name.startsWith("pr-task"));
    const log = logs.map((name) => readFileSync(join(home.data, "logs", name), "utf8")).join("");
    const fetches = log.split("\n").filter((line) => /"argv":\["git","fetch"/.test(line));
    expect(fetches.length).toBeGreaterThan(0);
    expect(fetches.filter((line) => /--depth|--shallow|--deepen/.test(line))).toEqual([]);
    expect(existsSync(join(home.data, "repos/shop/original-clone/shallow"))).toBe(false);

    expect(taskOf(3).files).toEqual({});
    expect(taskOf(3).precis).toContain("nothing to review: no file differs from the merge base");
    expect(await row(3)).toMatchObject({ prep_status: "ready", prep_error: null });
    expect(await row(4)).toMatchObject({
      prep_status: "failed",
      prep_error: expect.stringContaining("the local diff is empty although 2 files changed"),
      ready_for_review: false,
    });
    const mode = taskOf(5);
    expect(Object.values(mode.files).map(({ kind }) => kind)).toEqual(["modeOnly"]);
    expect(mode.patch).toBe("diff --git a/other.ts b/other.ts\nold mode 100644\nnew mode 100755\n");
    expect(mode.precis).toContain("nothing to review line by line: only modes of files changed");
    expect(mode.precis).toContain("- `other.ts`: only its mode changed");
  });

  it("follows the host to another branch when its own is merged and deleted: reviewed again, prepared by the next sync, never failed for good", async () => {
    const { parent, child, pulls, add } = await stack();
    await add(2);
    await prepare(2);
    const claim = await home.json(["pr-queue", "claim", home.url(2)]);
    const proof = ["--run-id", claim.body.run_id, "--token", claim.body.token];
    expect((await home.run(["pr-queue", "release", home.url(2), "--status", "approved", ...proof])).code).toBe(0);
    expect(await row(2)).toMatchObject({ ready_for_review: false, last_reviewed_base_ref: "parent" });

    home.repo.branch("main", parent);
    home.repo.deleteBranch("parent");
    pulls({ childBase: "main" });
    expect((await home.json(["pr-queue", "update", home.url(2)])).body).toMatchObject({ moved: 1 });
    const moved = await row(2);
    expect(moved).toMatchObject({ head_sha: child, ready_for_review: false });
    expect(moved.eligibility.map(({ why }) => why)).toContain("prepared against parent, the target is main");
    expect((await home.run(["pr-sync"])).code).toBe(0);
    expect(await row(2)).toMatchObject({
      head_sha: child,
      target_branch: "main",
      prep_status: "ready",
      prep_base_ref: "main",
      prep_merge_base: parent,
      prep_error: null,
      ready_for_review: true,
    });
  });
});

describe("the base of a comparison", () => {
  it("is where head and freshly fetched target part: work that others merged meanwhile is never shown, nor taken back", async () => {
    const { first, pulls, add } = await stack();
    await add(1);
    expect(Object.keys((await prepare(1)).files)).toEqual(["parent.ts"]);
    expect((await row(1)).prep_merge_base).toBe(first);
    const others = { "other.ts": "2\n", "more.ts": "export {};\n" };
    const second = home.repo.commit({ message: "Others", files: others });
    const merged = home.repo.merge({ branch: "parent", other: "main", files: others });
    pulls({ parentSha: merged });
    await home.run(["pr-queue", "update", home.url(1)]);
    const task = await prepare(1);
    expect(Object.keys(task.files)).toEqual(["parent.ts"]);
    expect(task.patch).not.toContain("other.ts");
    expect(await row(1)).toMatchObject({ prep_head_sha: merged, prep_merge_base: second });
  });
});

describe("a default branch that was renamed", () => {
  it("is asked of the remote by the next update: the new branch is indexed, the old base stays until it is removed", async () => {
    await stack();
    await home.run(["repo", "add", "https://github.com/acme/shop.git", "--branch", "main"]);
    home.repo.branch("trunk", "main");
    home.repo.git(["symbolic-ref", "HEAD", "refs/heads/trunk"]);
    home.repo.deleteBranch("main");
    const { code, body } = await home.json(["repo", "update", "shop"]);
    expect({ code, body }).toMatchObject({ code: 0, body: { repos: [{ name: "shop", error: null }] } });
    const bases = async () => (await home.json(["repo", "list", "--branches"])).body;
    expect(JSON.stringify(await bases())).toContain('"default_branch":"trunk"');
    const branches = async (): Promise<ReadonlyArray<string>> =>
      [...JSON.stringify(await bases()).matchAll(/"branch":"([^"]+)"/g)].map(([, name]) => name ?? "").sort();
    expect(await branches()).toEqual(["main", "trunk"]);
    expect((await home.run(["repo", "branch", "remove", "shop", "--branch", "main", "-y"])).code).toBe(0);
    expect(await branches()).toEqual(["trunk"]);
  });
});
