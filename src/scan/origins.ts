import { createHash } from "node:crypto";
import type { PrReference } from "../pr/prUrl.ts";
import type { QueueRow, SlackOrigin } from "../queue/row.ts";
import { prLinksOf, supportingDocsOf } from "../slack/links.ts";
import type { SlackIdentity, SlackMessage } from "../slack/types.ts";

/** A thread as it was read: its root first, then the replies. A message outside threads is a thread of one. */
export interface ReadThread {
  readonly channel_id: string;
  readonly messages: ReadonlyArray<SlackMessage>;
}

/** A PR with where it is linked in one thread: the first message that links to it there. */
export interface FoundLink {
  readonly pr: PrReference;
  readonly origin: SlackOrigin;
  readonly docs: ReadonlyArray<string>;
  /** Digests of all messages of the thread that link to it, by their texts. */
  readonly mentions: ReadonlyArray<string>;
}

export interface ScanRules {
  readonly githubHosts: ReadonlyArray<string>;
  readonly identity: SlackIdentity;
  /** `slack.filter_users`; empty: everybody's. */
  readonly filterUsers: ReadonlyArray<string>;
}

/** What adk itself wrote; a link in it is no request. */
const isOwn = (message: SlackMessage, identity: SlackIdentity): boolean =>
  message.user === identity.user_id || (identity.bot_id !== null && message.bot_id === identity.bot_id);

const mentioned = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/<@([A-Z0-9]{3,20})(?:\|[^<>]*)?>/g)].map((match) => match[1] ?? "");

/** With a filter, a thread counts when one of those people or apps wrote in it or is mentioned there. */
const concerns = (thread: ReadThread, rules: ScanRules): boolean =>
  rules.filterUsers.length === 0 ||
  thread.messages.some((message) =>
    [message.user, message.bot_id, message.app_id, ...mentioned(message.text)].some(
      (id) => id !== null && rules.filterUsers.includes(id),
    ),
  );

/** Address of a message, as Slack's own "Copy link" makes it; a reply names its thread. */
const permalinkOf = (identity: SlackIdentity, channel: string, message: SlackMessage, root: string): string | null => {
  if (!/^https:\/\/[a-z0-9.-]+\.slack(?:-gov)?\.com\/$/i.test(identity.url)) return null;
  const link = `${identity.url}archives/${channel}/p${message.ts.replace(".", "")}`;
  return message.ts === root ? link : `${link}?thread_ts=${root}&cid=${channel}`;
};

const digestOf = (channel: string, { ts, text, links }: SlackMessage): string =>
  createHash("sha256")
    .update(JSON.stringify([channel, ts, text, links]))
    .digest("hex")
    .slice(0, 16);

/** The PRs that a thread links to, each once, with the thread's facts (spec 5, "Scan"). */
export const linksInThread = (thread: ReadThread, rules: ScanRules): ReadonlyArray<FoundLink> => {
  const root = thread.messages[0]?.thread_ts ?? thread.messages[0]?.ts;
  if (root === undefined || !concerns(thread, rules)) return [];
  const docs = [...new Set(thread.messages.flatMap(supportingDocsOf))];
  const found = new Map<string, FoundLink>();
  for (const message of thread.messages) {
    if (isOwn(message, rules.identity) || message.deleted) continue;
    const links = prLinksOf(message, rules);
    const digest = links.length === 0 ? "" : digestOf(thread.channel_id, message);
    for (const pr of links) {
      const key = pr.pr_url.toLowerCase();
      const known = found.get(key);
      if (known !== undefined) {
        found.set(key, { ...known, mentions: [...known.mentions, digest] });
        continue;
      }
      const permalink = permalinkOf(rules.identity, thread.channel_id, message, root);
      const origin: SlackOrigin = {
        channel_id: thread.channel_id,
        thread_ts: root,
        message_ts: message.ts,
        ...(permalink === null ? {} : { permalink }),
        link_origin: message.ts === root ? "main" : "reply",
        n_pr_links_in_message: links.length,
      };
      found.set(key, { pr, origin, docs, mentions: [digest] });
    }
  }
  return [...found.values()];
};

/** Key of a thread in the workspace. */
export const threadKey = (origin: Pick<SlackOrigin, "channel_id" | "thread_ts">): string =>
  `${origin.channel_id}/${origin.thread_ts}`;

const originsOf = (row: QueueRow): ReadonlyArray<SlackOrigin> => [
  ...(row.slack === null ? [] : [row.slack]),
  ...row.slack_threads,
];

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** The fresh facts over what else the row knew of the thread (when it was reminded). */
const refreshed = (known: SlackOrigin, fresh: SlackOrigin): SlackOrigin => {
  const { gone: _, ...rest } = known as SlackOrigin & { readonly gone?: boolean };
  const next = { ...rest, ...fresh };
  return same(next, known) ? known : next;
};

/**
 * A row with the threads in which its PR is linked now. `gone` are threads that were read and link to it no more; what
 * was not read stays. The first thread is `slack`, the further ones follow. The same row when nothing changed.
 */
export const withOrigins = (
  row: QueueRow,
  found: { readonly origins: ReadonlyArray<SlackOrigin>; readonly docs: ReadonlyArray<string> },
  gone: ReadonlySet<string>,
): QueueRow => {
  const fresh = new Map(found.origins.map((origin) => [threadKey(origin), origin]));
  const kept = originsOf(row)
    .filter((origin) => fresh.has(threadKey(origin)) || !gone.has(threadKey(origin)))
    .map((origin) => refreshed(origin, fresh.get(threadKey(origin)) ?? origin));
  const known = new Set(kept.map(threadKey));
  const [first = null, ...others] = [...kept, ...found.origins.filter((origin) => !known.has(threadKey(origin)))];
  const docs = [...new Set([...row.supporting_docs, ...found.docs])];
  const unchanged = same(first, row.slack) && same(others, row.slack_threads) && same(docs, row.supporting_docs);
  return unchanged ? row : { ...row, slack: first, slack_threads: others, supporting_docs: docs };
};
