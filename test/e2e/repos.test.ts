import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { ends } from "./scenario/support.ts";
import { addLocal, must, World } from "./support/world.ts";

// Whole processes on a machine that may be busy with others.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

let world: World;
let release: string;
beforeAll(() => {
  world = new World();
  release = world.shop.sha("release/v2");
});
afterAll(() => world.remove());

const branches = async () => (await must(world, ["repo", "list"])).body.repos[0].branches;
const onRelease = ["shop", "--branch", "release/v2"] as const;

describe("the repo verbs", () => {
  it("register a path and index its default branch and the named ones as user bases", async () => {
    const { body } = await must(world, ["repo", "add", world.shop.dir, "--branch", "tax"]);
    expect(body).toMatchObject({ name: "shop", platform: "local", url: world.shop.dir, default_branch: "main" });
    expect(body.bases.map((base: { branch: string; status: string }) => [base.branch, base.status])).toEqual([
      ["main", "built"],
      ["tax", "built"],
    ]);
    for (const branch of await branches()) expect(branch).toMatchObject({ created_by: "user", state: "fresh", prs: 0 });
  });

  it("add a branch as an auto base with a reason, and refuse it a second time", async () => {
    await must(world, ["repo", "branch", "add", ...onRelease, "--auto", "--auto-reason", "two hotfixes"]);
    expect(world.base("shop", "release/v2")).toMatchObject({
      created_by: "auto",
      auto_reason: "two hotfixes",
      last_indexed_sha: release,
    });
    expect((await ends(world, 2, ["repo", "branch", "add", ...onRelease])).body.error.tag).toBe("Refused");
  });

  it("list bases with their origin, their users and when they expire", async () => {
    await addLocal(world, world.shop, "round");
    const described = new Map((await branches()).map((base: { branch: string }) => [base.branch, base]));
    expect(described.get("main")).toMatchObject({
      created_by: "user",
      prs: 1,
      last_indexed_sha: world.shop.sha("main"),
    });
    expect(described.get("main")).not.toHaveProperty("expires_at");
    const auto = await must(world, ["repo", "auto-bases", "list"]);
    expect(auto.body).toMatchObject({ count: 1, auto_bases: [{ repo: "shop", branch: "release/v2", prs: 0 }] });
    expect(auto.body.auto_bases[0].expires_at).toMatch(/^\d{4}-/);
    const list = await must(world, ["repo", "branch", "list", "shop"]);
    expect(list.body.branches.map((base: { branch: string }) => base.branch)).toEqual(["main", "release/v2", "tax"]);
    const text = (await world.run(["repo", "list", "--branches"])).stdout;
    expect(text).toMatch(/release\/v2\s+auto \(two hotfixes\)/);
  });

  it("rebuild an index without changing whose it is, and refresh one to a moved tip", async () => {
    await must(world, ["repo", "rebuild-index", ...onRelease]);
    expect(world.base("shop", "release/v2")).toMatchObject({
      created_by: "auto",
      auto_reason: "two hotfixes",
      state: "fresh",
    });
    const tip = world.shop.commit({ branch: "release/v2", message: "On", files: { "on.md": "# On\n" } });
    const { body } = await must(world, ["repo", "update", ...onRelease]);
    expect(body.repos[0]).toMatchObject({
      name: "shop",
      error: null,
      bases: [{ branch: "release/v2", status: "built", sha: tip }],
    });
    expect(world.base("shop", "release/v2")).toMatchObject({ created_by: "auto", last_indexed_sha: tip });
  });

  it("keep an auto base that an open PR targets, whatever its age; dry runs change nothing", async () => {
    const file = world.baseMetaFile("shop", "release/v2");
    const old = { created_at: "2020-01-01T00:00:00Z", last_used_at: null };
    writeFileSync(file, JSON.stringify({ ...world.base("shop", "release/v2"), ...old }));
    const before = readFileSync(file, "utf8");
    const dry = await must(world, ["repo", "auto-bases", "clean", "--dry-run"]);
    expect(dry.body).toEqual({ dry_run: true, removed: [{ repo: "shop", branch: "release/v2" }], kept: [] });
    expect(readFileSync(file, "utf8")).toBe(before);
    await addLocal(world, world.shop, "fix-a", "release/v2");
    const kept = await must(world, ["repo", "auto-bases", "clean", "-y"]);
    expect(kept.body).toMatchObject({ removed: [], kept: [{ branch: "release/v2", why: "used by 1 PR" }] });
    // Without a terminal and without -y nothing is removed, not even by force.
    await ends(world, 2, ["repo", "auto-bases", "clean", "--force", ...onRelease]);
    expect(readFileSync(file, "utf8")).toBe(before);
  });

  it("turn an auto base into a user base, which no clean-up touches and only its name removes", async () => {
    expect((await must(world, ["repo", "branch", "promote", ...onRelease])).body).toMatchObject({ created_by: "user" });
    expect((await must(world, ["repo", "auto-bases", "list"])).body.count).toBe(0);
    await ends(world, 2, ["repo", "auto-bases", "clean", "--force", ...onRelease, "-y"]);
    await ends(world, 2, ["repo", "branch", "remove", ...onRelease]);
    expect((await must(world, ["repo", "branch", "remove", ...onRelease, "--dry-run"])).body.removed).toBe(false);
    expect(existsSync(world.baseFolder("shop", "release/v2"))).toBe(true);
    expect((await must(world, ["repo", "branch", "remove", ...onRelease, "-y"])).body.removed).toBe(true);
    expect(existsSync(world.baseFolder("shop", "release/v2"))).toBe(false);
    await ends(world, 1, ["repo", "branch", "remove", ...onRelease, "-y"]);
  });

  it("name what they do not know", async () => {
    expect((await ends(world, 1, ["repo", "branch", "list", "nothing"])).body.error.message).toContain("nothing");
    await ends(world, 2, ["repo", "update"]);
    await ends(world, 1, ["repo", "branch", "add", "shop", "--branch", "no-such-branch"]);
  });
});
