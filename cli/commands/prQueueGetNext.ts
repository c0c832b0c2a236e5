import * as Effect from "effect/Effect";
import { PullRequests } from "../../effects/platform/PullRequests.ts";
import { getNext, maxDropped } from "../../effects/queue/getNext.ts";
import { queueEngineLayer } from "../layers/queueEngine.ts";
import { queuePlatformLayer } from "../layers/queuePlatform.ts";
import type { VerbModule, VerbOutput } from "../verb.ts";
import { claimText } from "./prQueueClaimText.ts";
import { claimCaller } from "./prQueueInput.ts";

type Next = Effect.Effect.Success<ReturnType<typeof getNext>>;

const output = (next: Next): VerbOutput => {
  if (next.action === "claimed") return { json: next, text: claimText(next) };
  const dropped = next.dropped.length;
  const why = dropped === 0 ? "" : `; ${dropped} merged, closed or moved meanwhile`;
  const more = dropped === maxDropped ? ", run it again to look further" : "";
  return { json: next, text: `no eligible row${why}${more}` };
};

/** `pr-queue get-next`: claims the oldest eligible row, after asking its host unless `--no-validate`. */
export const run: VerbModule["run"] = (input) => {
  const unchecked = Effect.flatMap(claimCaller(input), (caller) => getNext(caller, { validate: null }));
  const checked = Effect.gen(function* () {
    const pulls = yield* PullRequests;
    return yield* getNext(yield* claimCaller(input), { validate: pulls.metadata });
  });
  return input.flags.bool("no-validate")
    ? Effect.map(unchecked, output).pipe(Effect.provide(queueEngineLayer))
    : Effect.map(checked, output).pipe(Effect.provide(queuePlatformLayer(input.env)));
};
