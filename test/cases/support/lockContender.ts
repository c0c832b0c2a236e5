// Waits for lines on stdin: DATA_HOME MECHANISM. For each it takes the lock `queue`, holds it for 15 ms and prints when
// it had it, from and to, in nanoseconds of the machine's monotonic clock.
import { createInterface } from "node:readline";
import * as Effect from "effect/Effect";
import { Locks } from "../../../effects/store/Locks.ts";
import { storeLayer } from "../../crash/storeHarness.ts";

const [, , data = "", mechanism = ""] = process.argv;
const hold = Effect.gen(function* () {
  const from = process.hrtime.bigint();
  yield* Effect.sleep(15);
  return { from, to: process.hrtime.bigint() };
});
const program = Effect.gen(function* () {
  const locks = yield* Locks;
  process.stdout.write("up\n");
  for (const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator](); ; ) {
    const { done } = yield* Effect.promise(() => lines.next());
    if (done === true) return;
    const { from, to } = yield* locks.withLock("queue", { deadlineMs: 10_000, verb: "adk contender" }, hold);
    process.stdout.write(`${from} ${to}\n`);
  }
});
await Effect.runPromise(
  Effect.provide(program, storeLayer(data, mechanism === "epoch-chain" ? "epoch-chain" : "fs-native-extensions")),
);
