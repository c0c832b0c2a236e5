import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { identityKey, repoKey } from "../../../src/names.ts";
import { type MoveOptions, moveRows } from "../../../src/pr/moveRows.ts";
import { newRow, type QueueRow } from "../../../src/queue/row.ts";

const row = (repo: string, number: number, fields: Partial<QueueRow> = {}): QueueRow => ({
  ...newRow({
    pr_url: `https://github.com/acme/${repo}/pull/${number}`,
    platform: "github",
    host: "github.com",
    owner: "acme",
    repo,
    pr_number: number,
  }),
  added_at: "2026-01-01T00:00:00Z",
  ...fields,
});
const place = { owner: "bricks", repo: "store" };
const seen = (rows: ReadonlyArray<QueueRow>, fields: Partial<MoveOptions> = {}): MoveOptions => ({
  places: new Map(rows.map((one) => [identityKey(one), place])),
  staying: new Set(),
  isHeld: () => false,
  ...fields,
});
const thread = (ts: string) => ({ channel_id: "C1", thread_ts: ts, message_ts: ts });
const there = (number: number, fields: Partial<QueueRow> = {}): QueueRow => ({
  ...row("store", number, { added_at: "2026-01-05T00:00:00Z", ...fields }),
  owner: "bricks",
  pr_url: `https://github.com/bricks/store/pull/${number}`,
});

describe("rows of a renamed repository", () => {
  it("move to the new name with everything that they know", () => {
    const old = row("shop", 1, { status: "approved", last_reviewed_at: "2026-01-02T00:00:00Z", slack: thread("1") });
    const { rows, moved } = moveRows([old, row("other", 1)], seen([old]));
    expect(rows).toEqual([
      {
        ...old,
        owner: "bricks",
        repo: "store",
        pr_url: "https://github.com/bricks/store/pull/1",
        former_urls: [old.pr_url],
      },
      row("other", 1),
    ]);
    expect(moved).toEqual([{ from: old.pr_url, to: "https://github.com/bricks/store/pull/1" }]);
  });

  it("become one with a row under the new name: the older stays with its history, the threads are joined", () => {
    const old = row("shop", 1, {
      status: "comments",
      last_reviewed_at: "2026-01-02T00:00:00Z",
      slack_threads: [thread("1"), thread("2")],
      review_attempts: { a: 2 },
    });
    const young = there(1, {
      slack: thread("3"),
      slack_threads: [thread("2"), thread("3")],
      review_attempts: { a: 1, b: 1 },
      last_reminded_at: "2026-01-06T00:00:00Z",
    });
    const { rows } = moveRows([young, old], seen([old]));
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({
      pr_url: young.pr_url,
      added_at: old.added_at,
      status: "comments",
      last_reviewed_at: "2026-01-02T00:00:00Z",
      last_reminded_at: "2026-01-06T00:00:00Z",
      slack: thread("3"),
      slack_threads: [thread("1"), thread("2"), thread("3")],
      review_attempts: { a: 2, b: 1 },
      former_urls: [old.pr_url],
    });
  });

  it("keep every name that they had, once, and not the one that they have again", () => {
    const old = row("shop", 1);
    const again = moveRows(moveRows([old], seen([old])).rows, {
      ...seen([]),
      places: new Map([[identityKey(there(1)), { owner: "acme", repo: "third" }]]),
    }).rows;
    expect(again).toMatchObject([{ former_urls: [old.pr_url, there(1).pr_url] }]);
    const back = moveRows(again, {
      ...seen([]),
      places: new Map([[identityKey(row("third", 1)), { owner: "acme", repo: "shop" }]]),
    }).rows;
    expect(back).toMatchObject([
      { pr_url: old.pr_url, former_urls: [there(1).pr_url, "https://github.com/acme/third/pull/1"] },
    ]);
  });

  it("take over the history of the row that was reviewed later", () => {
    const old = row("shop", 1, { last_reviewed_at: "2026-01-02T00:00:00Z", status: "comments" });
    const young = there(1, { last_reviewed_at: "2026-01-06T00:00:00Z", status: "approved", approved_host: true });
    expect(moveRows([old, young], seen([old])).rows).toMatchObject([
      { added_at: old.added_at, status: "approved", approved_host: true, last_reviewed_at: "2026-01-06T00:00:00Z" },
    ]);
  });

  it("never lose a row under a live claim: the other one goes, and a held row's own name waits", () => {
    const [old, young] = [row("shop", 1, { slack_threads: [thread("1")] }), there(1)];
    const held = seen([old], { isHeld: (one) => one.owner === "bricks" });
    expect(moveRows([old, young], held).rows).toMatchObject([
      { added_at: young.added_at, slack_threads: [thread("1")] },
    ]);
    const waiting = moveRows([old, young], seen([old], { isHeld: (one) => one.owner === "acme" }));
    expect(waiting.rows).toEqual([old, young]);
    expect(waiting.postponed).toEqual(new Map([[repoKey(old), `${old.pr_url} is under a live claim`]]));
  });

  it("move all together or not at all; an ended row that nobody asked for and one of a new repository do not count", () => {
    const [one, two, ended] = [row("shop", 1), row("shop", 2), row("shop", 3, { status: "merged" })];
    const all = [one, two, ended];
    expect(moveRows(all, seen([one])).postponed.size).toBe(1);
    expect(moveRows(all, seen([one, two])).moved).toHaveLength(2);
    expect(moveRows(all, seen([one], { staying: new Set([identityKey(two)]) })).rows).toMatchObject([
      { repo: "store" },
      { repo: "shop" },
      { repo: "shop" },
    ]);
    const busy = moveRows([row("shop", 1, { prep_status: "preparing" }), two], seen([one, two]));
    expect(busy.moved).toEqual([]);
  });

  it("are never two of one identity, never fewer PRs than before, and the same again when moved again", () => {
    const rowOf = fc.record({
      number: fc.integer({ min: 1, max: 3 }),
      isThere: fc.boolean(),
      isHeld: fc.boolean(),
      day: fc.integer({ min: 1, max: 9 }),
      isAtWork: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.uniqueArray(rowOf, { selector: (one) => `${one.number} ${one.isThere}` }), (specs) => {
        const rows = specs.map(({ number, isThere, day, isHeld, isAtWork }) => ({
          ...(isThere ? there(number) : row("shop", number)),
          added_at: `2026-01-0${day}T00:00:00Z`,
          title: isHeld ? "held" : "free",
          prep_status: isAtWork ? ("preparing" as const) : ("ready" as const),
        }));
        const options = seen(
          rows.filter((one) => one.repo === "shop"),
          { isHeld: (one) => one.title === "held" },
        );
        const first = moveRows(rows, options);
        const keys = first.rows.map(identityKey);
        expect(new Set(keys).size).toBe(keys.length);
        expect(new Set(first.rows.map((one) => one.pr_number))).toEqual(new Set(rows.map((one) => one.pr_number)));
        for (const one of rows.filter(({ title }) => title === "held"))
          expect(first.rows.some((other) => other.title === "held" && other.added_at === one.added_at)).toBe(true);
        expect(moveRows(first.rows, options).rows).toEqual(first.rows);
      }),
    );
  });
});
