import { run as completion } from "../commands/completion.ts";
import { run as configPath } from "../commands/configPath.ts";
import { run as configSet } from "../commands/configSet.ts";
import { run as configShow } from "../commands/configShow.ts";
import { run as prQueueList } from "../commands/prQueueList.ts";
import { run as prQueueShow } from "../commands/prQueueShow.ts";
import type { VerbModule } from "../verb.ts";
import type { lightVerbs } from "./lightVerbs.ts";

export { runVerb } from "../run.ts";

/** The verbs of the bundle `read`. */
export const verbs: Readonly<Record<(typeof lightVerbs.read)[number], VerbModule>> = {
  "pr-queue list": { run: prQueueList },
  "pr-queue show": { run: prQueueShow },
  "config path": { run: configPath },
  "config show": { run: configShow },
  "config set": { run: configSet },
  completion: { run: completion },
};
