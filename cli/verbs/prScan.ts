import type { VerbSpec } from "../verb.ts";
import { dryRun } from "./shared.ts";

export const prScanVerbs: ReadonlyArray<VerbSpec> = [
  {
    path: ["pr-scan"],
    summary: "Find PRs in Slack channels and queue them",
    args: [],
    flags: [
      { name: "since-days", type: "integer", value: "N", min: 1, describe: "look this many days back" },
      { name: "since-hours", type: "integer", value: "N", min: 1, describe: "look this many hours back" },
      { name: "channels", type: "string", value: "A,B", describe: "these channels too, by name or id" },
      {
        name: "channels-only",
        type: "string",
        value: "A,B",
        describe: "these channels instead of the configured ones",
      },
      dryRun,
    ],
    examples: ["adk pr-scan", "adk pr-scan --since-hours 8 --channels-only '#reviews' --dry-run"],
    load: () => import("../commands/prScan.ts"),
  },
];
