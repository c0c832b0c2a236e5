import type { VerbSpec } from "../verb.ts";
import { dryRun, prArgument, prFlags } from "./shared.ts";

const url = "https://github.com/acme/storefront-bff/pull/1234";

export const prTaskVerbs: ReadonlyArray<VerbSpec> = [
  {
    path: ["pr-task", "prepare"],
    summary: "Make a PR ready for review: worktree, diff, index and precis",
    args: [prArgument],
    flags: [
      ...prFlags,
      { name: "all", type: "boolean", describe: "every row of the queue that is not prepared" },
      { name: "no-base-seed", type: "boolean", describe: "index from scratch instead of from the base's index" },
      { name: "rebuild", type: "boolean", describe: "prepare again even at an unchanged head" },
      { name: "jobs", type: "integer", value: "N", min: 1, describe: "PRs prepared at once with --all" },
      {
        name: "embed-model",
        type: "string",
        value: "M",
        describe: "embedding model for this index",
      },
      {
        name: "scope",
        type: "string",
        multiple: true,
        value: "GLOB",
        describe: "index only these paths; may be repeated",
      },
    ],
    examples: [`adk pr-task prepare ${url}`, "adk pr-task prepare --all --jobs 2"],
    load: () => import("../commands/prTaskPrepare.ts"),
  },
  {
    path: ["pr-task", "info"],
    summary: "Say where a PR's task folder is and what is in it",
    args: [prArgument],
    flags: prFlags,
    examples: ["adk pr-task info acme/storefront-bff#1234 --json"],
    load: () => import("../commands/prTaskInfo.ts"),
  },
  {
    path: ["pr-task", "list"],
    summary: "List task folders",
    args: [],
    flags: [{ name: "paths", type: "boolean", describe: "print paths alone, one a line" }],
    examples: ["adk pr-task list", "adk pr-task list --paths"],
    load: () => import("../commands/prTaskList.ts"),
  },
  {
    path: ["pr-task", "clean-orphans"],
    summary: "Remove task folders that no row of the queue owns",
    args: [],
    flags: [dryRun],
    examples: ["adk pr-task clean-orphans --dry-run"],
    load: () => import("../commands/prTaskCleanOrphans.ts"),
  },
];
