import { describe, expect, it } from "vitest";
import { eligibility, readyForReview, reviewKey } from "../../../src/queue/eligibility.ts";
import type { QueueRow } from "../../../src/queue/row.ts";
import { pr, readyPr } from "../sync/support.ts";

const free = { leaseHeld: false };
const failing = (row: QueueRow, options = free): ReadonlyArray<number> =>
  eligibility(row, options).flatMap(({ rule, pass }) => (pass ? [] : [rule]));
const reviewed = (change: Partial<QueueRow>): QueueRow =>
  readyPr(1, {
    last_reviewed_head_sha: "head1",
    last_reviewed_base_ref: "main",
    last_reviewed_merge_base: "mb",
    ...change,
  });

describe("eligibility", () => {
  it("passes all five rules for an open, free row that is prepared at its key and was never reviewed", () => {
    const rules = eligibility(readyPr(1), free);
    expect(rules.map(({ rule }) => rule)).toEqual([1, 2, 3, 4, 5]);
    expect(rules.every(({ pass, why }) => pass && why.length > 0)).toBe(true);
    expect(readyForReview(readyPr(1), free)).toBe(true);
  });

  it.each<[string, QueueRow, ReadonlyArray<number>]>([
    ["a merged PR", readyPr(1, { status: "merged" }), [1]],
    ["a closed PR", readyPr(1, { status: "closed" }), [1]],
    ["a row never prepared", pr(1), [3, 4]],
    ["a failed preparation at the key", readyPr(1, { prep_status: "failed" }), [3]],
    ["a new head", readyPr(1, { head_sha: "new" }), [4]],
    ["a new target", readyPr(1, { target_branch: "v2" }), [4]],
    ["a moved merge base", readyPr(1, { merge_base: "new" }), [4]],
    ["a merge base not fetched yet", readyPr(1, { merge_base: null }), []],
    ["an unknown head, prepared for none", readyPr(1, { head_sha: null, prep_head_sha: null }), [4]],
    ["a reviewed key", reviewed({}), [5]],
    ["a head reviewed before against another target", reviewed({ last_reviewed_base_ref: "v2" }), []],
    ["a head reviewed before at another merge base", reviewed({ last_reviewed_merge_base: "old" }), []],
    ["a reviewed older head", reviewed({ last_reviewed_head_sha: "old" }), []],
    [
      "a head reviewed by a program that recorded no more",
      reviewed({ last_reviewed_base_ref: null, last_reviewed_merge_base: null }),
      [5],
    ],
    ["a status that is neither merged nor closed", readyPr(1, { status: "error" }), []],
  ])("says of %s which rules fail", (_what, row, rules) => {
    expect(failing(row)).toEqual(rules);
    expect(readyForReview(row, free)).toBe(rules.length === 0);
  });

  it("fails rule 2 under a live lease only, whatever the row says", () => {
    expect(failing(readyPr(1), { leaseHeld: true })).toEqual([2]);
    expect(failing(readyPr(1, { taken_at: "2026-03-20T12:00:00Z" }))).toEqual([]);
  });

  it("names what moved", () => {
    const why = (row: QueueRow) => eligibility(row, free)[3]?.why;
    expect(why(readyPr(1, { head_sha: "new" }))).toBe("prepared at head1, the head is new");
    expect(why(readyPr(1, { target_branch: "v2" }))).toBe("prepared against main, the target is v2");
    expect(why(readyPr(1, { merge_base: "new" }))).toBe("prepared at merge base mb, it is now new");
  });
});

describe("reviewKey", () => {
  it("changes with head, target and merge base", () => {
    const rows = [
      readyPr(1),
      readyPr(1, { head_sha: "x" }),
      readyPr(1, { target_branch: "x" }),
      readyPr(1, { merge_base: "x" }),
    ];
    expect(new Set(rows.map(reviewKey)).size).toBe(4);
    expect(reviewKey(readyPr(1))).toBe("head1:main:mb");
    expect(reviewKey(pr(1, { head_sha: null }))).toBe("-:main:-");
  });
});
