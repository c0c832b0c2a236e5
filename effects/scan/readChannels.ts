import * as Effect from "effect/Effect";
import * as Either from "effect/Either";
import { type ReadThread, threadKey } from "../../src/scan/origins.ts";
import type { SlackFailure } from "../slack/errors.ts";
import { Slack } from "../slack/Slack.ts";

/** Slack lists a channel by its roots: an older thread that got a new reply is found by looking this much further back. */
export const lookBackDays = 30;

export interface ChannelsRead {
  readonly channels: number;
  readonly messages: number;
  readonly threads: ReadonlyArray<ReadThread>;
  /** Threads that their channel listed and that were gone when they were to be read. */
  readonly vanished: ReadonlyArray<{ readonly channel_id: string; readonly thread_ts: string }>;
  /** Of a thread of a scanned channel: whether it was read, or must be gone since its root is not listed. */
  readonly judged: (origin: { readonly channel_id: string; readonly thread_ts: string }) => boolean;
  readonly failed: ReadonlyArray<{ readonly channel: string; readonly failure: SlackFailure }>;
}

const stamp = (ms: number): string => `${Math.max(0, Math.floor(ms / 1000))}.000000`;

interface OneChannel {
  readonly id: string;
  readonly roots: ReadonlySet<string>;
  readonly threads: ReadonlyArray<ReadThread>;
  readonly vanished: ReadonlyArray<string>;
}

const readChannel = (id: string, window: { readonly from: string; readonly deepest: string }) =>
  Effect.gen(function* () {
    const slack = yield* Slack;
    const roots = yield* slack.history(id, { oldest: window.deepest });
    const wanted = roots.filter(({ ts, latest_reply }) => ts >= window.from || (latest_reply ?? "") >= window.from);
    // A reply that was also sent to the channel stands in the history without being a root.
    const byRoot = new Map(wanted.map((message) => [message.thread_ts ?? message.ts, message]));
    const vanished: string[] = [];
    const threads = yield* Effect.forEach(byRoot, ([rootTs, message]) =>
      message.ts === rootTs && message.reply_count === 0
        ? Effect.succeed({ channel_id: id, messages: [message] })
        : slack.replies(id, rootTs).pipe(
            // Deleted since the history was read: that is no reason to give up the channel. The next scan misses its root.
            Effect.catchTag("SlackMessageGone", () => Effect.succeed([])),
            Effect.map((messages): ReadThread => {
              if (messages.length === 0) vanished.push(rootTs);
              return { channel_id: id, messages };
            }),
          ),
    );
    return {
      id,
      roots: new Set(roots.map(({ ts, thread_ts }) => thread_ts ?? ts)),
      threads: threads.filter(({ messages }) => messages.length > 0),
      vanished,
    } satisfies OneChannel;
  });

/**
 * Reads the channels' threads that have a message since `since` (ms since the epoch). A channel that cannot be read is
 * named and the others go on; a token that Slack refuses fails the whole.
 */
export const readChannels = (
  names: ReadonlyArray<string>,
  since: number,
): Effect.Effect<ChannelsRead, SlackFailure, Slack> =>
  Effect.gen(function* () {
    const slack = yield* Slack;
    const window = { from: stamp(since), deepest: stamp(since - lookBackDays * 86_400_000) };
    const found = yield* slack.channels(names);
    const failed: Array<{ readonly channel: string; readonly failure: SlackFailure }> = [];
    const read: OneChannel[] = [];
    const ids = new Set<string>();
    for (const [name, channel] of found) {
      if (Either.isRight(channel) && ids.has(channel.right.id)) continue;
      const outcome: Either.Either<OneChannel, SlackFailure> = Either.isLeft(channel)
        ? Either.left(channel.left)
        : yield* Effect.either(readChannel(channel.right.id, window));
      if (Either.isRight(outcome)) {
        ids.add(outcome.right.id);
        read.push(outcome.right);
        continue;
      }
      const failure = outcome.left;
      if (failure._tag === "SlackRefused" || failure._tag === "SlackNotConfigured") return yield* Effect.fail(failure);
      failed.push({ channel: name, failure });
    }
    const threads = read.flatMap((one) => one.threads);
    const seen = new Set(
      threads.map((thread) =>
        threadKey({
          channel_id: thread.channel_id,
          thread_ts: thread.messages[0]?.thread_ts ?? thread.messages[0]?.ts ?? "",
        }),
      ),
    );
    const roots = new Map(read.map((one) => [one.id, one.roots]));
    return {
      channels: read.length,
      messages: threads.reduce((sum, thread) => sum + thread.messages.length, 0),
      threads,
      vanished: read.flatMap(({ id, vanished }) => vanished.map((thread_ts) => ({ channel_id: id, thread_ts }))),
      failed,
      judged: (origin) => {
        const known = roots.get(origin.channel_id);
        if (known === undefined || origin.thread_ts < window.deepest) return false;
        return seen.has(threadKey(origin)) || !known.has(origin.thread_ts);
      },
    };
  });
