import * as Effect from "effect/Effect";
import { type Call, patiently, type SlackAnswer } from "./caller.ts";
import { SlackAmbiguous, type SlackFailure, SlackMessageGone } from "./errors.ts";
import { badAnswer } from "./failures.ts";

export interface Reply {
  readonly channelId: string;
  readonly threadTs: string;
  /** mrkdwn whose parts from outside are escaped already. */
  readonly text: string;
  /** What makes it the same reply: it travels as the message's metadata, readable by the workspace, and is no secret. */
  readonly op: string;
}

/** A reply that stands in its thread. */
export interface Posted {
  readonly ts: string;
  /** False for one that an earlier call, or another process, had posted before this one sent anything. */
  readonly isNew: boolean;
}

const eventType = "adk_reply";
const waits = [2000, 5000, 10_000];

const fields = (value: unknown): SlackAnswer =>
  typeof value === "object" && value !== null ? (value as SlackAnswer) : {};

const gone = (reply: Reply): SlackMessageGone =>
  new SlackMessageGone({
    message: `Slack: the message ${reply.threadTs} in ${reply.channelId} is gone, so nothing is posted`,
    hint: "it was deleted; nothing needs to be done",
    ts: reply.threadTs,
  });

/** Our own reply with this op, if the thread has it. Fails when the root is gone: a reply to it would stand alone. */
const lookFor = (call: Call, reply: Reply): Effect.Effect<string | null, SlackFailure> =>
  Effect.gen(function* () {
    let cursor = "";
    for (let page = 0; page < 100; page += 1) {
      const answer: SlackAnswer = yield* patiently(
        call(
          "conversations.replies",
          {
            channel: reply.channelId,
            ts: reply.threadTs,
            limit: 200,
            include_all_metadata: true,
            ...(cursor === "" ? {} : { cursor }),
          },
          { channel: reply.channelId, ts: reply.threadTs },
        ),
      );
      const messages = Array.isArray(answer.messages) ? answer.messages.map(fields) : [];
      if (page === 0) {
        const root = messages.find(({ ts }) => ts === reply.threadTs);
        if (root === undefined || root.subtype === "tombstone") return yield* gone(reply);
      }
      for (const message of messages) {
        const { event_type, event_payload } = fields(message.metadata);
        if (event_type === eventType && fields(event_payload).op === reply.op && typeof message.ts === "string")
          return message.ts;
      }
      const next = fields(answer.response_metadata).next_cursor;
      if (typeof next !== "string" || next === "") return null;
      if (next === cursor) return yield* badAnswer("the same page again");
      cursor = next;
    }
    // "Not there" would be a guess.
    return yield* badAnswer("more replies than adk reads");
  });

/**
 * Slack ignores a thread that is gone and posts to the channel instead: such a message is taken back at once. Taking
 * back twice does no harm, so it is tried again; what cannot be taken back is named.
 */
const takeBack = (call: Call, reply: Reply, ts: string): Effect.Effect<never, SlackFailure> =>
  Effect.gen(function* () {
    for (const wait of [0, ...waits]) {
      yield* Effect.sleep(wait);
      const deleted = yield* Effect.either(
        call("chat.delete", { channel: reply.channelId, ts }, { channel: reply.channelId, ts }),
      );
      if (deleted._tag === "Right" || deleted.left._tag === "SlackMessageGone") return yield* gone(reply);
    }
    return yield* new SlackAmbiguous({
      message: `Slack: the thread ${reply.threadTs} in ${reply.channelId} is gone, and message ${ts}, which went to the channel instead, could not be taken back`,
      hint: "delete that message in Slack",
    });
  });

const send = (call: Call, reply: Reply): Effect.Effect<string, SlackFailure> =>
  Effect.flatMap(
    call(
      "chat.postMessage",
      {
        channel: reply.channelId,
        thread_ts: reply.threadTs,
        text: reply.text,
        parse: "none",
        link_names: false,
        unfurl_links: false,
        unfurl_media: false,
        metadata: { event_type: eventType, event_payload: { op: reply.op } },
      },
      { channel: reply.channelId, ts: reply.threadTs },
    ),
    ({ ts, message }) => {
      if (typeof ts !== "string") return Effect.fail(badAnswer("a posted message without a time stamp"));
      return fields(message).thread_ts === reply.threadTs ? Effect.succeed(ts) : takeBack(call, reply, ts);
    },
  );

/** After these nobody knows whether the message arrived. Every error code of Slack's own says that it did not. */
const isAmbiguous = (failure: SlackFailure): boolean =>
  failure._tag === "SlackUnreachable" || (failure._tag === "SlackBadAnswer" && failure.code === "");

/**
 * Posts a reply exactly once (spec 5, "Posting"): looks for it first, sends it once, and after an answer that does not
 * tell reads back before it sends again, three rounds at most; then it is SlackAmbiguous, never silently done.
 */
export const postReply = (call: Call, reply: Reply): Effect.Effect<Posted, SlackFailure> =>
  Effect.gen(function* () {
    const there = yield* lookFor(call, reply);
    if (there !== null) return { ts: there, isNew: false };
    for (const wait of waits) {
      const sent = yield* Effect.either(send(call, reply));
      if (sent._tag === "Right") return { ts: sent.right, isNew: true };
      if (!isAmbiguous(sent.left)) return yield* Effect.fail(sent.left);
      yield* Effect.sleep(wait);
      const seen = yield* Effect.either(lookFor(call, reply));
      if (seen._tag === "Right" && seen.right !== null) return { ts: seen.right, isNew: true };
      // A look that failed is no "not there": nothing more is sent.
      if (seen._tag === "Left") break;
    }
    return yield* new SlackAmbiguous({
      message: `Slack did not say whether the reply in ${reply.channelId} arrived`,
      hint: "look at the thread; the next run reads it again before it posts",
    });
  });
