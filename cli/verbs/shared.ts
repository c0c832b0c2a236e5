import { statuses } from "../../src/queue/row.ts";
import type { ArgSpec, FlagSpec } from "../verb.ts";

/** A PR in any of its spellings. Not `required`: `--repo owner/repo --pr N` names it too, and the one PR parser asks for what is missing. */
export const prArgument: ArgSpec = {
  name: "PR",
  describe: "URL, owner/repo#N, owner/repo N, #N or N (with defaults.repo)",
  required: false,
  multiple: true,
};

/** The other way to name a PR. */
export const prFlags: ReadonlyArray<FlagSpec> = [
  { name: "repo", type: "string", value: "OWNER/REPO", describe: "repository of --pr" },
  { name: "pr", type: "integer", value: "N", min: 1, describe: "number of the PR in --repo" },
];

/** Proof of a claim. */
export const claimFlags: ReadonlyArray<FlagSpec> = [
  { name: "run-id", type: "string", value: "ID", describe: "run that holds the claim (default: ADK_RUN_ID)" },
  { name: "token", type: "string", value: "TOKEN", describe: "token that claim printed (default: ADK_CLAIM_TOKEN)" },
];

export const statusWords: ReadonlyArray<string> = statuses;

export const dryRun: FlagSpec = {
  name: "dry-run",
  type: "boolean",
  describe: "say what would be done and change nothing",
};
