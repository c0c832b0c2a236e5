/** A message as Slack's history and replies give it. Untrusted text: sanitise at every sink. */
export interface SlackMessage {
  /** Microsecond time stamp, the message's id in its channel: `1700000000.000100`. Kept as text, never a number. */
  readonly ts: string;
  /** Root of its thread; null outside threads. Equal to `ts` for a root. */
  readonly thread_ts: string | null;
  /** Member id of the author; null for a bot without one. */
  readonly user: string | null;
  readonly bot_id: string | null;
  readonly app_id: string | null;
  readonly subtype: string | null;
  /** mrkdwn as Slack has it: `<url|label>`, `&amp;`. */
  readonly text: string;
  /** URLs of links and unfurls that stand outside the text (blocks, attachments), verbatim. */
  readonly links: ReadonlyArray<string>;
  readonly reply_count: number;
  /** `ts` of the newest reply; null without replies. */
  readonly latest_reply: string | null;
  readonly edited: boolean;
  /** A root that was deleted but still has replies (`tombstone`). */
  readonly deleted: boolean;
}

/** A channel by id and, where known, its name without `#`. */
export interface SlackChannel {
  readonly id: string;
  readonly name: string | null;
  readonly is_archived: boolean;
}

/** Who the token belongs to: what tells our own messages from others'. */
export interface SlackIdentity {
  readonly user_id: string;
  readonly bot_id: string | null;
  readonly team_id: string;
  /** Address of the workspace: `https://team.slack.com/`. */
  readonly url: string;
  /** Of the Enterprise organisation that the workspace belongs to; null or missing for a workspace of its own. */
  readonly enterprise_id?: string | null;
  /** Scopes of the token, as Slack's `x-oauth-scopes` header names them; empty when it does not. */
  readonly scopes: ReadonlyArray<string>;
}
