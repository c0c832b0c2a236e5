import { describe, expect, it } from "vitest";
import { filterViews, listDocument, listText, queueCounts } from "../../../src/queue/viewList.ts";
import { type RowView, rowIcon, shortAge } from "../../../src/queue/viewRow.ts";
import { freshRow, readyRow } from "../../effects/queue/support/rows.ts";

const free = { held: false, run_id: null, since: null, age_s: null };
const held = { held: true, run_id: "run-1", since: "2026-01-01T10:00:00Z", age_s: 60 };
const view = (row: RowView["row"], more: Partial<RowView> = {}): RowView => ({
  row,
  lock: free,
  ready: false,
  ...more,
});
const now = Date.parse("2026-01-02T00:00:00Z");

const all = [
  view(readyRow(1), { ready: true }),
  view(readyRow(2, { status: "in_review" }), { lock: held }),
  view(freshRow(3, { status: "merged" })),
  view(freshRow(4, { head_sha: null })),
];

describe("queueCounts", () => {
  it("counts the whole queue: total, ready, rows under a live claim, and by status", () => {
    expect(queueCounts(all)).toEqual({
      total: 4,
      ready: 1,
      in_review: 1,
      by_status: { pending: 2, in_review: 1, merged: 1 },
    });
  });
});

describe("filterViews", () => {
  it("keeps the rows of one status, the ready ones, or both", () => {
    const numbers = (status: string | null, ready: boolean) =>
      filterViews(all, { status, ready }).map((each) => each.row.pr_number);
    expect(numbers("merged", false)).toEqual([3]);
    expect(numbers(null, true)).toEqual([1]);
    expect(numbers("merged", true)).toEqual([]);
    expect(numbers(null, false)).toEqual([1, 2, 3, 4]);
  });
});

describe("listDocument", () => {
  it("has the row's own fields and what is computed from it", () => {
    const document = listDocument("/q.json5", all, all.slice(1, 2));
    expect(document.queue).toBe("/q.json5");
    expect(document.counts.total).toBe(4);
    expect(document.prs).toHaveLength(1);
    expect(document.prs[0]).toMatchObject({ pr_number: 2, ready_for_review: false, lock: held, title: "Change 2" });
  });
});

describe("listText", () => {
  it("says what to do with an empty queue and still names the file", () => {
    const text = listText({ queue: "/q.json5", all: [], shown: [], nowMs: now });
    expect(text).toContain("adk pr-queue add");
    expect(text).toContain("0 rows · 0 ready · 0 in review · queue: /q.json5");
  });

  it("tells an empty queue from a filter that nothing passes", () => {
    expect(listText({ queue: "q", all, shown: [], nowMs: now })).toMatch(/^no row matches\n/);
  });

  it("shows icon, number, repository, title, target, status, preparation and age of every row", () => {
    const [head = "", first = ""] = listText({ queue: "q", all, shown: all, nowMs: now }).split("\n");
    expect(head.trim().split(/\s+/)).toEqual(["#", "repo", "title", "target", "status", "prep", "age"]);
    expect(first).toMatch(/^✓ +1 +shop +Change 1 +main +pending +ready +23h$/);
  });

  it("prints hostile titles on one line, without a byte that a terminal acts on", () => {
    const hostile = "a\u001b[2J\u001b]0;x\u0007b\nc\u202ed\u200b\u009b31m\r";
    const text = listText({
      queue: "q",
      all: [view(freshRow(1, { title: hostile }))],
      shown: [view(freshRow(1, { title: hostile }))],
      nowMs: now,
    });
    expect(text.split("\n")).toHaveLength(4);
    expect(text.replaceAll("\n", "")).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202a-\u202e\u200b]/);
  });

  it("cuts the title, and nothing else, to the terminal's width", () => {
    const rows = [view(freshRow(1, { title: "x".repeat(300) }))];
    const [, line = ""] = listText({ queue: "q", all: rows, shown: rows, nowMs: now, width: 80 }).split("\n");
    expect(line.length).toBeLessThanOrEqual(80);
    expect(line).toContain("…");
    expect(line).toContain("pending");
  });
});

describe("rowIcon", () => {
  it("is one sign for each place a row can be in", () => {
    const icons = [
      view(freshRow(1), { lock: held }),
      view(freshRow(1, { status: "merged" })),
      view(readyRow(1), { ready: true }),
      view(freshRow(1, { prep_status: "waiting_for_base" })),
      view(freshRow(1, { prep_status: "preparing" })),
      view(freshRow(1, { prep_status: "failed" })),
      view(readyRow(1, { status: "approved" })),
      view(freshRow(1, { head_sha: null })),
    ].map(rowIcon);
    expect(icons).toEqual(["⚙↻", "🔒", "✓", "⏳", "⚙", "⚠", "✅", "🌱"]);
  });
});

describe("shortAge", () => {
  it("is one unit, rounded down", () => {
    expect([0, 59, 60, 3599, 3600, 86_399, 86_400, 9 * 86_400].map(shortAge)).toEqual([
      "0s",
      "59s",
      "1m",
      "59m",
      "1h",
      "23h",
      "1d",
      "9d",
    ]);
    expect(shortAge(null)).toBe("-");
  });
});
