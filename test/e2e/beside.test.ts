import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ended } from "../cli/support/program.ts";
import { ends } from "./scenario/support.ts";
import { fillSmall, World } from "./support/world.ts";

// Whole processes on a machine that may be busy with others.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

let world: World;
beforeEach(async () => {
  world = new World();
  await fillSmall(world);
});
afterEach(() => world.remove());

describe("beside a running sync", () => {
  it("a second one is refused, and preparations keep to slots and task locks", async () => {
    const child = world.start(["pr-sync", "--json", "--prepare-jobs", "1"]);
    const end = ended(child);
    // The first preparation is the lone PR; stopped, the sync holds its task and one slot for as long as we like.
    await world.happened(child, (event) => event.machine === "prep" && event.event === "START");
    child.kill("SIGSTOP");
    const busy = world.rows().find((row) => row.prep_status === "preparing");
    const waiting = world.rows().find((row) => row.prep_status === "waiting_for_base");
    if (busy === undefined || waiting === undefined) throw new Error("nothing is at work");

    const second = await ends(world, 2, ["pr-sync"]);
    expect(second.body.error).toMatchObject({ tag: "Refused" });
    expect(second.body.error.message).toContain(`pid ${child.pid}`);

    const same = await ends(world, 2, ["pr-task", "prepare", busy.pr_url, "--jobs", "2"]);
    expect(same.body).toMatchObject({ outcome: "skipped" });
    expect(same.body.error).toMatch(/another process/);
    const other = await ends(world, 0, ["pr-task", "prepare", waiting.pr_url, "--jobs", "2"]);
    expect(other.body.outcome).toBe("prepared");

    child.kill("SIGCONT");
    const { code, stdout } = await end;
    expect(code).toBe(0);
    expect(JSON.parse(stdout).summary).toMatchObject({ ready: 3, failed: 0 });
    expect(world.rows().map((row) => row.prep_status)).toEqual(["ready", "ready", "ready"]);
    const starts = world.events().filter((event) => event.event === "START" && event.machine === "prep");
    expect(starts.map((event) => event.actor).sort()).toEqual([...new Set(starts.map((event) => event.actor))].sort());
  });
});
