import * as Effect from "effect/Effect";
import type { LimitState } from "../network/HostLimits.ts";
import { type Check, type Finding, pass, warn } from "./finding.ts";

const findingOf = (state: LimitState): ReadonlyArray<Finding> => {
  const name = `limit ${state.key}`;
  if (state.blocked_until !== null)
    return [
      warn(name, `asks to wait until ${state.blocked_until}`, "nothing: adk waits by itself; run it again after that"),
    ];
  if (state.remaining === null || state.limit === null) return [];
  const until = state.reset_at === null ? "" : `, until ${state.reset_at}`;
  return [pass(name, `${state.remaining} of ${state.limit} requests left when last heard of${until}`)];
};

/** What the hosts said of their rate limits to any process of this data home. */
export const limitsCheck: Check = {
  name: "limits",
  run: ({ limits }) => Effect.map(limits, (states) => states.flatMap(findingOf)),
};
