import { run as claim } from "../commands/prQueueClaim.ts";
import { run as heartbeat } from "../commands/prQueueHeartbeat.ts";
import { run as release } from "../commands/prQueueRelease.ts";
import { run as setStatus } from "../commands/prQueueSetStatus.ts";
import type { VerbModule } from "../verb.ts";
import type { lightVerbs } from "./lightVerbs.ts";

export { runVerb } from "../run.ts";

/** The verbs of the bundle `write`. */
export const verbs: Readonly<Record<(typeof lightVerbs.write)[number], VerbModule>> = {
  "pr-queue claim": { run: claim },
  "pr-queue heartbeat": { run: heartbeat },
  "pr-queue release": { run: release },
  "pr-queue set-status": { run: setStatus },
};
