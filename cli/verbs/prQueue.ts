import type { VerbSpec } from "../verb.ts";
import { claimFlags, prArgument, prFlags, statusWords } from "./shared.ts";

const url = "https://github.com/acme/storefront-bff/pull/1234";

export const prQueueVerbs: ReadonlyArray<VerbSpec> = [
  {
    path: ["pr-queue", "list"],
    summary: "Show the queue as a table",
    args: [],
    flags: [
      { name: "status", type: "string", value: "S", choices: statusWords, describe: "only rows of this status" },
      { name: "ready", type: "boolean", describe: "only rows that are ready for review" },
      { name: "urls-only", type: "boolean", describe: "print URLs alone, one a line" },
    ],
    examples: ["adk pr-queue list --ready", "adk pr-queue list --status in_review --json"],
    load: () => import("../commands/prQueueList.ts"),
  },
  {
    path: ["pr-queue", "show"],
    summary: "Show one row, whether it is eligible and who holds it",
    args: [prArgument],
    flags: prFlags,
    examples: [`adk pr-queue show ${url}`, "adk pr-queue show acme/storefront-bff#1234 --json"],
    load: () => import("../commands/prQueueShow.ts"),
  },
  {
    path: ["pr-queue", "add"],
    summary: "Add PRs, or those of a Slack thread, with their metadata; one that is there already needs -y",
    args: [{ ...prArgument, describe: `${prArgument.describe}; or the link of a Slack message` }],
    flags: [
      ...prFlags,
      {
        name: "local",
        type: "string",
        value: "PATH",
        describe: "a branch of this local repository instead of a hosted PR",
      },
      {
        name: "head",
        type: "string",
        value: "BRANCH",
        describe: "branch to review (with --local; default: the checked out one)",
      },
      {
        name: "base",
        type: "string",
        value: "BRANCH",
        describe: "branch it is for (with --local; default: the default branch)",
      },
    ],
    examples: [
      `adk pr-queue add ${url}`,
      "adk pr-queue add --local . --head feature/cart --base main",
      "adk pr-queue add https://acme.slack.com/archives/C0123456789/p1700000000000100",
    ],
    load: () => import("../commands/prQueueAdd.ts"),
  },
  {
    path: ["pr-queue", "update"],
    summary: "Refresh metadata from the host; merged and closed PRs are marked",
    args: [prArgument],
    flags: [...prFlags, { name: "all", type: "boolean", describe: "every row of the queue" }],
    examples: ["adk pr-queue update --all", `adk pr-queue update ${url}`],
    load: () => import("../commands/prQueueUpdate.ts"),
  },
  {
    path: ["pr-queue", "clean"],
    summary: "Drop merged and closed rows with their task folders; never a locked row",
    args: [],
    flags: [
      { name: "all", type: "boolean", describe: "every row that is not locked" },
      {
        name: "stale-days",
        type: "integer",
        value: "N",
        min: 0,
        describe: "also rows that nothing has touched for N days",
      },
      { name: "dry-run", type: "boolean", describe: "say what would be done and change nothing" },
    ],
    examples: ["adk pr-queue clean --dry-run", "adk pr-queue clean --stale-days 30 -y"],
    load: () => import("../commands/prQueueClean.ts"),
  },
  {
    path: ["pr-queue", "remind"],
    summary: "Remind the Slack threads of PRs that were reviewed and have not changed since",
    args: [],
    flags: [
      {
        name: "threshold-hours",
        type: "integer",
        value: "H",
        min: 1,
        describe: "hours since the review and since the last reminder (default: 24)",
      },
      { name: "dry-run", type: "boolean", describe: "say what would be done and change nothing" },
    ],
    examples: ["adk pr-queue remind --dry-run", "adk pr-queue remind --threshold-hours 48"],
    load: () => import("../commands/prQueueRemind.ts"),
  },
  {
    path: ["pr-queue", "get-next"],
    summary: "Claim the oldest eligible row",
    args: [],
    flags: [
      { name: "no-validate", type: "boolean", describe: "do not ask the host again before claiming" },
      ...claimFlags.filter((flag) => flag.name === "run-id"),
    ],
    examples: ["adk pr-queue get-next --json"],
    load: () => import("../commands/prQueueGetNext.ts"),
  },
  {
    path: ["pr-queue", "claim"],
    summary: "Claim one PR for review; prints the token that proves it",
    args: [prArgument],
    flags: [
      ...prFlags,
      {
        name: "force",
        type: "boolean",
        describe: "skip eligibility rules 1, 4 and 5; never a live claim or a PR that is not ready",
      },
      ...claimFlags,
    ],
    examples: [`adk pr-queue claim ${url} --json`],
    load: () => import("../commands/prQueueClaim.ts"),
  },
  {
    path: ["pr-queue", "heartbeat"],
    summary: "Keep a claim alive; only its owner can",
    args: [prArgument],
    flags: [...prFlags, ...claimFlags],
    examples: [`adk pr-queue heartbeat ${url} --run-id ID --token TOKEN`],
    load: () => import("../commands/prQueueHeartbeat.ts"),
  },
  {
    path: ["pr-queue", "release"],
    summary: "Give a claim back; a free row stays free",
    args: [prArgument],
    flags: [
      ...prFlags,
      { name: "status", type: "string", value: "S", choices: statusWords, describe: "status the review ended with" },
      ...claimFlags,
      { name: "force", type: "boolean", describe: "end a live claim of someone else (asks first)" },
    ],
    examples: [`adk pr-queue release ${url} --status reviewed`, `adk pr-queue release ${url} --force -y`],
    load: () => import("../commands/prQueueRelease.ts"),
  },
  {
    path: ["pr-queue", "set-status"],
    summary: "Set the status of a row by hand",
    args: [
      prArgument,
      { name: "STATUS", describe: "the new status", required: true, multiple: false, choices: statusWords },
    ],
    flags: [...prFlags, ...claimFlags],
    examples: [`adk pr-queue set-status ${url} pending`],
    load: () => import("../commands/prQueueSetStatus.ts"),
  },
  {
    path: ["pr-queue", "ready-to-merge"],
    summary: "List approved PRs and their links; adk never merges",
    args: [],
    flags: [],
    examples: ["adk pr-queue ready-to-merge"],
    load: () => import("../commands/prQueueReadyToMerge.ts"),
  },
  {
    path: ["pr-queue", "restore"],
    summary: "Put the last good queue back; the broken one is kept beside it",
    args: [],
    flags: [{ name: "from", type: "string", value: "FILE", describe: "this file instead of the last good queue" }],
    examples: ["adk pr-queue restore -y", "adk pr-queue restore --from pr-queue.backup.json5"],
    load: () => import("../commands/prQueueRestore.ts"),
  },
];
