import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { addLocal, type Transition, type World } from "../support/world.ts";
import { baseIs, ends, inWorld, push, recorded, stands } from "./support.ts";

type Chapter = (program?: string) => Promise<ReadonlyArray<Transition>>;

const update = (branch: string): ReadonlyArray<string> => ["repo", "update", "report", "--branch", branch];
const promote = (branch: string): ReadonlyArray<string> => ["repo", "branch", "promote", "report", "--branch", branch];
const addAuto = (branch: string): ReadonlyArray<string> => [
  "repo",
  "branch",
  "add",
  "report",
  "--branch",
  branch,
  "--auto",
];
const remove = (branch: string): ReadonlyArray<string> => [
  "repo",
  "auto-bases",
  "clean",
  "--force",
  "report",
  "--branch",
  branch,
  "-y",
];

/** report registered with nothing indexed but main, and some branches to index. */
const registered = async (world: World, branches: ReadonlyArray<string>): Promise<void> => {
  for (const branch of branches) world.report.branch(branch, "main");
  await ends(world, 0, ["repo", "add", world.report.dir]);
};

const loseIndex = (world: World, branch: string): void =>
  rmSync(join(world.baseFolder("report", branch), "code-index"), { recursive: true });

/** Builds that fail, are cut off, are promoted meanwhile, and succeed. */
export const baseThatIsBuilt: Chapter = (program) =>
  inWorld(program, async (world) => {
    await registered(world, ["one"]);
    baseIs(world, "main", "fresh", { created_by: "user", last_indexed_sha: world.report.sha("main") });
    await world.killed(addAuto("one"), "base.started:1:kill");
    baseIs(world, "one", "building", { created_by: "auto", last_indexed_sha: null });
    await ends(world, 0, promote("one"));
    baseIs(world, "one", "building", { created_by: "user" });
    await ends(world, 0, ["pr-sync", "--plan-only"]);
    baseIs(world, "one", "missing", { created_by: "user" });

    world.report.branch("later", "main");
    await ends(world, 1, addAuto("later"), "base.started:1:EIO");
    assert.match(baseIs(world, "later", "failed", { created_by: "auto" }).error ?? "", /base\.started/);
    await ends(world, 0, addAuto("later"));
    baseIs(world, "later", "fresh", { error: null, created_by: "auto" });
    recorded(world, "base:report:later", "failed", "BUILD", "building");

    loseIndex(world, "later");
    await ends(world, 0, update("later"));
    baseIs(world, "later", "fresh", { created_by: "auto" });
    recorded(world, "base:report:later", "fresh", "LOST", "missing");
    await ends(world, 0, promote("later"));
    baseIs(world, "later", "fresh", { created_by: "user" });
    assert.equal((await ends(world, 2, remove("later"))).body.error.tag, "Refused");
    baseIs(world, "later", "fresh");
  });

/** A base grows old, its refresh is cut off or fails, and PRs are seeded from it in every state. */
export const baseThatIsRefreshed: Chapter = (program) =>
  inWorld(program, async (world) => {
    const url = "local:report#1";
    await registered(world, []);
    await addLocal(world, world.report, "refunds");
    // As a person would: an index of long ago, and a branch that has moved since.
    const file = world.baseMetaFile("report", "main");
    const meta = JSON.parse(readFileSync(file, "utf8")) as object;
    writeFileSync(file, JSON.stringify({ ...meta, last_indexed_at: "2020-01-01T00:00:00Z" }));
    push(world.report, "main");
    await ends(world, 0, ["pr-sync"]);
    recorded(world, "base:report:main", "fresh", "WENT_STALE", "stale");
    recorded(world, "base:report:main", "stale", "REFRESH", "refreshing");
    baseIs(world, "main", "fresh", { last_indexed_sha: world.report.sha("main"), created_by: "user" });
    assert.equal(stands(world, url, "ready").prep_used_base?.sha, world.report.sha("main"));

    const seeds = async (state: "refreshing" | "stale" | "failed"): Promise<void> => {
      push(world.report, "refunds");
      await ends(world, 0, ["pr-queue", "update", url]);
      const { body } = await ends(world, 0, ["pr-task", "prepare", url]);
      assert.equal(body.used_base?.branch, "main");
      baseIs(world, "main", state);
      recorded(world, "base:report:main", state, "USED", state);
    };
    push(world.report, "main");
    await world.killed(update("main"), "base.started:1:kill");
    await seeds("refreshing");
    await ends(world, 0, ["pr-sync", "--plan-only"]);
    await seeds("stale");
    await ends(world, 1, update("main"), "base.started:1:EIO");
    await seeds("failed");
    await ends(world, 0, update("main"));
    recorded(world, "base:report:main", "failed", "REFRESH", "refreshing");
    baseIs(world, "main", "fresh", { error: null, last_indexed_sha: world.report.sha("main") });

    await world.killed(update("main"), "base.started:1:kill");
    await ends(world, 0, ["pr-sync", "--plan-only"]);
    loseIndex(world, "main");
    await ends(world, 0, update("main"));
    recorded(world, "base:report:main", "stale", "LOST", "missing");
    await ends(world, 1, update("main"), "base.started:1:EIO");
    loseIndex(world, "main");
    await ends(world, 0, update("main"));
    recorded(world, "base:report:main", "failed", "LOST", "missing");
    baseIs(world, "main", "fresh", { created_by: "user" });
  });

/** Auto bases are promoted in every state; a base never goes back. */
export const baseThatIsPromoted: Chapter = (program) =>
  inWorld(program, async (world) => {
    await registered(world, ["a", "b", "c", "d", "e"]);
    const isUsers = async (branch: string, state: Parameters<typeof baseIs>[2]): Promise<void> => {
      await ends(world, 0, promote(branch));
      baseIs(world, branch, state, { created_by: "user" });
    };
    for (const branch of ["a", "b", "c"]) await ends(world, 0, addAuto(branch));
    await world.killed(update("a"), "base.started:1:kill");
    await world.killed(update("b"), "base.started:1:kill");
    await isUsers("a", "refreshing");
    await ends(world, 0, ["pr-sync", "--plan-only"]);
    await isUsers("b", "stale");
    await world.killed(remove("c"), "base.expired:1:kill");
    baseIs(world, "c", "expired", { created_by: "auto" });
    await isUsers("c", "stale");
    await ends(world, 1, addAuto("d"), "base.started:1:EIO");
    await world.killed(remove("d"), "base.expired:1:kill");
    baseIs(world, "d", "expired", { last_indexed_sha: null });
    await isUsers("d", "failed");
    await ends(world, 1, addAuto("e"), "base.started:1:EIO");
    await isUsers("e", "failed");
  });

/** Auto bases expire from every state; what cuts a deletion off, the next look at it settles. */
export const baseThatExpires: Chapter = (program) =>
  inWorld(program, async (world) => {
    await registered(world, ["a", "b", "c", "d"]);
    const isGone = (branch: string): void =>
      assert.equal(existsSync(world.baseFolder("report", branch)), false, `${branch} is still there`);
    for (const branch of ["a", "b", "c"]) await ends(world, 0, addAuto(branch));
    await world.killed(update("a"), "base.started:1:kill");
    await ends(world, 0, ["pr-sync", "--plan-only"]);
    baseIs(world, "a", "stale");
    await ends(world, 0, remove("a"));
    isGone("a");
    recorded(world, "base:report:a", "stale", "EXPIRE", "expired");

    await world.killed(remove("b"), "base.expired:1:kill");
    await ends(world, 0, update("b"));
    recorded(world, "base:report:b", "expired", "KEEP", "stale");
    baseIs(world, "b", "fresh");
    await world.killed(remove("b"), "base.expired:1:kill");
    loseIndex(world, "b");
    await ends(world, 0, update("b"));
    recorded(world, "base:report:b", "expired", "LOST", "missing");
    baseIs(world, "b", "fresh", { created_by: "auto" });

    await ends(world, 1, remove("b"), "base.deleting:1:EIO");
    assert.match(baseIs(world, "b", "expired").error ?? "", /base\.deleting/);
    await world.killed(remove("b"), "base.deleting:1:kill");
    baseIs(world, "b", "deleting");
    await ends(world, 0, ["pr-sync", "--plan-only"]);
    baseIs(world, "b", "expired");
    await ends(world, 0, remove("b"));
    isGone("b");

    await ends(world, 1, update("c"), "base.started:1:EIO");
    await ends(world, 0, remove("c"));
    recorded(world, "base:report:c", "failed", "EXPIRE", "expired");
    isGone("c");
    await ends(world, 1, addAuto("d"), "base.started:1:EIO");
    await world.killed(remove("d"), "base.expired:1:kill");
    await ends(world, 0, update("d"));
    recorded(world, "base:report:d", "expired", "KEEP", "missing");
    baseIs(world, "d", "fresh", { created_by: "auto" });
  });
