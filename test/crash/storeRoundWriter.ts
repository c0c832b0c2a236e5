// Contends for one lock a round: DATA_HOME PROBE_FOLDER MECHANISM [HOLD]. With HOLD it takes the locks of that many
// rounds and keeps them until it is killed; else it takes the lock of each round whose number comes on stdin.
import { closeSync, openSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import * as Stream from "effect/Stream";
import { isCode } from "../../effects/store/fileOps.ts";
import { Locks } from "../../effects/store/Locks.ts";
import { storeLayer } from "./storeHarness.ts";

const [, , data = "", probes = "", mechanism = "", hold = "0"] = process.argv;
const say = (line: string) => Effect.sync(() => void process.stdout.write(`${line}\n`));

const keepAll = Effect.gen(function* () {
  const locks = yield* Locks;
  for (let round = 1; round <= Number(hold); round += 1) yield* locks.acquire(`round-${round}`, { verb: "adk holder" });
  yield* say("held");
  setInterval(() => undefined, 1_000);
  yield* Effect.never;
});

/** Inside the lock: a file that only one may have made, kept over some turns of the event loop. */
const inside = (round: string) =>
  Effect.gen(function* () {
    const probe = join(probes, round);
    const alone = yield* Effect.sync(() => {
      try {
        closeSync(openSync(probe, "wx"));
        return true;
      } catch (error) {
        if (isCode(error, "EEXIST")) return false;
        throw error;
      }
    });
    for (let turn = 0; turn < 5; turn += 1) yield* Effect.promise(() => new Promise((done) => setImmediate(done)));
    if (alone) yield* Effect.sync(() => unlinkSync(probe));
    return alone;
  });

const contend = Effect.gen(function* () {
  const locks = yield* Locks;
  yield* say("ready");
  const rounds = Stream.fromAsyncIterable(createInterface({ input: process.stdin }), String);
  yield* Stream.runForEach(rounds, (round) =>
    locks.withLock(`round-${round}`, { verb: "adk contender" }, inside(round)).pipe(
      Effect.match({
        onSuccess: (alone) => `${round} ${alone ? "alone" : "together"}`,
        onFailure: (failure) => `${round} ${failure.message}`,
      }),
      Effect.flatMap(say),
    ),
  );
});

const chosen: Effect.Effect<void, unknown, Locks | Scope.Scope> = Number(hold) > 0 ? keepAll : contend;
const layer = storeLayer(data, mechanism === "epoch-chain" ? "epoch-chain" : null);
await Effect.runPromise(Effect.scoped(Effect.provide(chosen, layer)));
