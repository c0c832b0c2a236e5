import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { addLocal, type CliOver, type Transition } from "../support/world.ts";
import { ends, inWorld, stands } from "./support.ts";

interface Run {
  readonly context: { readonly error: string | null; readonly completed_at: string | null };
  readonly actor: { readonly value: string; readonly pending: ReadonlyArray<unknown> };
}

const runOf = (cli: CliOver, runId: string): Run =>
  JSON.parse(readFileSync(join(cli.data, "runs", `${runId}.json5`), "utf8")) as Run;

const newestRun = (cli: CliOver): Run => {
  const names = readdirSync(join(cli.data, "runs")).filter((name) => name.endsWith(".json5"));
  const runs = names.map((name) => ({
    name,
    at: cli.events().findIndex((event) => name.includes(event.actor.slice(5))),
  }));
  const newest = runs.sort((a, b) => b.at - a.at)[0];
  return runOf(cli, (newest?.name ?? "").replace(/\.json5$/, ""));
};

const phases = ["discover", "plan", "work", "remind", "cleanup"] as const;

/** A sync that plans only, one that does everything, and one that fails or is interrupted in every phase. */
export const syncThatEnds = (program?: string): Promise<ReadonlyArray<Transition>> =>
  inWorld(program, async (world) => {
    await addLocal(world, world.report, "refunds");
    const planned = await ends(world, 0, ["pr-sync", "--plan-only"]);
    assert.equal(runOf(world, planned.body.run_id).actor.value, "done");
    assert.equal(world.plan().steps.find((step) => step.name === "prepare")?.status, "pending");
    stands(world, "local:report#1", "pending");

    for (const phase of phases) {
      await ends(world, 1, ["pr-sync", "--no-prepare"], `sync.${phase}:1:EIO`);
      const run = newestRun(world);
      assert.equal(run.actor.value, "failed", `failed in ${phase}`);
      assert.match(run.context.error ?? "", new RegExp(`sync\\.${phase}`));
      assert.notEqual(run.context.completed_at, null);
      assert.equal(world.plan().status, "failed");
    }
    for (const phase of phases) {
      await ends(world, 130, ["pr-sync", "--no-prepare"], `sync.${phase}:1:SIGTERM`);
      const run = newestRun(world);
      assert.equal(run.actor.value, "interrupted", `interrupted in ${phase}`);
      assert.deepEqual(run.actor.pending, []);
      assert.deepEqual([world.plan().status, world.plan().rc], ["interrupted", 130]);
    }

    const done = await ends(world, 0, ["pr-sync"]);
    assert.deepEqual([runOf(world, done.body.run_id).actor.value, done.body.summary.ready], ["done", 1]);
    stands(world, "local:report#1", "ready");
  });
