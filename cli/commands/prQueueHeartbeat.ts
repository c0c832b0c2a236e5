import * as Effect from "effect/Effect";
import { heartbeat } from "../../effects/queue/claims.ts";
import { identityKey } from "../../src/names.ts";
import { queueEngineLayer } from "../layers/queueEngine.ts";
import type { VerbModule } from "../verb.ts";
import { actionText } from "./prQueueClaimText.ts";
import { claimCaller, namedRow } from "./prQueueInput.ts";

/** `pr-queue heartbeat`: keeps a claim fresh; only for the holder of its token. */
export const run: VerbModule["run"] = (input) =>
  Effect.gen(function* () {
    const caller = yield* claimCaller(input);
    const row = yield* namedRow(input);
    const done = yield* heartbeat(identityKey(row), caller);
    return { json: done, text: actionText(done) };
  }).pipe(Effect.provide(queueEngineLayer));
