import { describe, expect, it } from "vitest";
import { newRow, type QueueRow } from "../../../src/queue/row.ts";
import { reminderOf, reminderText, stamped, withoutThread } from "../../../src/remind/due.ts";
import { formatTime } from "../../../src/time.ts";

const hour = 3_600_000;
const now = Date.parse("2026-11-30T12:00:00Z");
const ago = (hours: number): string => formatTime(now - hours * hour);
const origin = (n: number) => ({
  channel_id: "C1",
  thread_ts: `170000000${n}.000100`,
  message_ts: `170000000${n}.000100`,
});

const row = (over: Partial<QueueRow> = {}): QueueRow => ({
  ...newRow({
    platform: "github",
    host: "github.com",
    owner: "acme",
    repo: "shop",
    pr_number: 1,
    pr_url: "https://github.com/acme/shop/pull/1",
  }),
  status: "comments",
  head_sha: "a".repeat(40),
  last_reviewed_head_sha: "a".repeat(40),
  last_reviewed_at: ago(24),
  slack: origin(1),
  slack_threads: [origin(2)],
  ...over,
});

describe("a reminder", () => {
  it("is due in every thread from 24 hours after the review on, at that very head", () => {
    expect(reminderOf(row(), now, 24 * hour)).toMatchObject({
      kind: "due",
      hours: 24,
      threads: [{ origin: origin(1) }, { origin: origin(2) }],
    });
  });

  it.each([
    ["is merged", { status: "merged" }],
    ["is closed", { status: "closed" }],
    ["is approved", { status: "approved" }],
    ["is under review", { status: "in_review" }],
    ["was not reviewed", { last_reviewed_at: null }],
    ["has changed since its review", { head_sha: "b".repeat(40) }],
    ["was reviewed a short while ago", { last_reviewed_at: ago(23) }],
    ["has no Slack thread", { slack: null, slack_threads: [] }],
    ["was reminded a short while ago", { last_reminded_at: ago(23) }],
  ] satisfies ReadonlyArray<readonly [string, Partial<QueueRow>]>)("is not due when the PR %s", (why, over) => {
    expect(reminderOf(row(over), now, 24 * hour)).toEqual({ kind: "not due", why });
  });

  it("has an op of its own for every thread and every round, and the same one however often it is tried", () => {
    const ops = (one: QueueRow, at = now): ReadonlyArray<string> => {
      const reminder = reminderOf(one, at, 24 * hour);
      return reminder.kind === "due" ? reminder.threads.map(({ op }) => op) : [];
    };
    expect(ops(row(), now + hour)).toEqual(ops(row()));
    const once = stamped(row(), origin(1), ago(0));
    expect(ops(once)).toEqual([ops(row())[1]]);
    const later = ops(once, now + 25 * hour);
    expect(later).toHaveLength(2);
    expect(later[0]).not.toBe(ops(row())[0]);
    expect(later[1]).toBe(ops(row())[1]);
  });

  it("goes to no thread that is gone", () => {
    const left = withoutThread(row(), origin(1));
    expect(reminderOf(left, now, 24 * hour)).toMatchObject({ threads: [{ origin: origin(2) }] });
    expect(reminderOf(withoutThread(left, origin(2)), now, 24 * hour)).toEqual({
      kind: "not due",
      why: "its Slack threads are gone",
    });
  });

  it("names the PR by adk's own address and its title as text", () => {
    const title = "Fix <!channel> & <https://evil.invalid|this>\u202e\nnow";
    expect(reminderText(row({ title }), 25)).toBe(
      ":alarm_clock: <https://github.com/acme/shop/pull/1> (Fix &lt;!channel&gt; &amp; &lt;https://evil.invalid|this&gt; now) was reviewed 25 hours ago and has not changed since. Please address the comments, or merge it.",
    );
  });
});
