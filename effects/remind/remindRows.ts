import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Either from "effect/Either";
import type { Failure } from "../../src/errors.ts";
import { identityKey } from "../../src/names.ts";
import type { QueueRow } from "../../src/queue/row.ts";
import { type DueThread, reminderOf, reminderText, stamped, withoutThread } from "../../src/remind/due.ts";
import { threadKey } from "../../src/scan/origins.ts";
import { formatTime } from "../../src/time.ts";
import { crashPoint } from "../engine/crashPoint.ts";
import { Engine } from "../engine/Engine.ts";
import { updateRows } from "../queue/updateRows.ts";
import { Slack } from "../slack/Slack.ts";
import { Locks } from "../store/Locks.ts";
import { QueueStore } from "../store/QueueStore.ts";

/** A day: the threshold where none is given (spec 3, `--threshold-hours 24`). */
export const remindAfterMs = 24 * 3_600_000;

/** Document of `pr-queue remind`. */
export interface RemindReport {
  readonly reminded: ReadonlyArray<{
    readonly pr_url: string;
    readonly channel_id: string;
    readonly thread_ts: string;
  }>;
  readonly skipped: ReadonlyArray<{ readonly pr_url: string; readonly why: string }>;
  readonly failed: ReadonlyArray<{ readonly pr_url: string; readonly error: string }>;
}

export interface RemindOptions {
  readonly thresholdMs: number;
  /** Says what would be posted, asks and changes nothing. */
  readonly dryRun: boolean;
}

const change = (row: QueueRow, edit: (row: QueueRow) => QueueRow) =>
  Effect.flatMap(Engine, (engine) =>
    engine.change<null, never>((queue) =>
      Either.right({
        queue: { ...queue, prs: queue.prs.map((one) => (identityKey(one) === identityKey(row) ? edit(one) : one)) },
        result: null,
      }),
    ),
  );

/** What came of one thread: posted by this call, or why it was not this call's to post. */
type Outcome = { readonly kind: "sent" } | { readonly kind: "not sent"; readonly why: string };

const send = (row: QueueRow, thread: DueThread, hours: number) =>
  Effect.gen(function* () {
    const slack = yield* Slack;
    const { channel_id, thread_ts } = thread.origin;
    yield* crashPoint("remind.posting");
    const posted = yield* slack.postReply({
      channelId: channel_id,
      threadTs: thread_ts,
      text: reminderText(row, hours),
      op: thread.op,
    });
    yield* crashPoint("remind.posted");
    const at = formatTime(yield* Clock.currentTimeMillis);
    yield* change(row, (one) => stamped(one, thread.origin, at));
    return posted.isNew
      ? ({ kind: "sent" } satisfies Outcome)
      : ({ kind: "not sent", why: "has this reminder already, by a run that did not end" } satisfies Outcome);
  });

/** Looking, posting and stamping are one turn, so that of two runs at once the second finds the stamp of the first. */
const turnMs = 300_000;

const remind = (row: QueueRow, thread: DueThread, thresholdMs: number) =>
  Effect.gen(function* () {
    const locks = yield* Locks;
    const store = yield* QueueStore;
    const turn = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis;
      const current = (yield* store.read).prs.find((one) => identityKey(one) === identityKey(row));
      const reminder = current === undefined ? null : reminderOf(current, now, thresholdMs);
      if (current === undefined || reminder === null) return { kind: "not sent", why: "left the queue" } as const;
      if (reminder.kind === "not due") return { kind: "not sent", why: reminder.why } as const;
      const due = reminder.threads.find(({ origin }) => threadKey(origin) === threadKey(thread.origin));
      if (due === undefined) return { kind: "not sent", why: "was reminded a short while ago" } as const;
      return yield* send(current, due, reminder.hours);
    });
    return yield* locks.withLock("remind", { deadlineMs: turnMs }, turn);
  });

/** Rows that seem due, as their hosts see them now: nobody is reminded of a PR that was merged meanwhile. */
const refreshedRows = (options: RemindOptions, now: number) =>
  Effect.gen(function* () {
    const store = yield* QueueStore;
    const rows = (yield* store.read).prs;
    const due = rows.filter((row) => reminderOf(row, now, options.thresholdMs).kind === "due");
    if (options.dryRun || due.length === 0) return { rows, unasked: new Map<string, string>() };
    const report = yield* updateRows({ keys: due.map(identityKey) });
    const unasked = new Map(report.failed.map(({ pr_url, error }) => [pr_url, error]));
    return { rows: (yield* store.read).prs, unasked };
  });

/**
 * Posts the reminders that are due (spec 5, "Remind"), each thread by itself: looked for by its op, posted once, then
 * stamped, so that a process killed in between finds its own reply again. The rows' statuses stay as they are.
 */
export const remindRows = (options: RemindOptions) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis;
    const { rows, unasked } = yield* refreshedRows(options, now);
    const reminded: Array<RemindReport["reminded"][number]> = [];
    const skipped: Array<RemindReport["skipped"][number]> = [];
    const failed: Array<RemindReport["failed"][number]> = [];
    const others = new Map<string, string>();
    for (const row of rows) {
      const reminder = reminderOf(row, now, options.thresholdMs);
      if (reminder.kind === "not due") {
        skipped.push({ pr_url: row.pr_url, why: reminder.why });
        continue;
      }
      const error = unasked.get(row.pr_url);
      if (error !== undefined) {
        failed.push({ pr_url: row.pr_url, error: `not reminded, since its host could not be asked: ${error}` });
        continue;
      }
      for (const thread of reminder.threads) {
        const { channel_id, thread_ts } = thread.origin;
        if (options.dryRun) {
          reminded.push({ pr_url: row.pr_url, channel_id, thread_ts });
          continue;
        }
        const outcome: Either.Either<Outcome, Failure> = yield* Effect.either(remind(row, thread, options.thresholdMs));
        if (Either.isRight(outcome)) {
          if (outcome.right.kind === "sent") reminded.push({ pr_url: row.pr_url, channel_id, thread_ts });
          else others.set(row.pr_url, outcome.right.why);
          continue;
        }
        // Said once; a thread that is gone is not tried again.
        if (outcome.left._tag === "SlackMessageGone") yield* change(row, (one) => withoutThread(one, thread.origin));
        failed.push({ pr_url: row.pr_url, error: `${outcome.left.message} — ${outcome.left.hint}` });
      }
    }
    skipped.push(...[...others].map(([pr_url, why]) => ({ pr_url, why })));
    return { reminded, skipped, failed } satisfies RemindReport;
  });
