import { readdirSync } from "node:fs";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import * as Either from "effect/Either";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { QueueStore } from "../../effects/store/QueueStore.ts";
import { bundleProgram, makeHome, readLedger, start, storeLayer, type TestHome, testRow } from "./storeHarness.ts";

const turns = 25;
let program: Awaited<ReturnType<typeof bundleProgram>>;
let home: TestHome;
beforeAll(async () => {
  program = await bundleProgram("storeWriter.ts");
});
afterAll(() => program.remove());
beforeEach(() => {
  home = makeHome();
});
afterEach(() => home.remove());

/** Two writers of each of two data homes over one queue file; every change is counted in the writer's own row. */
const writeFromTwoHomes = async (queue: string, mechanism: "-" | "epoch-chain") => {
  const second = join(home.base, "second");
  const store = storeLayer(home.data, mechanism === "-" ? null : mechanism, queue);
  const seed = Effect.flatMap(QueueStore, ({ transact }) =>
    transact((now) => Either.right({ queue: { ...now, prs: [1, 2, 3, 4].map((n) => testRow(n)) }, result: null })),
  );
  await Effect.runPromise(Effect.provide(seed, store));
  const runs = [home.data, second, home.data, second].map((data, index) =>
    start(program.path, [data, home.ledger, String(index + 1), String(turns), mechanism, queue]),
  );
  for (const { code, stderr } of await Promise.all(runs.map(({ ended }) => ended)))
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(readLedger(home.ledger).filter(({ event }) => event === "ack")).toHaveLength(4 * turns);
  const read = Effect.flatMap(QueueStore, (found) => found.read);
  return Effect.runPromise(Effect.provide(read, store));
};

describe("processes of two data homes that write one queue", () => {
  it.each(["-", "epoch-chain"] as const)("outside of both (mechanism %s) lose nothing", async (mechanism) => {
    const queue = await writeFromTwoHomes(join(home.base, "shared.json5"), mechanism);
    expect(queue.prs.map((row) => row.prep_attempts)).toEqual(Array(4).fill(turns));
    expect(queue.rev).toBe(1 + 4 * turns);
    expect(readdirSync(home.base).sort()).toEqual(
      [".shared.json5.locks", "ledger", "shared.json5", "shared.json5.bak"].sort(),
    );
  });

  it("of one of them lose nothing, under that one's own lock", async () => {
    const queue = await writeFromTwoHomes(home.queue, "-");
    expect(queue.prs.map((row) => row.prep_attempts)).toEqual(Array(4).fill(turns));
    expect(readdirSync(join(home.data, "config")).sort()).toEqual(["pr-queue.json5", "pr-queue.json5.bak"]);
  });
});
