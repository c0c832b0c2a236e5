// Holds a lock until it is killed: DATA_HOME NAME [MECHANISM] [child]. Prints `held` when it has it, and the pid of a
// detached child that it starts meanwhile when told to.
import { spawn } from "node:child_process";
import * as Effect from "effect/Effect";
import { Locks } from "../../effects/store/Locks.ts";
import { storeLayer } from "./storeHarness.ts";

const [, , data = "", name = "", mechanism = "", child] = process.argv;
const program = Effect.gen(function* () {
  const locks = yield* Locks;
  yield* locks.acquire(name, { verb: "adk holder" });
  if (child === "child") {
    const detached = spawn("sleep", ["60"], { detached: true, stdio: "ignore" });
    process.stdout.write(`child ${detached.pid}\n`);
  }
  process.stdout.write("held\n");
  const alive = setInterval(() => {}, 1_000);
  yield* Effect.ensuring(
    Effect.never,
    Effect.sync(() => clearInterval(alive)),
  );
});
await Effect.runPromise(
  Effect.scoped(Effect.provide(program, storeLayer(data, mechanism === "epoch-chain" ? "epoch-chain" : null))),
);
