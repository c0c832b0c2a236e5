import { describe, expect, it } from "vitest";
import { eligibility } from "../../../src/queue/eligibility.ts";
import { showDocument, showText } from "../../../src/queue/viewShow.ts";
import { freshRow, readyRow } from "../../effects/queue/support/rows.ts";

const free = { held: false, run_id: null, since: null, age_s: null };

const detail = (
  row: ReturnType<typeof readyRow>,
  lock: typeof free | { held: true; run_id: string; since: string; age_s: number } = free,
) => {
  const rules = eligibility(row, { leaseHeld: lock.held });
  return { row, lock, rules, ready: rules.every((rule) => rule.pass) };
};

describe("showDocument", () => {
  it("is the row with the five rules, each with its reason, and the lock", () => {
    const document = showDocument(detail(freshRow(1)));
    expect(document).toMatchObject({ ...freshRow(1), ready_for_review: false, lock: free });
    expect(document.eligibility).toHaveLength(5);
    expect(document.eligibility[2]).toEqual({
      rule: 3,
      name: "prepared",
      pass: false,
      why: "the preparation is pending",
    });
  });
});

describe("showText", () => {
  it("says who holds the row and for how long, and which rule stands in the way", () => {
    const lock = { held: true, run_id: "run-7", since: "2026-01-01T00:00:00Z", age_s: 7300 } as const;
    const text = showText(detail(readyRow(1), lock));
    expect(text).toContain("held by run run-7 for 2h (since 2026-01-01T00:00:00Z)");
    expect(text).toContain("✗ 2 ");
    expect(text).toMatch(/ready +no/);
    expect(showText(detail(readyRow(1)))).toMatch(/ready +yes/);
  });

  it("keeps a hostile title, author and error on their own lines", () => {
    const row = readyRow(1, { title: "a\nready  yes\u001b[2J", author: "x\r\u202ey", prep_error: "boom\u0007\nz" });
    const text = showText(detail(row));
    expect(text.split("\n")).toHaveLength(showText(detail(readyRow(1))).split("\n").length);
    expect(text.replaceAll("\n", "")).not.toMatch(/[\x00-\x1f\x7f\u202e]/);
  });
});
