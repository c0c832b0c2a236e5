import type { VerbSpec } from "../verb.ts";
import { dryRun } from "./shared.ts";

export const prSyncVerbs: ReadonlyArray<VerbSpec> = [
  {
    path: ["pr-sync"],
    summary: "Refresh the queue, index the bases it needs and prepare every PR",
    args: [],
    flags: [
      { name: "no-scan", type: "boolean", describe: "do not look for new PRs" },
      { name: "no-remind", type: "boolean", describe: "send no reminders" },
      { name: "no-prepare", type: "boolean", describe: "prepare nothing" },
      { name: "no-clean", type: "boolean", describe: "remove nothing at the end" },
      { name: "base-jobs", type: "integer", value: "N", min: 1, describe: "bases built at once" },
      { name: "prepare-jobs", type: "integer", value: "N", min: 1, describe: "PRs prepared at once" },
      { name: "rebuild", type: "boolean", describe: "prepare again even at an unchanged head" },
      dryRun,
      { name: "plan-only", type: "boolean", describe: "stop when the plan is made and print it" },
    ],
    examples: ["adk pr-sync", "adk pr-sync --plan-only --json", "adk pr-sync --no-scan --prepare-jobs 2"],
    load: () => import("../commands/prSync.ts"),
  },
];
