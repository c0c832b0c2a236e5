import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { editDistance, nearest } from "../../../src/cli/nearest.ts";

describe("editDistance", () => {
  it("counts a swap of neighbours as one edit", () => {
    expect(editDistance("lsit", "list")).toBe(1);
    expect(editDistance("list", "list")).toBe(0);
    expect(editDistance("", "abc")).toBe(3);
    expect(editDistance("kitten", "sitting")).toBe(3);
  });

  it("is symmetric and never more than the longer word", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), fc.string({ maxLength: 12 }), (a, b) => {
        expect(editDistance(a, b)).toBe(editDistance(b, a));
        expect(editDistance(a, b)).toBeLessThanOrEqual(Math.max(a.length, b.length));
        expect(editDistance(a, b) === 0).toBe(a === b);
      }),
    );
  });
});

describe("nearest", () => {
  const verbs = ["list", "show", "add", "update", "release", "set-status"];

  it("finds the word that was meant", () => {
    expect(nearest("lsit", verbs)).toBe("list");
    expect(nearest("SHOW", verbs)).toBe("show");
    expect(nearest("setstatus", verbs)).toBe("set-status");
  });

  it("takes a beginning for the whole word", () => {
    expect(nearest("rel", verbs)).toBe("release");
  });

  it("says nothing rather than something far off", () => {
    expect(nearest("xyzzy", verbs)).toBeUndefined();
    expect(nearest("", verbs)).toBeUndefined();
  });
});
