import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { QueueRow } from "../../src/queue/row.ts";
import { ends, push } from "./scenario/support.ts";
import { addLocal, type CliOver, fill, fillSmall, must, World } from "./support/world.ts";

// Whole processes on a machine that may be busy with others.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.remove());

/** Writes the queue as a person would, with one row changed. */
const edit = (cli: CliOver, change: (row: QueueRow) => QueueRow): void => {
  const prs = cli.rows().map(change);
  writeFileSync(join(cli.data, "config", "pr-queue.json5"), JSON.stringify({ schema_version: 4, rev: 99, prs }));
};

/** Overwrites the middle of every file below a folder. */
const garble = (folder: string): void => {
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const path = join(folder, name);
    if (statSync(path).isFile()) writeFileSync(path, "not what it was", { mode: 0o600 });
  }
};

describe("one bad PR or base never stops the others", () => {
  it("a base branch that vanished, and a head that was replaced by unrelated history", async () => {
    await fill(world);
    world.shop.deleteBranch("release/v2");
    world.report.deleteBranch("refunds");
    world.report.commit({ branch: "refunds", message: "From nothing", files: { "other.py": "x = 1\n" } });
    const { body } = await ends(world, 1, ["pr-sync"]);
    expect([...body.ready].sort()).toEqual(["local:shop#1", "local:shop#2"]);
    const failed = new Map<string, string>(
      body.failed.map((one: { pr_url: string; error: string }) => [one.pr_url, one.error]),
    );
    expect([...failed.keys()].sort()).toEqual(["local:report#1", "local:shop#3", "local:shop#4"]);
    for (const error of failed.values()) expect(error).not.toMatch(/internal error/);
    const base = world.plan().bases.find((one) => one.branch === "release/v2");
    expect(base).toMatchObject({ status: "failed", error: expect.stringMatching(/no branch release\/v2/) });
    for (const url of ["local:shop#3", "local:shop#4", "local:report#1"])
      expect(world.row(url)).toMatchObject({ prep_status: "failed", prep_attempts: 1 });
  });

  it("a base that cannot be built sends its PRs to tier 2, with the reason in the plan", async () => {
    await fillSmall(world);
    const { body } = await ends(world, 0, ["pr-sync"], "base.started:1:EIO");
    expect(body.summary).toMatchObject({ ready: 3, failed: 0, bases_built: 0 });
    const { bases, prs, notes, steps } = world.plan();
    expect(bases.find((base) => base.branch === "release/v2")).toMatchObject({
      status: "failed",
      action: "create_auto",
    });
    expect(bases.find((base) => base.branch === "release/v2")?.error).toMatch(/base\.started/);
    expect(prs.filter((pr) => pr.repo === "shop").map((pr) => [pr.initial_tier, pr.tier, pr.base])).toEqual([
      [1, 2, null],
      [1, 2, null],
    ]);
    expect(notes.join("\n")).toMatch(/release\/v2 could not be built; its PRs are indexed without it/);
    expect(steps.find((step) => step.name === "bases")?.status).toBe("warn");
    expect(world.rows().map((row) => row.prep_used_base)).toEqual([null, null, null]);
  });

  it("a clone whose objects are garbage, a base index that is garbage, and a branch-meta.json that is garbage", async () => {
    await fill(world);
    await must(world, ["pr-sync"]);
    push(world.report, "refunds");
    push(world.shop, "round");
    push(world.shop, "fix-a");
    garble(join(world.data, "repos", "report", "original-clone", "objects"));
    garble(join(world.baseFolder("shop", "main"), "code-index"));
    writeFileSync(world.baseMetaFile("shop", "release/v2"), "{ not json");
    const { body } = await ends(world, 1, ["pr-sync"]);
    expect(body.ready).toEqual(["local:shop#1", "local:shop#3"]);
    expect(body.failed.map((one: { pr_url: string }) => one.pr_url)).toEqual(["local:report#1"]);
    expect(body.failed[0].error).not.toMatch(/internal error/);
    const main = world.plan().bases.find((base) => base.repo === "shop" && base.branch === "main");
    expect(main).toMatchObject({ class: "missing", action: "refresh", created_by: "user", status: "ready" });
    expect(world.base("shop", "main")).toMatchObject({ created_by: "user", state: "fresh" });
    expect(world.row("local:shop#1").prep_used_base).toMatchObject({ branch: "main", created_by: "user" });
    expect(world.row("local:shop#3").prep_used_base).toBeNull();
    expect(body.notes.join("\n")).toMatch(/release\/v2 cannot be used/);
  });

  it("rows whose stored state cannot be read are quarantined", async () => {
    await fillSmall(world);
    edit(world, (row) => {
      const prep = { version: 1, seq: 3, value: "no-such-state", pending: [] };
      if (row.pr_url === "local:shop#1") return { ...row, actors: { prep } };
      if (row.pr_url === "local:report#1") return { ...row, prep_status: "preparing", actors: { prep } };
      return row;
    });
    const { body } = await ends(world, 1, ["pr-sync"]);
    expect(body.ready).toEqual(["local:shop#2"]);
    for (const url of ["local:shop#1", "local:report#1"]) {
      expect(world.row(url).status).toBe("error");
      expect(world.row(url).last_error).toMatch(/no-such-state/);
    }
  });

  it("a queue that cannot be read: exit 3, and nothing is touched", async () => {
    await addLocal(world, world.report, "refunds");
    const queue = join(world.data, "config", "pr-queue.json5");
    writeFileSync(queue, "{ prs: [ this is no queue");
    const content = () =>
      readdirSync(world.data, { recursive: true, encoding: "utf8" })
        .filter((name) => !name.startsWith("locks") && !name.includes("pr-queue.json5."))
        .map((name) => [name, statSync(join(world.data, name)).mtimeMs] as const)
        .filter(([name]) => statSync(join(world.data, name)).isFile());
    const before = content();
    const { body } = await ends(world, 3, ["pr-sync"]);
    expect(body.error.message).toMatch(/pr-queue\.json5/);
    expect(content()).toEqual(before);
    expect(readFileSync(queue, "utf8")).toBe("{ prs: [ this is no queue");
  });
});
