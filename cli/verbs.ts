import type { VerbSpec } from "./verb.ts";
import { codeIndexVerbs } from "./verbs/codeIndex.ts";
import { completionVerbs } from "./verbs/completion.ts";
import { configVerbs } from "./verbs/config.ts";
import { demoVerbs } from "./verbs/demo.ts";
import { doctorVerbs } from "./verbs/doctor.ts";
import { prQueueVerbs } from "./verbs/prQueue.ts";
import { prScanVerbs } from "./verbs/prScan.ts";
import { prSyncVerbs } from "./verbs/prSync.ts";
import { prTaskVerbs } from "./verbs/prTask.ts";
import { repoVerbs } from "./verbs/repo.ts";

/** Every verb of adk, in the order help shows them. Parser, help, completion and docs/cli.md are made from this table. */
export const verbs: ReadonlyArray<VerbSpec> = [
  ...demoVerbs,
  ...prSyncVerbs,
  ...prScanVerbs,
  ...prQueueVerbs,
  ...prTaskVerbs,
  ...repoVerbs,
  ...codeIndexVerbs,
  ...doctorVerbs,
  ...configVerbs,
  ...completionVerbs,
];

/** What the groups of verbs are about, by the words before the last. */
export const groupSummaries: Readonly<Record<string, string>> = {
  "pr-queue": "The queue of PRs waiting for review",
  "pr-task": "Prepare PRs for review and look at what was prepared",
  repo: "Repositories and the indexed bases that PRs are prepared from",
  "repo branch": "The bases of one repository",
  "repo auto-bases": "Bases that pr-sync made by itself",
  index: "Search the index of a PR or of a base",
  config: "Read and change core.yaml",
};
