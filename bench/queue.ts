import * as Effect from "effect/Effect";
import * as Either from "effect/Either";
import * as Layer from "effect/Layer";
import { queueLayer } from "../cli/layers/queue.ts";
import { layer as homeLayer } from "../effects/home/Home.ts";
import { QueueStore } from "../effects/store/QueueStore.ts";
import type { Bench, Section } from "./Bench.ts";
import { atMost, type BenchRow, figure } from "./BenchRow.ts";
import { runChild } from "./children.ts";
import { adkCommand, nodeMillis } from "./program.ts";
import { editedQueueHome, preparedRows, queueHome } from "./queueHome.ts";
import { median } from "./statistics.ts";

/** Whole processes, the first one not counted. */
const listMillis = (bench: Bench, home: string, runs: number): ReadonlyArray<number> =>
  Array.from({ length: runs + 1 }, () => nodeMillis(bench, adkCommand(bench, ["pr-queue", "list"]), { home })).slice(1);

/** Each run claims another row: a claimed one is not free again. */
const claimMillis = (bench: Bench, home: string, runs: number): ReadonlyArray<number> =>
  Array.from({ length: runs + 1 }, (_, i) =>
    nodeMillis(bench, adkCommand(bench, ["pr-queue", "claim", `https://github.com/acme/shop/pull/${i + 5}`]), { home }),
  ).slice(1);

const best = (millis: ReadonlyArray<number>): string => `best ${Math.round(Math.min(...millis))} ms`;

interface WriteInput {
  readonly home: string;
  readonly writes: number;
}

/** Changes one row after the other, each change awaited: reading, encoding, fsync and rename are all in it. */
export const writesPerSecond = ({ home, writes }: WriteInput): Promise<number> => {
  const program = Effect.gen(function* () {
    const store = yield* QueueStore;
    const bump = (i: number) =>
      store.transact((queue) => {
        const at = i % queue.prs.length;
        const row = queue.prs[at];
        if (row === undefined) return Either.left(new Error("the queue is empty"));
        const prs = queue.prs.with(at, { ...row, prep_attempts: row.prep_attempts + 1 });
        return Either.right({ queue: { ...queue, prs }, result: undefined });
      });
    yield* bump(0);
    const started = performance.now();
    for (let i = 0; i < writes; i++) yield* bump(i);
    return writes / ((performance.now() - started) / 1000);
  });
  const layer = Layer.provide(queueLayer, homeLayer({ env: { ADK_DATA_HOME: home } }));
  return Effect.runPromise(Effect.provide(program, layer));
};

const writeRate = async (bench: Bench, rows: number): Promise<BenchRow> => {
  const home = queueHome(bench, `writes-${rows}`, preparedRows(rows));
  const input: WriteInput = { home, writes: bench.quick ? 40 : 300 };
  const { result } = await runChild<number>(bench, "writes", input);
  return figure({ name: `store, ${rows} rows`, value: result, unit: "durable changes/s", note: "one after the other" });
};

/** The queue through the real CLI, whole processes, and the store under it. */
export const queue: Section = async (bench) => {
  const runs = bench.quick ? 2 : 9;
  const large = preparedRows(10_000);
  const small = queueHome(bench, "queue-1000", preparedRows(1000));
  const home = queueHome(bench, "queue-10000", large);
  const edited = editedQueueHome(bench, "queue-edited", large);
  const [list, claim] = [listMillis(bench, home, runs), claimMillis(bench, home, runs)];
  const claimSmall = claimMillis(bench, small, runs);
  const listEdited = listMillis(bench, edited, bench.quick ? 1 : 3);
  const process = "s, whole process";
  return [
    atMost(0.8, { name: "list, 10,000 rows", value: median(list) / 1000, unit: process, note: best(list) }),
    atMost(1.2, { name: "claim, 10,000 rows", value: median(claim) / 1000, unit: process, note: best(claim) }),
    atMost(300, {
      name: "claim, 1,000 rows",
      value: median(claimSmall),
      unit: "ms, whole process",
      note: best(claimSmall),
    }),
    figure({
      name: "list, 10,000 rows edited by hand",
      value: median(listEdited) / 1000,
      unit: process,
      note: `every row is checked, ${best(listEdited)}`,
    }),
    await writeRate(bench, 100),
    await writeRate(bench, 1000),
  ];
};
