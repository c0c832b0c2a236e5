import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Either from "effect/Either";
import * as Layer from "effect/Layer";
import { readMessage } from "../../src/slack/readMessage.ts";
import type { SlackChannel, SlackIdentity, SlackMessage } from "../../src/slack/types.ts";
import { Log } from "../log/Log.ts";
import { HostLimits } from "../network/HostLimits.ts";
import { type Call, makeCaller, patiently, type SlackAnswer, type SlackOptions } from "./caller.ts";
import type { SlackFailure } from "./errors.ts";
import { badAnswer, slackFailure } from "./failures.ts";
import { type Posted, postReply, type Reply } from "./postReply.ts";

/** One Slack workspace. Everything it gives is text from outside; the only write is `postReply`. */
export class Slack extends Context.Tag("adk/Slack")<
  Slack,
  {
    /** Who the token belongs to. Asked once a process. */
    readonly identity: Effect.Effect<SlackIdentity, SlackFailure>;
    /** Channels by what a person calls them: an id, `#name` or `name`; each with its own outcome. */
    readonly channels: (
      names: ReadonlyArray<string>,
    ) => Effect.Effect<ReadonlyMap<string, Either.Either<SlackChannel, SlackFailure>>>;
    /** Roots of a channel in a window of time stamps, oldest first, to the last page. */
    readonly history: (
      channelId: string,
      window: { readonly oldest: string; readonly latest?: string },
    ) => Effect.Effect<ReadonlyArray<SlackMessage>, SlackFailure>;
    /** A thread with its root, oldest first, to the last page. */
    readonly replies: (channelId: string, threadTs: string) => Effect.Effect<ReadonlyArray<SlackMessage>, SlackFailure>;
    readonly permalink: (channelId: string, ts: string) => Effect.Effect<string, SlackFailure>;
    /** One reply in a thread, exactly once for its `op`, never at the channel's root. Callers of one `op` take turns. */
    readonly postReply: (reply: Reply) => Effect.Effect<Posted, SlackFailure>;
  }
>() {}

const pageSize = 200;
const mostPages = 500;

const text = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);
const fields = (value: unknown): SlackAnswer =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as SlackAnswer) : {};
const items = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : []);

/** All pages of a list; the cursor of the last answer is empty. */
const paged = <A>(
  call: Call,
  request: {
    readonly method: string;
    readonly args: Readonly<Record<string, unknown>>;
    readonly channel?: string;
    readonly ts?: string;
  },
  read: (answer: SlackAnswer) => ReadonlyArray<A>,
): Effect.Effect<ReadonlyArray<A>, SlackFailure> =>
  Effect.gen(function* () {
    const found: A[] = [];
    let cursor: string | null = null;
    const about = {
      ...(request.channel === undefined ? {} : { channel: request.channel }),
      ...(request.ts === undefined ? {} : { ts: request.ts }),
    };
    for (let page = 0; page < mostPages; page += 1) {
      const args = { ...request.args, limit: pageSize, ...(cursor === null ? {} : { cursor }) };
      const answer: SlackAnswer = yield* patiently(call(request.method, args, about));
      found.push(...read(answer));
      const next = text(fields(answer.response_metadata).next_cursor);
      if (next === null) return found;
      if (next === cursor) return yield* badAnswer("the same page again");
      cursor = next;
    }
    return yield* badAnswer(`more than ${mostPages} pages of ${request.method}`);
  });

const byTime = (messages: ReadonlyArray<SlackMessage>): ReadonlyArray<SlackMessage> =>
  [...new Map(messages.map((message) => [message.ts, message])).values()].sort((a, b) => (a.ts < b.ts ? -1 : 1));

const messagesOf = (answer: SlackAnswer): ReadonlyArray<SlackMessage> =>
  items(answer.messages).flatMap((value) => {
    const message = readMessage(value);
    return message === null ? [] : [message];
  });

const channelOf = (value: unknown): SlackChannel | null => {
  const { id, name, is_archived } = fields(value);
  const known = text(id);
  return known === null ? null : { id: known, name: text(name), is_archived: is_archived === true };
};

const archived = (channel: SlackChannel, asked: string): Either.Either<SlackChannel, SlackFailure> =>
  channel.is_archived
    ? Either.left(slackFailure({ code: "is_archived" }, { method: "conversations.info", channel: asked, now: 0 }))
    : Either.right(channel);

const isId = (name: string): boolean => /^[CG][A-Z0-9]{6,20}$/.test(name);

const make = (options: SlackOptions) =>
  Effect.gen(function* () {
    const log = yield* Log;
    const limits = yield* HostLimits;
    const call = yield* makeCaller(options, { log, limits });

    const identity = yield* Effect.cached(
      Effect.flatMap(patiently(call("auth.test", {})), (answer): Effect.Effect<SlackIdentity, SlackFailure> => {
        const [user, team, url] = [text(answer.user_id), text(answer.team_id), text(answer.url)];
        if (user === null || team === null) return Effect.fail(badAnswer("an auth.test without a user or a team"));
        const scopes = items(fields(answer.response_metadata).scopes).flatMap((scope) => text(scope) ?? []);
        return Effect.succeed({
          user_id: user,
          bot_id: text(answer.bot_id),
          team_id: team,
          enterprise_id: text(answer.enterprise_id),
          url: url ?? "",
          scopes,
        });
      }),
    );

    const listOf = (types: string) =>
      paged(call, { method: "conversations.list", args: { types, exclude_archived: false } }, (answer) =>
        items(answer.channels).flatMap((value) => channelOf(value) ?? []),
      );
    // A token that may not list private channels still lists the public ones.
    const listed = yield* Effect.cached(
      Effect.catchTag(listOf("public_channel,private_channel"), "SlackScopeMissing", (missing) =>
        missing.needed.includes("groups:") ? listOf("public_channel") : Effect.fail(missing),
      ),
    );

    const byId = (id: string): Effect.Effect<Either.Either<SlackChannel, SlackFailure>> =>
      Effect.map(
        Effect.either(patiently(call("conversations.info", { channel: id }, { channel: id }))),
        Either.flatMap((answer) => {
          const channel = channelOf(answer.channel);
          return channel === null ? Either.left(badAnswer("a channel without an id")) : archived(channel, id);
        }),
      );

    const byName = (name: string): Effect.Effect<Either.Either<SlackChannel, SlackFailure>> =>
      Effect.map(
        Effect.either(listed),
        Either.flatMap((all) => {
          const wanted = name.replace(/^#/, "").toLowerCase();
          const found = all.find((channel) => channel.name?.toLowerCase() === wanted);
          const missing = { method: "conversations.list", channel: name, now: 0 };
          return found === undefined
            ? Either.left(slackFailure({ code: "channel_not_found" }, missing))
            : archived(found, name);
        }),
      );

    return {
      identity,
      channels: (names: ReadonlyArray<string>) =>
        Effect.map(
          Effect.forEach([...new Set(names)], (name) =>
            Effect.map(isId(name) ? byId(name) : byName(name), (outcome) => [name, outcome] as const),
          ),
          (outcomes) => new Map(outcomes),
        ),
      history: (channelId: string, window: { readonly oldest: string; readonly latest?: string }) =>
        Effect.map(
          paged(
            call,
            {
              method: "conversations.history",
              args: { channel: channelId, inclusive: true, ...window },
              channel: channelId,
            },
            messagesOf,
          ),
          byTime,
        ),
      replies: (channelId: string, threadTs: string) =>
        Effect.map(
          paged(
            call,
            {
              method: "conversations.replies",
              args: { channel: channelId, ts: threadTs },
              channel: channelId,
              ts: threadTs,
            },
            messagesOf,
          ),
          byTime,
        ),
      permalink: (channelId: string, ts: string) =>
        Effect.flatMap(
          patiently(call("chat.getPermalink", { channel: channelId, message_ts: ts }, { channel: channelId, ts })),
          (answer) => {
            const link = text(answer.permalink);
            return link === null ? Effect.fail(badAnswer("no permalink")) : Effect.succeed(link);
          },
        ),
      postReply: (reply: Reply) => postReply(call, reply),
    };
  });

/** The client is loaded and the workspace asked with the first need of it. */
export const layer = (options: SlackOptions): Layer.Layer<Slack, never, Log | HostLimits> =>
  Layer.effect(Slack, make(options));
