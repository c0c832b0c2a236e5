import { cpSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { ended } from "../cli/support/program.ts";
import { endState, leftovers } from "../e2e/support/endState.ts";
import { type CliOver, fillSmall, must, type Transition, World } from "../e2e/support/world.ts";

// Whole processes on a machine that may be busy with others.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

let world: World;
let undisturbed: ReturnType<typeof endState>;
let start: string;

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

/** The snapshot of the last sync in runs/. */
const lastRun = (
  cli: CliOver,
): { readonly actor: { readonly value: string; readonly pending: ReadonlyArray<unknown> } } => {
  const name =
    readdirSync(join(cli.data, "runs"))
      .filter((file) => file.endsWith(".json5"))
      .sort()
      .at(-1) ?? "";
  return JSON.parse(readFileSync(join(cli.data, "runs", name), "utf8"));
};

const putBack = (cli: CliOver): void => {
  expect(cli.plan()).toMatchObject({ status: "interrupted", rc: 130 });
  expect(cli.plan().completed_at).not.toBeNull();
  expect(lastRun(cli).actor).toMatchObject({ value: "interrupted", pending: [] });
  expect(leftovers(cli)).toEqual([]);
  expect(cli.base("shop", "release/v2")?.state ?? "missing").not.toBe("building");
};

const converges = async (cli: CliOver): Promise<void> => {
  const again = await must(cli, ["pr-sync"]);
  expect(again.body).toMatchObject({ status: "done", failed: [], notes: [] });
  expect(endState(cli)).toEqual(undisturbed);
};

describe("a sync that is asked to stop", () => {
  const moments: ReadonlyArray<readonly [string, NodeJS.Signals, (event: Transition) => boolean]> = [
    ["while a base is built", "SIGTERM", (event) => event.event === "BUILD" && event.actor.endsWith("release/v2")],
    ["while a PR is prepared", "SIGINT", (event) => event.event === "START" && event.machine === "prep"],
    ["after the first PR is ready", "SIGTERM", (event) => event.event === "PREPARED"],
  ];
  it.each(moments)(
    "%s (%s) ends within 5 s, everything put back, and the next one makes it whole",
    async (name, signal, fits) => {
      const cli = fresh(name.replaceAll(" ", "-"));
      const child = cli.start(["pr-sync"]);
      const end = ended(child);
      await cli.happened(child, fits);
      const asked = performance.now();
      child.kill(signal);
      const { code } = await end;
      expect(code).toBe(130);
      expect(performance.now() - asked).toBeLessThan(5000);
      putBack(cli);
      await converges(cli);
    },
  );

  const points = ["sync.entered", "prepare.started", "prepare.indexed"];
  it.each(points)("at %s puts everything back", async (point) => {
    const cli = fresh(`at-${point}`);
    const { code } = await cli.run(["pr-sync"], { NODE_ENV: "test", ADK_FAULT: `${point}:1:SIGTERM` });
    expect(code).toBe(130);
    putBack(cli);
  });

  it("between a preparation's last step and its record loses nothing", async () => {
    const cli = fresh("at-settled");
    const { code } = await cli.run(["pr-sync"], { NODE_ENV: "test", ADK_FAULT: "prepare.settled:1:SIGTERM" });
    expect(code).toBe(130);
    expect(cli.rows().filter((row) => row.prep_status === "ready").length).toBeGreaterThanOrEqual(1);
    putBack(cli);
    await converges(cli);
  });
});
