import { describe, expect, it } from "vitest";
import { newTotals, summaryOf } from "../../../src/sync/workTotals.ts";

const totals = {
  ...newTotals(),
  ready: 8,
  basesBuilt: 1,
  workSeconds: 54,
  chunksOfPrs: Array.from({ length: 8 }, () => 300),
};

describe("summaryOf", () => {
  it("says 186 s saved for the plan's example: 54 s of work instead of eight times 30 s", () => {
    const summary = summaryOf({
      totals: { ...totals, fullChunks: 300, fullSeconds: 30 },
      skipped: 2,
      seconds: 54.04,
      speedBefore: null,
    });
    expect(summary).toMatchObject({
      estimated_full_seconds: 240,
      saved_seconds: 186,
      skipped: 2,
      seconds: 54,
      ready: 8,
    });
  });

  it("takes the speed from before when nothing was indexed from scratch", () => {
    expect(summaryOf({ totals, skipped: 0, seconds: 54, speedBefore: 10 }).estimated_full_seconds).toBe(240);
  });

  it("claims no savings without a measured speed, without work, or when the work took longer", () => {
    expect(summaryOf({ totals, skipped: 0, seconds: 54, speedBefore: null }).saved_seconds).toBe(0);
    expect(summaryOf({ totals: newTotals(), skipped: 0, seconds: 1, speedBefore: 10 }).saved_seconds).toBe(0);
    expect(summaryOf({ totals, skipped: 0, seconds: 54, speedBefore: 1000 }).saved_seconds).toBe(0);
  });
});
