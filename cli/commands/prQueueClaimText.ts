import type { ActionDocument, ClaimDocument } from "../../effects/queue/claimRules.ts";
import { terminalCell } from "../../src/text/sanitize.ts";

/** What a person gets to see of a new claim: with the two lines to paste, because the token is shown only once. */
export const claimText = (claim: ClaimDocument): string =>
  [
    terminalCell(
      `claimed ${claim.pr_url} (status ${claim.status}, epoch ${claim.epoch}, since ${claim.taken_at ?? "now"})`,
    ),
    terminalCell(`export ADK_RUN_ID=${claim.run_id}`),
    `export ADK_CLAIM_TOKEN=${claim.token}`,
  ].join("\n");

/** One line for heartbeat, release and set-status. */
export const actionText = (done: ActionDocument): string => {
  if (done.action === "heartbeat")
    return terminalCell(`heartbeat ${done.pr_url} at ${done.last_heartbeat_at ?? "now"}`);
  if (done.action === "status_set") return terminalCell(`${done.pr_url}: status ${done.status}`);
  const how = done.was_held === false ? "was free already" : "released";
  return terminalCell(`${how}: ${done.pr_url} (status ${done.status})`);
};
