import { cpSync, readdirSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { endState, leftovers } from "../e2e/support/endState.ts";
import { type CliOver, fillSmall, must, World } from "../e2e/support/world.ts";

// Whole processes on a machine that may be busy with others.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const long = process.env.ADK_TEST_LONG === "1";

type Kill = readonly [point: string, passing: number];

/** Kills that follow each other over one data home, each further into the work than the one before. */
const chains: ReadonlyArray<ReadonlyArray<Kill>> = [
  [
    ["sync.discover", 1],
    ["sync.plan", 1],
    ["base.started", 1],
    ["base.indexed", 1],
    ["base.built", 1],
  ],
  [
    ["sync.work", 1],
    ["sync.entered", 1],
    ["prepare.started", 1],
    ["prepare.begun", 1],
    ["prepare.overlaid", 1],
  ],
  [
    ["prepare.swapping", 1],
    ["prepare.written", 1],
    ["prepare.settled", 1],
    ["sync.remind", 1],
  ],
];

const further: ReadonlyArray<Kill> = [
  ["sync.fetched", 1],
  ["sync.cleanup", 1],
  ["sync.done", 1],
  ["prepare.started", 2],
  ["prepare.started", 3],
  ["prepare.begun", 3],
  ["prepare.indexed", 1],
  ["prepare.indexed", 3],
  ["prepare.overlaid", 3],
  ["prepare.swapping", 2],
  ["prepare.settled", 2],
  ["prepare.settled", 3],
];
/** In the long run every kill is also the only one. */
const runs = long ? [...chains, ...[...chains.flat(), ...further].map((kill) => [kill])] : chains;

let world: World;
let undisturbed: ReturnType<typeof endState>;
let start: string;

/** A data home that stands where the undisturbed one stood before its sync. */
const fresh = (name: string): CliOver => {
  const cli = world.sibling(name);
  cpSync(start, cli.data, { recursive: true });
  return cli;
};

beforeAll(async () => {
  world = new World();
  await fillSmall(world);
  start = join(world.dir, "start");
  cpSync(world.data, start, { recursive: true });
  await must(world, ["pr-sync"]);
  undisturbed = endState(world);
});
afterAll(() => world.remove());

describe("a sync that is killed and run again ends as if nothing had happened", () => {
  it.each(runs.map((kills) => [kills.map((kill) => kill.join(" ")).join(", "), kills] as const))(
    "killed at %s",
    { timeout: 300_000 },
    async (name, kills) => {
      const cli = fresh(name.replaceAll(/[^a-z0-9]+/g, "-"));
      for (const [point, passing] of kills) await cli.killed(["pr-sync"], `${point}:${passing}:kill`);
      const again = await must(cli, ["pr-sync"]);
      expect(again.body).toMatchObject({ status: "done", failed: [] });
      expect(endState(cli)).toEqual(undisturbed);
      expect(leftovers(cli)).toEqual([]);
    },
  );

  it("killed between the two renames of a base's swap", { timeout: 300_000 }, async () => {
    const cli = fresh("swap");
    await cli.killed(["pr-sync"], "base.indexed:1:kill");
    // What a kill right there leaves: the finished index under the name it had while it was put aside.
    const folder = cli.baseFolder("shop", "release/v2");
    const index = join(folder, "code-index");
    renameSync(index, `${index}.old-0-0`);
    await must(cli, ["pr-sync"]);
    expect(endState(cli)).toEqual(undisturbed);
    expect(readdirSync(dirname(index)).filter((name) => name.includes(".old"))).toEqual([]);
  });
});
