import type { SlackMessage } from "./types.ts";

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const textOr = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);

/** Fields of blocks and attachments that hold an address, and those that hold text with addresses in it. */
const addressFields = new Set(["url", "title_link", "from_url", "original_url"]);
const textFields = new Set(["text", "fallback", "pretext", "value"]);
const deepest = 12;
const mostLinks = 500;

const collect = (value: unknown, into: string[], depth: number): void => {
  if (depth > deepest || into.length >= mostLinks) return;
  if (Array.isArray(value)) {
    for (const one of value.slice(0, 500)) collect(one, into, depth + 1);
    return;
  }
  if (!isFields(value)) return;
  for (const [name, field] of Object.entries(value)) {
    if (typeof field === "string") {
      if (addressFields.has(name)) into.push(field);
      else if (textFields.has(name))
        into.push(...[...field.slice(0, 20_000).matchAll(/https?:\/\/[^\s<>|\]]{1,2048}/gi)].map((match) => match[0]));
    } else collect(field, into, depth + 1);
  }
};

const timeStamp = (value: unknown): string | null =>
  typeof value === "string" && /^\d{9,11}\.\d{6}$/.test(value) ? value : null;

/** What an unfurled page says is that page's text: only where it stands is a link of the message. */
const unfurled = (attachment: unknown): unknown => {
  if (!isFields(attachment) || typeof attachment.from_url !== "string") return attachment;
  if (/^https:\/\/(?:[^/]*\.)?slack(?:-gov)?\.com\//.test(attachment.from_url)) return attachment;
  const { from_url, original_url, title_link } = attachment;
  return { from_url, original_url, title_link };
};

/** A message of history or replies; null for something that is none. Links outside the text are gathered beside it. */
export const readMessage = (value: unknown): SlackMessage | null => {
  if (!isFields(value)) return null;
  const ts = timeStamp(value.ts);
  if (ts === null) return null;
  const links: string[] = [];
  collect(value.blocks, links, 0);
  collect(Array.isArray(value.attachments) ? value.attachments.map(unfurled) : [], links, 0);
  const replies = typeof value.reply_count === "number" && Number.isInteger(value.reply_count) ? value.reply_count : 0;
  const deleted = value.subtype === "tombstone";
  return {
    ts,
    thread_ts: timeStamp(value.thread_ts),
    user: textOr(value.user),
    bot_id: textOr(value.bot_id),
    app_id: textOr(value.app_id),
    subtype: textOr(value.subtype),
    text: deleted ? "" : (textOr(value.text) ?? ""),
    links: deleted ? [] : [...new Set(links)],
    reply_count: Math.max(0, replies),
    latest_reply: timeStamp(value.latest_reply),
    edited: isFields(value.edited),
    deleted,
  };
};
