import * as Effect from "effect/Effect";
import { mayEnd } from "../../effects/queue/claimRules.ts";
import { release } from "../../effects/queue/claims.ts";
import { Terminal } from "../../effects/terminal/Terminal.ts";
import { Refused } from "../../src/errors.ts";
import { identityKey } from "../../src/names.ts";
import type { QueueRow } from "../../src/queue/row.ts";
import { queueEngineLayer } from "../layers/queueEngine.ts";
import type { VerbInput, VerbModule } from "../verb.ts";
import { actionText } from "./prQueueClaimText.ts";
import { claimCaller, namedRow } from "./prQueueInput.ts";
import { leaseClock } from "./prQueueRows.ts";
import { statusOf } from "./prQueueStatus.ts";

/** Asks before somebody else's live claim is ended; everything else needs no question. */
const confirmForce = (input: VerbInput, row: QueueRow) =>
  Effect.gen(function* () {
    const terminal = yield* Terminal;
    const refused = mayEnd(row, yield* claimCaller(input), yield* leaseClock);
    if (refused === null) return;
    const question = `End the live claim of run ${row.claim?.run_id ?? "unknown"} on ${row.pr_url}?`;
    if (yield* terminal.confirm(question)) return;
    return yield* new Refused({ message: "nothing was released", hint: "answer yes, or pass -y" });
  });

/** `pr-queue release`: gives a claim back, with the status that the review ended with. */
export const run: VerbModule["run"] = (input) =>
  Effect.gen(function* () {
    const word = input.flags.flag("status");
    const status = word === undefined ? null : yield* statusOf(word);
    const force = input.flags.bool("force");
    const caller = yield* claimCaller(input);
    const row = yield* namedRow(input);
    if (force) yield* confirmForce(input, row);
    const done = yield* release(identityKey(row), caller, { status, force });
    return { json: done, text: actionText(done) };
  }).pipe(Effect.provide(queueEngineLayer));
