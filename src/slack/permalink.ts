import * as Either from "effect/Either";
import { UsageError } from "../errors.ts";
import { quoted } from "../pr/quoted.ts";
import { slackUnescape } from "./escape.ts";
import type { SlackIdentity } from "./types.ts";

/** A message that a permalink names. */
export interface SlackPlace {
  /** Host of the workspace, lower case: `team.slack.com`, `org.enterprise.slack.com`, `team.slack-gov.com`. */
  readonly workspace: string;
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

/** `<address|label>`, as Slack itself writes links: the address, its entities read. Other words stay. */
const unwrapped = (word: string): string => {
  const marked = /^<([^<>|]{1,2048})(?:\|[^<>]{0,2048})?>$/.exec(word);
  return marked === null ? word : slackUnescape(marked[1] ?? "");
};

/** True for a word that can only be meant as an address in Slack. */
export const looksLikePermalink = (word: string): boolean =>
  /^https?:\/\/[^/?#]*slack(?:-gov)?\.com(?:[/?#:]|$)/i.test(unwrapped(word));

/**
 * `https://TEAM.slack.com/archives/<channel>/p<time stamp without its dot>` with `thread_ts` and `cid` for a reply →
 * the message; also as Slack writes it, `<address|label>`. Only https and hosts below slack.com or slack-gov.com;
 * nothing that a URL parser would rewrite.
 */
export const parsePermalink = (word: string): Either.Either<SlackPlace, UsageError> => {
  const text = unwrapped(word);
  const shown = quoted(text);
  if (text.length > 2048 || !/^[\x21-\x7e]+$/.test(text) || text.includes("\\") || !URL.canParse(text))
    return refuse(`${shown} is not an address`);
  const url = new URL(text);
  if (
    !/^https:\/\/[A-Za-z0-9-]+(?:\.enterprise)?\.slack(?:-gov)?\.com\//i.test(text) ||
    url.username !== "" ||
    url.port !== ""
  )
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
  return Either.right({ workspace: url.hostname, channel_id, ts: `${seconds}.${micros}`, thread_ts: thread });
};

/** Host of a workspace's address as Slack tells it; null for anything else, such as a stand-in's. */
const workspaceOf = (url: string): string | null =>
  /^https:\/\/([a-z0-9.-]+\.slack(?:-gov)?\.com)\/$/i.exec(url)?.[1]?.toLowerCase() ?? null;

const isOrganisation = (host: string): boolean => /\.enterprise\.slack(?:-gov)?\.com$/.test(host);

/**
 * Why a message cannot be in the token's workspace; null when it is there or nobody can tell: the workspaces of one
 * Enterprise organisation share channels, and Slack itself then knows whether the token may read this one.
 */
export const foreignWorkspace = (
  place: SlackPlace,
  identity: Pick<SlackIdentity, "url" | "enterprise_id">,
): UsageError | null => {
  const own = workspaceOf(identity.url);
  if (own === null || own === place.workspace || (identity.enterprise_id ?? null) !== null) return null;
  const hosts = [own, place.workspace];
  if (hosts.some(isOrganisation) && !hosts.every(isOrganisation)) return null;
  const isGov = (host: string): boolean => host.endsWith(".slack-gov.com");
  const elsewhere = isGov(place.workspace) && !isGov(own) ? " and SLACK_API_URL=https://slack-gov.com/api/" : "";
  return new UsageError({
    message: `the link is of the workspace ${place.workspace}, and the token belongs to ${own}`,
    hint: `set a token of ${place.workspace}${elsewhere}, or copy the link in ${own} where the channel is shared, or add the PR by its URL`,
  });
};
