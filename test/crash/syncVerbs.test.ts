import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { identityKey } from "../../src/names.ts";
import { must, World } from "../e2e/support/world.ts";

const calls = process.env.ADK_TEST_LONG === "1" ? 400 : 50;
const heads = 6;

interface Call {
  readonly name: string;
  readonly args: ReadonlyArray<string>;
  /** The status that an acknowledged call gave to the row. */
  readonly status?: string;
  readonly adds?: string;
}

let world: World;
beforeAll(async () => {
  world = new World();
  for (let index = 0; index < heads; index += 1) {
    world.report.commit({
      branch: `head-${index}`,
      from: "main",
      message: `Head ${index}`,
      files: { [`f${index}.py`]: "x = 1\n" },
    });
  }
  await must(world, ["pr-queue", "add", "--local", world.report.dir, "--head", "refunds"]);
});
afterAll(() => world.remove());

const subject = "local:report#1";
const statuses = ["reviewed", "comments", "approved", "pending"] as const;

const pickCall = (step: number): Call => {
  const status = statuses[step % statuses.length] ?? "pending";
  const head = `head-${Math.floor(step / 5) % heads}`;
  const all: ReadonlyArray<Call> = [
    { name: "add", args: ["pr-queue", "add", "--local", world.report.dir, "--head", head], adds: head },
    { name: "set-status", args: ["pr-queue", "set-status", subject, status], status },
    { name: "update", args: ["pr-queue", "update", "--all"] },
    { name: "sync", args: ["pr-sync"] },
    { name: "release", args: ["pr-queue", "release", subject, "--force", "-y"] },
    { name: "claim", args: ["pr-queue", "claim", subject, "--force"], status: "in_review" },
  ];
  return all[Math.floor(Math.random() * all.length)] ?? all[0] ?? { name: "", args: [] };
};

/** Highest number of file operations after which a call of the verb is killed; some then end before that. */
const reach: Readonly<Record<string, number>> = { sync: 400 };

/** Three of four kills fall into the first third, so that enough calls live until then whatever chance says. */
const killPoint = (verb: string): number => {
  const most = reach[verb] ?? 60;
  return 1 + Math.floor(Math.random() * (Math.random() < 0.75 ? most / 3 : most));
};

describe(`${calls} writing verbs, most of them killed`, () => {
  it("lose nothing that was acknowledged and leave a queue that every reader can read", {
    timeout: 1_200_000,
  }, async () => {
    const ledger = join(world.dir, "ledger.jsonl");
    const added = new Set<string>();
    /** Statuses that the subject may have: the last acknowledged one, and those of calls killed since. */
    let possible = new Set<string>([world.row(subject).status]);
    let killed = 0;
    for (let step = 0; step < calls; step += 1) {
      const call = pickCall(step);
      const point = killPoint(call.name);
      appendFileSync(ledger, `${JSON.stringify({ step, call: call.name, point })}\n`);
      const end = await world.run(call.args, { NODE_ENV: "test", ADK_FAULT: `*:${point}:kill` });
      const context = `step ${step}: ${call.name} killed at operation ${point}, see ${ledger}`;
      if (end.signal === "SIGKILL") killed += 1;
      else expect([0, 2], `${context}: ${end.stderr}`).toContain(end.code);
      const acknowledged = end.code === 0;
      if (call.adds !== undefined && acknowledged) added.add(call.adds);
      if (call.status !== undefined && acknowledged) possible = new Set([call.status]);
      else if (call.status !== undefined && end.signal !== null) possible.add(call.status);
      const rows = world.rows();
      expect(new Set(rows.map(identityKey)).size, context).toBe(rows.length);
      for (const head of added)
        expect(
          rows.map((row) => row.head_ref),
          context,
        ).toContain(head);
      // A released claim puts a row back to where it was; a sync and an update leave the status alone.
      if (call.name === "release") possible.add("pending");
      const { status } = world.row(subject);
      expect([...possible], context).toContain(status);
    }
    expect(killed).toBeGreaterThan(calls / 4);

    await must(world, ["pr-sync"]);
    expect(world.rows().map((row) => row.prep_status)).toEqual(world.rows().map(() => "ready"));
    const folder = dirname(join(world.data, "config", "pr-queue.json5"));
    expect(readdirSync(folder).filter((name) => name.endsWith(".tmp"))).toEqual([]);
    expect(readFileSync(ledger, "utf8").trimEnd().split("\n")).toHaveLength(calls);
  });
});
