import { resolve } from "node:path";
import * as Effect from "effect/Effect";
import * as Either from "effect/Either";
import { QueueStore } from "../../effects/store/QueueStore.ts";
import { Terminal } from "../../effects/terminal/Terminal.ts";
import { Refused } from "../../src/errors.ts";
import { counted } from "../../src/text/counted.ts";
import { terminalCell } from "../../src/text/sanitize.ts";
import { queueLayer } from "../layers/queue.ts";
import type { VerbModule } from "../verb.ts";

/** A queue that can be read is about to be replaced by an older one: that is asked first. */
const confirmReadable = Effect.gen(function* () {
  const store = yield* QueueStore;
  const terminal = yield* Terminal;
  const current = yield* Effect.either(store.read);
  if (Either.isLeft(current) || current.right.prs.length === 0) return;
  const rows = current.right.prs.length;
  if (yield* terminal.confirm(`The queue can be read (${counted(rows, "row")}). Put an older copy in its place?`))
    return;
  return yield* new Refused({ message: "nothing was restored", hint: "answer yes, or pass -y" });
});

/** `pr-queue restore`: the last-good queue back in place, the broken one kept beside it. */
export const run: VerbModule["run"] = (input) =>
  Effect.gen(function* () {
    const store = yield* QueueStore;
    const from = input.flags.flag("from");
    yield* confirmReadable;
    const { restored, keptBroken } = yield* store.restore(from === undefined ? {} : { from: resolve(from) });
    const kept = keptBroken === null ? "" : `; the broken one is kept as ${keptBroken}`;
    return {
      json: { action: "restored", restored, kept_broken: keptBroken },
      text: terminalCell(`restored from ${restored}${kept}`),
    };
  }).pipe(Effect.provide(queueLayer));
