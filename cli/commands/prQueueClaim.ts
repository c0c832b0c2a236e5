import * as Effect from "effect/Effect";
import { claim } from "../../effects/queue/claims.ts";
import { identityKey } from "../../src/names.ts";
import { queueEngineLayer } from "../layers/queueEngine.ts";
import type { VerbModule } from "../verb.ts";
import { claimText } from "./prQueueClaimText.ts";
import { claimCaller, namedRow } from "./prQueueInput.ts";

/** `pr-queue claim`: takes the review lock of one row and prints the token that proves it. */
export const run: VerbModule["run"] = (input) =>
  Effect.gen(function* () {
    const caller = yield* claimCaller(input);
    const row = yield* namedRow(input);
    const claimed = yield* claim(identityKey(row), caller, { force: input.flags.bool("force") });
    return { json: claimed, text: claimText(claimed) };
  }).pipe(Effect.provide(queueEngineLayer));
