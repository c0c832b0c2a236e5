import type { ArgSpec, FlagSpec, VerbSpec } from "../verb.ts";
import { dryRun } from "./shared.ts";

const nameArgument: ArgSpec = {
  name: "NAME",
  describe: "name of a registered repository",
  required: true,
  multiple: false,
};
const branchFlag: FlagSpec = { name: "branch", type: "string", value: "X", describe: "branch of the repository" };

export const repoVerbs: ReadonlyArray<VerbSpec> = [
  {
    path: ["repo", "add"],
    summary: "Register a repository and index its default branch and the named ones",
    args: [{ name: "URL|PATH", describe: "clone URL, or path of a local repository", required: true, multiple: false }],
    flags: [
      {
        name: "branch",
        type: "string",
        multiple: true,
        value: "X",
        describe: "index this branch too; may be repeated",
      },
      { name: "name", type: "string", value: "N", describe: "call the repository so" },
    ],
    examples: ["adk repo add https://github.com/acme/storefront-bff --branch release/v2.1", "adk repo add ."],
    load: () => import("../commands/repoAdd.ts"),
  },
  {
    path: ["repo", "update"],
    summary: "Fetch and bring the indexes of bases up to date",
    args: [{ ...nameArgument, required: false }],
    flags: [
      branchFlag,
      { name: "all-branches", type: "boolean", describe: "every base of the repository" },
      { name: "all", type: "boolean", describe: "every base of every repository" },
      { name: "rebuild", type: "boolean", describe: "index from scratch" },
    ],
    examples: ["adk repo update storefront-bff --all-branches", "adk repo update --all"],
    load: () => import("../commands/repoUpdate.ts"),
  },
  {
    path: ["repo", "list"],
    summary: "List repositories",
    args: [],
    flags: [{ name: "branches", type: "boolean", describe: "with their bases" }],
    examples: ["adk repo list --branches"],
    load: () => import("../commands/repoList.ts"),
  },
  {
    path: ["repo", "branch", "add"],
    summary: "Index a branch as a base",
    args: [nameArgument],
    flags: [
      branchFlag,
      { name: "auto", type: "boolean", describe: "an auto base: removed again when no PR uses it" },
      { name: "auto-reason", type: "string", value: "R", describe: "why (with --auto)" },
    ],
    examples: ["adk repo branch add storefront-bff --branch release/v2.1"],
    load: () => import("../commands/repoBranchAdd.ts"),
  },
  {
    path: ["repo", "branch", "remove"],
    summary: "Remove a base with its index",
    args: [nameArgument],
    flags: [branchFlag, dryRun],
    examples: ["adk repo branch remove storefront-bff --branch release/v2.1 -y"],
    load: () => import("../commands/repoBranchRemove.ts"),
  },
  {
    path: ["repo", "branch", "list"],
    summary: "List the bases of a repository",
    args: [nameArgument],
    flags: [],
    examples: ["adk repo branch list storefront-bff"],
    load: () => import("../commands/repoBranchList.ts"),
  },
  {
    path: ["repo", "branch", "promote"],
    summary: "Turn an auto base into a user base, which is never removed by itself",
    args: [nameArgument],
    flags: [branchFlag],
    examples: ["adk repo branch promote storefront-bff --branch release/v2.1"],
    load: () => import("../commands/repoBranchPromote.ts"),
  },
  {
    path: ["repo", "rebuild-index"],
    summary: "Index bases from scratch; user and auto bases stay what they are",
    args: [nameArgument],
    flags: [branchFlag],
    examples: ["adk repo rebuild-index storefront-bff --branch main"],
    load: () => import("../commands/repoRebuildIndex.ts"),
  },
  {
    path: ["repo", "auto-bases", "list"],
    summary: "List auto bases, their users and when they expire",
    args: [],
    flags: [],
    examples: ["adk repo auto-bases list"],
    load: () => import("../commands/repoAutoBasesList.ts"),
  },
  {
    path: ["repo", "auto-bases", "clean"],
    summary: "Remove auto bases that no PR has used for a while; never a user base",
    args: [],
    flags: [
      dryRun,
      {
        name: "force",
        type: "string",
        value: "NAME",
        describe: "remove the auto base --branch of this repository now",
      },
      branchFlag,
    ],
    examples: [
      "adk repo auto-bases clean --dry-run",
      "adk repo auto-bases clean --force storefront-bff --branch develop",
    ],
    load: () => import("../commands/repoAutoBasesClean.ts"),
  },
];
