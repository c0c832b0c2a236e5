import * as Either from "effect/Either";
import { identityKey } from "../names.ts";
import { type PrReference, parsePrUrl } from "../pr/prUrl.ts";
import { slackUnescape } from "./escape.ts";
import type { SlackMessage } from "./types.ts";

/** Longer texts do not exist in Slack (40,000 characters); a fake or broken answer is cut here. */
const longestText = 50_000;
/** More addresses of PRs than such a text has room for, so that none is left out unsaid. */
const mostLinks = 2000;

const trailing = /[.,;:!?)\]}'"*_~`>]+$/;

type Placed = readonly [url: string, at: number];

/** `<url>` and `<url|label>`; the label is what somebody wants one to see, and is never believed. */
const markedLinks = (text: string): ReadonlyArray<Placed> =>
  [...text.matchAll(/<(https?:[^|<>\s]{1,2048})(?:\|[^<>]*)?>/gi)].map((match) => [match[1] ?? "", match.index]);

/** Addresses that stand in the text as they are: in code, or where Slack did not mark them. */
const bareLinks = (text: string): ReadonlyArray<Placed> =>
  [
    ...text
      .replaceAll(/<[^<>]{0,4096}>/g, (marked) => " ".repeat(marked.length))
      .matchAll(/https?:\/\/[^\s<>|\]]{1,2048}/gi),
  ].map((match) => [match[0].replace(trailing, ""), match.index]);

/** Every address in a message, in the order of the text, then those of its blocks and unfurls; as it was written. */
export const urlsOf = (message: Pick<SlackMessage, "text" | "links">): ReadonlyArray<string> => {
  const text = message.text.slice(0, longestText);
  const inText = [...markedLinks(text), ...bareLinks(text)].sort(([, a], [, b]) => a - b).map(([url]) => url);
  return [...new Set([...inText, ...message.links])].slice(0, mostLinks).map(slackUnescape);
};

/** The PRs that a message links to, canonical, each once, in the order in which they stand there (spec 5, "Scan"). */
export const prLinksOf = (
  message: Pick<SlackMessage, "text" | "links">,
  options: { readonly githubHosts: ReadonlyArray<string> },
): ReadonlyArray<PrReference> => {
  const found = new Map<string, PrReference>();
  for (const url of urlsOf(message)) {
    const parsed = parsePrUrl(url, options);
    if (Either.isRight(parsed) && !found.has(identityKey(parsed.right)))
      found.set(identityKey(parsed.right), parsed.right);
  }
  return [...found.values()];
};

const isDocumentHost = (host: string, path: string): boolean =>
  /^[a-z0-9-]+\.atlassian\.net$/.test(host) ||
  ["docs.google.com", "drive.google.com", "figma.com", "www.figma.com"].includes(host) ||
  (host === "atlassian.net" && path !== "/");

/** Confluence, Jira, Google and Figma addresses (spec 5, "supporting docs"): https, no user information, no port. */
export const supportingDocsOf = (message: Pick<SlackMessage, "text" | "links">): ReadonlyArray<string> =>
  urlsOf(message).flatMap((text) => {
    if (!/^https:\/\/[A-Za-z0-9.-]+\/[\x21-\x7e]*$/.test(text) || text.includes("\\") || !URL.canParse(text)) return [];
    const url = new URL(text);
    return isDocumentHost(url.hostname, url.pathname) && url.port === "" && url.username === "" ? [url.href] : [];
  });
