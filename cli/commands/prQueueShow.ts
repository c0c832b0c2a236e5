import * as Effect from "effect/Effect";
import { Log } from "../../effects/log/Log.ts";
import { QueueStore } from "../../effects/store/QueueStore.ts";
import { eligibility } from "../../src/queue/eligibility.ts";
import { showDocument, showText } from "../../src/queue/viewShow.ts";
import { queueLayer } from "../layers/queue.ts";
import type { VerbModule } from "../verb.ts";
import { onePr, rowOf } from "./prQueueInput.ts";
import { leaseClock, viewOf } from "./prQueueRows.ts";

/** `pr-queue show`: one row with its eligibility and its lock; lock-free. */
export const run: VerbModule["run"] = (input) =>
  Effect.gen(function* () {
    const log = yield* Log;
    const store = yield* QueueStore;
    const pr = yield* onePr(input);
    const { queue, banner } = yield* store.readOrLastGood;
    if (banner !== null) yield* log.warn(banner);
    const view = viewOf(yield* rowOf(queue, pr), yield* leaseClock);
    const detail = { ...view, rules: eligibility(view.row, { leaseHeld: view.lock.held }) };
    return { json: showDocument(detail), text: showText(detail) };
  }).pipe(Effect.provide(queueLayer));
