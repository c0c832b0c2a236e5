import type { FakeChannel, FakeMessage } from "./state.ts";

/** An answer before it becomes JSON. */
export type Body = Readonly<Record<string, unknown>>;
export const failed = (error: string, more: Body = {}): Body => ({ ok: false, error, ...more });

export const messageJson = (channel: FakeChannel, message: FakeMessage, metadata: boolean): Body => {
  const replies = channel.messages.filter(({ thread }) => thread === message.ts);
  const last = replies.at(-1);
  const threaded = message.thread !== undefined || replies.length > 0;
  return {
    type: "message",
    ts: message.ts,
    ...(message.deleted
      ? { subtype: "tombstone", user: "USLACKBOT", text: "This message was deleted.", hidden: true }
      : { user: message.user, text: message.text, team: "T1" }),
    ...(message.bot === undefined ? {} : { bot_id: message.bot, app_id: `A${message.bot}` }),
    ...(threaded ? { thread_ts: message.thread ?? message.ts } : {}),
    ...(last === undefined ? {} : { reply_count: replies.length, latest_reply: last.ts }),
    ...(message.blocks === undefined || message.deleted ? {} : { blocks: message.blocks }),
    ...(message.attachments === undefined || message.deleted ? {} : { attachments: message.attachments }),
    ...(message.reactions === undefined || message.reactions.length === 0
      ? {}
      : { reactions: message.reactions.map(({ name, users }) => ({ name, users, count: users.length })) }),
    ...(message.edited ? { edited: { user: message.user, ts: message.ts } } : {}),
    ...(metadata && message.metadata !== undefined ? { metadata: message.metadata } : {}),
  };
};

/** A page of a list by Slack's cursors: opaque, empty at the end. */
export const page = (all: ReadonlyArray<Body>, args: Readonly<Record<string, string>>, name: string): Body => {
  const limit = Math.min(Number(args.limit ?? 100), 999);
  const from = args.cursor === undefined ? 0 : Number(Buffer.from(args.cursor, "base64").toString().replace("at:", ""));
  if (Number.isNaN(from)) return failed("invalid_cursor");
  const end = from + limit;
  const next = end < all.length ? Buffer.from(`at:${end}`).toString("base64") : "";
  return { ok: true, [name]: all.slice(from, end), has_more: next !== "", response_metadata: { next_cursor: next } };
};

/** Whether a message lies between `oldest` and `latest`. */
export const inWindow = (args: Readonly<Record<string, string>>) => {
  const inclusive = args.inclusive === "true" || args.inclusive === "1";
  return ({ ts }: FakeMessage): boolean =>
    (args.oldest === undefined || (inclusive ? ts >= args.oldest : ts > args.oldest)) &&
    (args.latest === undefined || (inclusive ? ts <= args.latest : ts < args.latest));
};
