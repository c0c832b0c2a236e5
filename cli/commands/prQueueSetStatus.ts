import * as Effect from "effect/Effect";
import { setStatus } from "../../effects/queue/claims.ts";
import { identityKey } from "../../src/names.ts";
import { queueEngineLayer } from "../layers/queueEngine.ts";
import type { VerbModule } from "../verb.ts";
import { actionText } from "./prQueueClaimText.ts";
import { claimCaller, namedRow } from "./prQueueInput.ts";
import { statusOf } from "./prQueueStatus.ts";

/** `pr-queue set-status PR STATUS`: canonical statuses only. */
export const run: VerbModule["run"] = (input) =>
  Effect.gen(function* () {
    const status = yield* statusOf(input.args.at(-1) ?? "");
    const caller = yield* claimCaller(input);
    const row = yield* namedRow(input, input.args.slice(0, -1));
    const done = yield* setStatus(identityKey(row), caller, status);
    return { json: done, text: actionText(done) };
  }).pipe(Effect.provide(queueEngineLayer));
