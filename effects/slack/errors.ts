import { failure } from "../../src/errors.ts";
import type { IsoTime } from "../../src/time.ts";

/** There is no token, or SLACK_API_URL is one that no token may be sent to. */
export class SlackNotConfigured extends failure("SlackNotConfigured", 2) {}

/** Slack does not accept the token: revoked, mistyped, its account or workspace gone. */
export class SlackRefused extends failure("SlackRefused", 1)<{ readonly code: string }> {}

/** The token lacks a scope. `needed` is Slack's own word. */
export class SlackScopeMissing extends failure("SlackScopeMissing", 1)<{ readonly needed: string }> {}

/** A channel that is not there, not ours to read, or archived. */
export class SlackChannelUnavailable extends failure("SlackChannelUnavailable", 1)<{
  readonly channel: string;
  readonly code: string;
}> {}

/** A message or a thread that is gone: deleted, or never there. */
export class SlackMessageGone extends failure("SlackMessageGone", 1)<{ readonly ts: string }> {}

export class SlackRateLimited extends failure("SlackRateLimited", 1)<{ readonly retry_at: IsoTime | null }> {}

/** No answer, or one of the kind "not now". */
export class SlackUnreachable extends failure("SlackUnreachable", 1) {}

/** An answer that is not what Slack describes, or an error that adk has no word for. */
export class SlackBadAnswer extends failure("SlackBadAnswer", 1)<{ readonly code: string }> {}

/** A message was sent, no answer came, and reading back did not tell whether it arrived. */
export class SlackAmbiguous extends failure("SlackAmbiguous", 1) {}

export type SlackFailure =
  | SlackNotConfigured
  | SlackRefused
  | SlackScopeMissing
  | SlackChannelUnavailable
  | SlackMessageGone
  | SlackRateLimited
  | SlackUnreachable
  | SlackBadAnswer
  | SlackAmbiguous;
