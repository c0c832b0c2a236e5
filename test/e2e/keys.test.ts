import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { push } from "./scenario/support.ts";
import { type Answer, fill, must, World } from "./support/world.ts";

// Whole processes on a machine that may be busy with others.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

let world: World;
beforeAll(async () => {
  world = new World();
  await fill(world);
  await must(world, ["pr-sync"]);
});
afterAll(() => world.remove());

const age = (file: string, times: Readonly<Record<string, string>>): void =>
  writeFileSync(file, JSON.stringify({ ...(JSON.parse(readFileSync(file, "utf8")) as object), ...times }));

const long = "2020-01-01T00:00:00Z";

describe("a sync after something moved", () => {
  let before: ReadonlyMap<string, string | null>;
  let answer: Answer;

  beforeAll(async () => {
    before = new Map(world.rows().map((row) => [row.pr_url, row.prep_completed_at]));
    push(world.shop, "round");
    // A force-push: the branch starts anew from an older commit.
    world.shop.deleteBranch("tax");
    world.shop.commit({ branch: "tax", from: "release/v2", message: "Again", files: { "src/tax.ts": "export {};\n" } });
    push(world.shop, "release/v2");
    // An index of long ago that stands at the tip is fresh: to index it again would change nothing.
    age(world.baseMetaFile("shop", "main"), { last_indexed_at: long });
    answer = await must(world, ["pr-sync", "-v"]);
  });

  it("prepares the pushed and the force-pushed PR again, seeded, and no other", () => {
    expect(answer.body.ready).toEqual(["local:shop#1", "local:shop#2"]);
    expect(answer.body.summary).toMatchObject({ ready: 2, skipped: 3, failed: 0, bases_built: 0 });
    for (const [url, branch] of [
      ["local:shop#1", "round"],
      ["local:shop#2", "tax"],
    ] as const) {
      expect(world.row(url)).toMatchObject({
        prep_status: "ready",
        prep_head_sha: world.shop.sha(branch),
        prep_used_base: { branch: "main", sha: world.shop.sha("main") },
      });
    }
    const tax = world.row("local:shop#2");
    expect(tax.prep_merge_base).toBe(world.shop.git(["merge-base", "main", "tax"]));
  });

  it("leaves PRs alone whose base moved without them", () => {
    for (const url of ["local:shop#3", "local:shop#4"])
      expect(world.row(url)).toMatchObject({ prep_status: "ready", prep_completed_at: before.get(url) });
  });

  it("takes an old base at its tip for fresh", () => {
    expect(world.plan().bases.find((base) => base.repo === "shop" && base.branch === "main")).toMatchObject({
      class: "fresh-user",
      action: "none",
    });
  });

  it("fetches once for the repository of both, and nothing for the other", () => {
    const fetches = world
      .logRecords()
      .filter((record) => record.event === "child" && (record.argv as ReadonlyArray<string>)[1] === "fetch");
    expect(fetches).toHaveLength(1);
  });
});

describe("a sync after PRs ended", () => {
  it("drops a closed row with its folder, and keeps one that is being reviewed", async () => {
    const [gone, held] = [world.row("local:shop#3"), world.row("local:shop#4")];
    const claim = await must(world, ["pr-queue", "claim", held.pr_url]);
    world.shop.deleteBranch("fix-a");
    world.shop.deleteBranch("fix-b");
    await must(world, ["pr-sync"]);
    expect(world.rows().map((row) => row.pr_url)).not.toContain(gone.pr_url);
    expect(existsSync(world.taskFolder(gone))).toBe(false);
    expect(world.row(held.pr_url).status).toBe("closed");
    expect(existsSync(world.taskFolder(held))).toBe(true);

    await must(world, ["pr-queue", "release", held.pr_url, "--run-id", claim.body.run_id], {
      ADK_CLAIM_TOKEN: claim.body.token,
    });
    await must(world, ["pr-sync"]);
    expect(world.rows().map((row) => row.pr_url)).not.toContain(held.pr_url);
    expect(existsSync(world.taskFolder(held))).toBe(false);
  });

  it("keeps an unused auto base for its time to live, then removes it and says so", async () => {
    expect(world.base("shop", "release/v2")).toMatchObject({ state: "fresh", created_by: "auto" });
    age(world.baseMetaFile("shop", "release/v2"), { created_at: long });
    await must(world, ["pr-sync"]);
    expect(world.base("shop", "release/v2")?.state).toBe("fresh");
    age(world.baseMetaFile("shop", "release/v2"), { last_used_at: long });
    const { body } = await must(world, ["pr-sync"]);
    expect(body.notes).toEqual(["auto-base cleanup: 1 removed"]);
    expect(existsSync(world.baseFolder("shop", "release/v2"))).toBe(false);
    expect(world.base("shop", "main")?.created_by).toBe("user");
  });
});
