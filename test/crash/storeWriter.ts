// A writer for the crash and contention series: DATA_HOME LEDGER_FOLDER WRITER COUNT [MECHANISM|-] [QUEUE].
// Logs each attempt before and each acknowledgement after it, outside the data home. COUNT 0: until it is killed.
import { existsSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import * as Either from "effect/Either";
import { QueueStore } from "../../effects/store/QueueStore.ts";
import type { QueueFile } from "../../src/queue/row.ts";
import { type LedgerLine, storeLayer, testRow } from "./storeHarness.ts";

const [, , data = "", folder = "", writerText = "", countText = "", mechanism, queue] = process.argv;
const writer = Number(writerText);
const count = Number(countText);
const path = join(folder, `${writer}.ledger`);
const before: ReadonlyArray<LedgerLine> = existsSync(path)
  ? readFileSync(path, "utf8")
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as LedgerLine)
  : [];
const ledger = openSync(path, "a");
const log = (line: LedgerLine): void => {
  writeSync(ledger, `${JSON.stringify(line)}\n`);
};

/** Each attempt counts its writer's row up to `seq`; every fifth adds a row, every fifth takes that row away again. */
const step = (queue: QueueFile, seq: number): QueueFile => {
  const counted = queue.prs.map((row) =>
    row.pr_number === writer ? { ...row, prep_attempts: count > 0 ? row.prep_attempts + 1 : seq } : row,
  );
  if (count > 0 || seq % 5 < 2) return { ...queue, prs: counted };
  const extra = writer * 1_000_000 + seq - (seq % 5);
  if (seq % 5 === 2) return { ...queue, prs: [...counted.filter((row) => row.pr_number !== extra), testRow(extra)] };
  return seq % 5 === 4
    ? { ...queue, prs: counted.filter((row) => row.pr_number !== extra) }
    : { ...queue, prs: counted };
};

const program = Effect.gen(function* () {
  const store = yield* QueueStore;
  const first = Math.max(0, ...before.map((line) => line.seq)) + 1;
  for (let seq = first; count === 0 || seq < first + count; seq += 1) {
    log({ event: "attempt", writer, seq });
    const start = performance.now();
    yield* store.transact((queue) => Either.right({ queue: step(queue, seq), result: null }));
    log({ event: "ack", writer, seq, waitedMs: performance.now() - start });
  }
});

await Effect.runPromise(
  Effect.provide(program, storeLayer(data, mechanism === "epoch-chain" ? "epoch-chain" : null, queue)),
);
