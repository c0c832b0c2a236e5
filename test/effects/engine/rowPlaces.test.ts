import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findRow, placeOf, replaceRow } from "../../../effects/engine/rowPlaces.ts";
import { identityKey } from "../../../src/names.ts";
import { newRow, type QueueFile, type QueueRow } from "../../../src/queue/row.ts";

const row = (pr_number: number): QueueRow =>
  newRow({
    pr_url: `https://github.com/acme/shop/pull/${pr_number}`,
    platform: "github",
    host: "github.com",
    owner: "acme",
    repo: "shop",
    pr_number,
  });

const queueOf = (numbers: ReadonlyArray<number>): QueueFile => ({ schema_version: 4, rev: 1, prs: numbers.map(row) });
const key = (number: number): string => identityKey(row(number));

describe("the place of a row", () => {
  it("is what a search finds, whatever was looked up in other queues before", () => {
    const numbers = fc.uniqueArray(fc.integer({ min: 1, max: 12 }), { maxLength: 8 });
    const lookups = fc.array(fc.tuple(numbers, fc.integer({ min: 1, max: 12 })), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(lookups, (all) => {
        for (const [present, wanted] of all) {
          const queue = queueOf(present);
          expect(placeOf(queue, key(wanted))).toBe(present.indexOf(wanted));
          expect(findRow(queue, key(wanted))).toBe(queue.prs[present.indexOf(wanted)]);
        }
      }),
    );
  });

  it("replaces one row and keeps the order", () => {
    const queue = queueOf([1, 2, 3]);
    const next = replaceRow(queue, { ...row(2), title: "new" });
    expect(next.prs.map(({ pr_number, title }) => [pr_number, title])).toEqual([
      [1, null],
      [2, "new"],
      [3, null],
    ]);
    expect(queue.prs[1]?.title).toBeNull();
  });

  it("gives the same queue back for the same row and for a row that is not in it", () => {
    const queue = queueOf([1, 2]);
    const [first] = queue.prs;
    expect(first === undefined ? null : replaceRow(queue, first)).toBe(queue);
    expect(replaceRow(queue, row(9))).toBe(queue);
  });

  it("is not a search a row: 2,000 steps over 500 rows read a row a few times each, not hundreds", () => {
    let reads = 0;
    const watched = (number: number): QueueRow =>
      Object.defineProperty({ ...row(number) }, "platform", {
        enumerable: true,
        get: () => {
          reads += 1;
          return "github";
        },
      });
    let queue: QueueFile = { ...queueOf([]), prs: Array.from({ length: 500 }, (_, i) => watched(i + 1)) };
    for (let pass = 0; pass < 4; pass += 1)
      for (let number = 1; number <= 500; number += 1) {
        const found = findRow(queue, key(number));
        if (found !== undefined) queue = replaceRow(queue, watched(number));
      }
    expect(reads).toBeLessThan(500 * 4 * 5);
  });
});
