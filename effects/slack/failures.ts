import { formatTime } from "../../src/time.ts";
import {
  SlackBadAnswer,
  SlackChannelUnavailable,
  type SlackFailure,
  SlackMessageGone,
  SlackNotConfigured,
  SlackRateLimited,
  SlackRefused,
  SlackScopeMissing,
  SlackUnreachable,
} from "./errors.ts";

/** What was asked for, for messages: the method, and the channel or message where there is one. */
export interface SlackAsked {
  readonly method: string;
  readonly channel?: string;
  readonly ts?: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export const tokenMissing = (): SlackNotConfigured =>
  new SlackNotConfigured({
    message: "Slack is not configured: there is no token",
    hint: "set SLACK_USER_TOKEN or SLACK_BOT_TOKEN to the token of your Slack app (docs/user/slack.md)",
  });

export const apiUrlRefused = (): SlackNotConfigured =>
  new SlackNotConfigured({
    message: "SLACK_API_URL is neither an https address nor one of this machine, so the token is not sent there",
    hint: "unset SLACK_API_URL, or give an https address",
  });

const channelWords: Readonly<Record<string, readonly [string, string]>> = {
  channel_not_found: [
    "is not there, or private and the token's owner is not in it",
    "check the name; for a private channel invite the app: /invite @your-app",
  ],
  not_in_channel: ["is one that the token's owner is not in", "invite the app there: /invite @your-app"],
  is_archived: ["is archived", "take it out of slack.channels, or unarchive it in Slack"],
  method_not_supported_for_channel_type: [
    "is of a kind that cannot be read so",
    "name a channel, not a direct message",
  ],
  channel_is_limited_access: ["has limited access", "ask a workspace admin, or take it out of slack.channels"],
};

/** What Slack says of a direct message that is not the token's is the same as of a channel; what mends it is not. */
const directWords: readonly [string, string] = [
  "is a direct message that the token's owner is not part of",
  "add the PR by its URL: a direct message is readable to those in it, with the scope im:history",
];

const refusedCodes = new Set([
  "invalid_auth",
  "not_authed",
  "account_inactive",
  "token_revoked",
  "token_expired",
  "org_login_required",
  "team_access_not_granted",
  "ekm_access_denied",
  "access_denied",
  "two_factor_setup_required",
  "enterprise_is_restricted",
]);

/** Slack's own error code → the failure that says what it means and what mends it. */
export const slackFailure = (
  error: { readonly code: string; readonly needed?: string; readonly provided?: string },
  asked: SlackAsked,
): SlackFailure => {
  const { code } = error;
  // The client takes any text for an error code, a proxy's page too.
  if (!/^[a-z][a-z0-9_]{1,79}$/.test(code) || code === "no_error_code")
    return badAnswer("something that is no answer of Slack's");
  const channel = asked.channel ?? "the channel";
  const words = code === "channel_not_found" && /^D[A-Z0-9]+$/.test(channel) ? directWords : channelWords[code];
  if (words !== undefined)
    return new SlackChannelUnavailable({ message: `Slack: ${channel} ${words[0]}`, hint: words[1], channel, code });
  if (code === "missing_scope" || code === "no_permission") {
    const needed = error.needed ?? "a scope that Slack does not name";
    return new SlackScopeMissing({
      message: `Slack: the token lacks the scope ${needed} for ${asked.method}`,
      hint: `add ${needed} to the app under OAuth & Permissions, reinstall it, and set the new token`,
      needed,
    });
  }
  if (refusedCodes.has(code))
    return new SlackRefused({
      message: `Slack does not accept the token (${code})`,
      hint: "set SLACK_USER_TOKEN or SLACK_BOT_TOKEN to a token that is valid now",
      code,
    });
  if (["thread_not_found", "message_not_found", "cannot_reply_to_message"].includes(code))
    return new SlackMessageGone({
      message: `Slack: the message ${asked.ts ?? ""} in ${channel} is gone (${code})`,
      hint: "it was deleted; add the PR by its URL instead",
      ts: asked.ts ?? "",
    });
  if (code === "ratelimited" || code === "rate_limited") return rateLimited(null);
  if (["internal_error", "fatal_error", "service_unavailable", "request_timeout", "team_added_to_org"].includes(code))
    return unreachable(`Slack answered ${code}`);
  return new SlackBadAnswer({
    message: `Slack answered ${code.replaceAll(/[^a-z0-9_]/gi, "?").slice(0, 60)} to ${asked.method}`,
    hint: "run it again with -v and look at the log",
    code,
  });
};

export const rateLimited = (until: number | null): SlackRateLimited =>
  new SlackRateLimited({
    message: `Slack limits the rate of requests${until === null ? "" : ` until ${formatTime(until)}`}`,
    hint: "run it again after that",
    retry_at: until === null ? null : formatTime(until),
  });

export const unreachable = (why: string): SlackUnreachable =>
  new SlackUnreachable({
    message: `Slack was not reached: ${why}`,
    hint: "check the network and status.slack.com, then run it again",
  });

export const badAnswer = (what: string): SlackBadAnswer =>
  new SlackBadAnswer({
    message: `Slack answered with ${what}`,
    hint: "run it again with -v and look at the log; behind a proxy, check SLACK_API_URL",
    code: "",
  });
