import type { ChildProcess } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import * as Effect from "effect/Effect";
import * as Either from "effect/Either";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Locks } from "../../effects/store/Locks.ts";
import type { MechanismName } from "../../effects/store/lockMechanism.ts";
import { QueueStore } from "../../effects/store/QueueStore.ts";
import {
  bundleProgram,
  makeHome,
  printed,
  readLedger,
  start,
  storeLayer,
  type TestHome,
  testRow,
} from "./storeHarness.ts";

const long = process.env.ADK_TEST_LONG === "1";
const rounds = long ? 300 : 40;
const contenders = 8;
const mechanisms: ReadonlyArray<MechanismName> = ["fs-native-extensions", "epoch-chain"];
let rounder: Awaited<ReturnType<typeof bundleProgram>>;
let writer: Awaited<ReturnType<typeof bundleProgram>>;
let home: TestHome;
let running: Array<ReturnType<typeof start>> = [];

beforeAll(async () => {
  rounder = await bundleProgram("storeRoundWriter.ts");
  writer = await bundleProgram("storeWriter.ts");
});
afterAll(() => {
  rounder.remove();
  writer.remove();
});
beforeEach(() => {
  home = makeHome();
});
afterEach(async () => {
  for (const { child } of running) child.kill("SIGKILL");
  await Promise.all(running.map(({ ended }) => ended));
  running = [];
  home.remove();
});

const launch = (program: string, args: ReadonlyArray<string>, stdin: "ignore" | "pipe" = "ignore") => {
  const started = start(program, args, {}, stdin);
  running.push(started);
  return started;
};

const lines = (child: ChildProcess): Interface => {
  if (child.stdout === null) throw new Error("no stdout");
  return createInterface({ input: child.stdout });
};

describe.each(mechanisms)(`${contenders} processes that want the lock of a dead holder (%s)`, (mechanism) => {
  it(`never have it together, in ${rounds} rounds, and each of them gets it`, { timeout: 600_000 }, async () => {
    const probes = join(home.base, "probes");
    mkdirSync(probes);
    const holder = launch(rounder.path, [home.data, probes, mechanism, String(rounds)]);
    await printed(holder.child, "held");
    const asking = Array.from({ length: contenders }, () =>
      launch(rounder.path, [home.data, probes, mechanism], "pipe"),
    );
    const answers = asking.map(({ child }) => lines(child)[Symbol.asyncIterator]());
    const answer = () => Promise.all(answers.map(async (each) => (await each.next()).value));
    expect(await answer()).toEqual(Array(contenders).fill("ready"));
    const said: Array<string> = [];
    for (let round = 1; round <= rounds; round += 1) {
      for (const { child } of asking) child.stdin?.write(`${round}\n`);
      // The first round meets a live holder that dies while all of them wait.
      if (round === 1) {
        holder.child.kill("SIGKILL");
        await holder.ended;
      }
      said.push(...(await answer()));
    }
    expect(said.filter((line) => !line.endsWith(" alone"))).toEqual([]);
    expect(said).toHaveLength(rounds * contenders);
    expect(readdirSync(probes)).toEqual([]);
  });
});

describe.each(mechanisms)("a writer that is stopped for longer than every wait of the protocol (%s)", (mechanism) => {
  it("and then goes on loses no update, its own or another's", { timeout: 120_000 }, async () => {
    const writers = 4;
    const turns = 20;
    const layer = storeLayer(home.data, mechanism);
    const seed = Effect.flatMap(QueueStore, ({ transact }) =>
      transact((queue) => Either.right({ queue: { ...queue, prs: [1, 2, 3, 4].map((n) => testRow(n)) }, result: 0 })),
    );
    await Effect.runPromise(Effect.provide(seed, layer));
    const started = Array.from({ length: writers }, (_, index) =>
      launch(writer.path, [home.data, home.ledger, String(index + 1), String(turns), mechanism]),
    );
    const holder = Effect.runPromise(
      Effect.provide(
        Effect.gen(function* () {
          const locks = yield* Locks;
          for (;;) {
            const found = started.find(({ child }) => child.exitCode === null && child.signalCode === null);
            if (found === undefined) return null;
            const named = yield* locks.holder("queue");
            const held = started.find(({ child }) => child.pid === named?.pid);
            if (held !== undefined) {
              held.child.kill("SIGSTOP");
              if ((yield* locks.holder("queue"))?.pid === held.child.pid) return held;
              held.child.kill("SIGCONT");
            }
            yield* Effect.promise(() => new Promise((done) => setImmediate(done)));
          }
        }),
        layer,
      ),
    );
    const stopped = await holder;
    expect(stopped).not.toBeNull();
    // Whoever is next in line keeps that place for a second at most; nothing else of the protocol runs out of time.
    const acks = () => readLedger(home.ledger).filter(({ event }) => event === "ack").length;
    const before = acks();
    await new Promise((done) => setTimeout(done, 2_500));
    expect(acks() - before).toBeLessThanOrEqual(1);
    stopped?.child.kill("SIGCONT");
    for (const { code, stderr } of await Promise.all(started.map(({ ended }) => ended)))
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const queue = await Effect.runPromise(
      Effect.provide(
        Effect.flatMap(QueueStore, ({ read }) => read),
        layer,
      ),
    );
    expect(queue.prs.map((row) => row.prep_attempts)).toEqual(Array(writers).fill(turns));
    expect(queue.rev).toBe(1 + writers * turns);
  });
});
