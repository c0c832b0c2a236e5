import { createHash } from "node:crypto";
import { identityKey } from "../names.ts";
import { isTerminal, type QueueRow, type SlackOrigin } from "../queue/row.ts";
import { slackText } from "../slack/escape.ts";
import { counted } from "../text/counted.ts";
import { parseTime } from "../time.ts";

/** When a thread of a row was last reminded; older rows have one time for all of their threads. */
export interface RemindedOrigin extends SlackOrigin {
  readonly last_reminded_at?: string | null;
  /** Its message was found deleted; nothing can be said there any more. */
  readonly gone?: boolean;
}

export interface DueThread {
  readonly origin: RemindedOrigin;
  /** The same for the same reminder, however often it is tried: what makes it exactly once. */
  readonly op: string;
}

export type Reminder =
  | { readonly kind: "due"; readonly threads: ReadonlyArray<DueThread>; readonly hours: number }
  | { readonly kind: "not due"; readonly why: string };

const threadsOf = (row: QueueRow): ReadonlyArray<RemindedOrigin> => [
  ...(row.slack === null ? [] : [row.slack as RemindedOrigin]),
  ...(row.slack_threads as ReadonlyArray<RemindedOrigin>),
];

/** A thread that has no time of its own, not even "never", goes by its row's. */
const lastOf = (row: QueueRow, origin: RemindedOrigin): string | null =>
  origin.last_reminded_at === undefined ? row.last_reminded_at : origin.last_reminded_at;

const opOf = (row: QueueRow, origin: RemindedOrigin): string =>
  createHash("sha256")
    .update(
      JSON.stringify([
        "remind",
        identityKey(row),
        row.last_reviewed_head_sha,
        row.last_reviewed_at,
        origin.channel_id,
        origin.thread_ts,
        lastOf(row, origin),
      ]),
    )
    .digest("hex")
    .slice(0, 32);

/**
 * Whether a row is to be reminded of, and in which threads (spec 5, "Remind"): reviewed at this very head, neither ended
 * nor approved nor under review, `thresholdMs` since the review and since that thread's last reminder.
 */
export const reminderOf = (row: QueueRow, now: number, thresholdMs: number): Reminder => {
  const no = (why: string): Reminder => ({ kind: "not due", why });
  if (isTerminal(row)) return no(`is ${row.status}`);
  if (row.status === "approved") return no("is approved");
  if (row.status === "in_review" || row.claim !== null) return no("is under review");
  const reviewed = parseTime(row.last_reviewed_at);
  if (reviewed === null || row.last_reviewed_head_sha === null) return no("was not reviewed");
  if (row.last_reviewed_head_sha !== row.head_sha) return no("has changed since its review");
  if (now - reviewed < thresholdMs) return no("was reviewed a short while ago");
  const threads = threadsOf(row);
  if (threads.length === 0) return no("has no Slack thread");
  const there = threads.filter(({ gone }) => gone !== true);
  if (there.length === 0) return no("its Slack threads are gone");
  const due = there.filter((origin) => {
    const last = parseTime(lastOf(row, origin));
    return last === null || now - last >= thresholdMs;
  });
  if (due.length === 0) return no("was reminded a short while ago");
  const hours = Math.floor((now - reviewed) / 3_600_000);
  return { kind: "due", hours, threads: due.map((origin) => ({ origin, op: opOf(row, origin) })) };
};

/** A row whose thread was reminded at `at`. */
export const stamped = (row: QueueRow, thread: SlackOrigin, at: string): QueueRow => {
  const stamp = (origin: SlackOrigin): SlackOrigin =>
    origin.channel_id === thread.channel_id && origin.thread_ts === thread.thread_ts
      ? ({ ...origin, last_reminded_at: at } as SlackOrigin)
      : origin;
  // The other threads keep the time that was the row's own before each had one.
  const keep = (origin: SlackOrigin): SlackOrigin => {
    const { last_reminded_at } = origin as RemindedOrigin;
    return last_reminded_at === undefined
      ? ({ ...origin, last_reminded_at: row.last_reminded_at } as SlackOrigin)
      : origin;
  };
  return {
    ...row,
    last_reminded_at: at,
    slack: row.slack === null ? null : stamp(keep(row.slack)),
    slack_threads: row.slack_threads.map((origin) => stamp(keep(origin))),
  };
};

/** A row whose thread turned out to be gone. A scan that finds the link again brings the thread back. */
export const withoutThread = (row: QueueRow, thread: SlackOrigin): QueueRow => {
  const mark = (origin: SlackOrigin): SlackOrigin =>
    origin.channel_id === thread.channel_id && origin.thread_ts === thread.thread_ts
      ? ({ ...origin, gone: true } as SlackOrigin)
      : origin;
  return { ...row, slack: row.slack === null ? null : mark(row.slack), slack_threads: row.slack_threads.map(mark) };
};

/** The reminder's text: the canonical address, which adk made itself, and the title as text. */
export const reminderText = (row: QueueRow, hours: number): string => {
  const title = row.title === null || row.title.trim() === "" ? "" : ` (${slackText(row.title, 100)})`;
  const since = hours >= 48 ? counted(Math.floor(hours / 24), "day") : counted(hours, "hour");
  return `:alarm_clock: <${row.pr_url}>${title} was reviewed ${since} ago and has not changed since. Please address the comments, or merge it.`;
};
