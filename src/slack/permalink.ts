import * as Either from "effect/Either";
import { UsageError } from "../errors.ts";
import { quoted } from "../pr/quoted.ts";

/** A message that a permalink names. */
export interface SlackPlace {
  readonly channel_id: string;
  /** The message itself. */
  readonly ts: string;
  /** Root of its thread when the link says so; else the message may be a root or a reply. */
  readonly thread_ts: string | null;
}

const example =
  "copy it in Slack: More actions, Copy link (https://TEAM.slack.com/archives/C0123456789/p1700000000000100)";

const refuse = (message: string): Either.Either<never, UsageError> =>
  Either.left(new UsageError({ message, hint: example }));

/** True for a word that can only be meant as an address in Slack. */
export const looksLikePermalink = (word: string): boolean => /^https?:\/\/[^/?#]*slack\.com(?:[/?#:]|$)/i.test(word);

/**
 * `https://TEAM.slack.com/archives/<channel>/p<time stamp without its dot>` with `thread_ts` and `cid` for a reply →
 * the message. Only https and hosts below slack.com; nothing that a URL parser would rewrite.
 */
export const parsePermalink = (text: string): Either.Either<SlackPlace, UsageError> => {
  const shown = quoted(text);
  if (text.length > 2048 || !/^[\x21-\x7e]+$/.test(text) || text.includes("\\") || !URL.canParse(text))
    return refuse(`${shown} is not an address`);
  const url = new URL(text);
  if (!/^https:\/\/[A-Za-z0-9-]+(?:\.enterprise)?\.slack\.com\//i.test(text) || url.username !== "" || url.port !== "")
    return refuse(`${shown} is not an https address of a Slack workspace`);
  // The parser must agree with what was written: it resolves dot segments.
  if (/^https:\/\/[^/]+([^?#]*)/.exec(text)?.[1] !== url.pathname) return refuse(`${shown} does not mean what it says`);
  const path = /^\/archives\/([CGD][A-Z0-9]{6,20})\/p(\d{10})(\d{6})\/?$/.exec(url.pathname);
  if (path === null) return refuse(`${shown} is not the link of a message`);
  const [, channel_id = "", seconds = "", micros = ""] = path;
  const thread = url.searchParams.get("thread_ts");
  if (thread !== null && !/^\d{10}\.\d{6}$/.test(thread)) return refuse(`${shown} names a thread that is none`);
  const cid = url.searchParams.get("cid");
  if (cid !== null && cid !== channel_id) return refuse(`${shown} names two channels`);
  return Either.right({ channel_id, ts: `${seconds}.${micros}`, thread_ts: thread });
};
