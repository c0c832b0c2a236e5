import { expect, it } from "vitest";
import { filesOf, scoresOf } from "../../../src/index/evaluate.ts";

it("scores by the first wanted file and by the share among the first ten", () => {
  const ten = Array.from({ length: 10 }, (_, i) => `f${i}`);
  const scores = scoresOf([
    { ranked: ["a", "b", "c"], wanted: ["b", "z"] },
    { ranked: [...ten, "late"], wanted: ["late"] },
    { ranked: ["x"], wanted: ["x"] },
    { ranked: [], wanted: ["y"] },
  ]);
  expect(scores.queries).toBe(4);
  expect(scores.mrr).toBeCloseTo((1 / 2 + 1 / 11 + 1) / 4, 10);
  expect(scores.recall_at_10).toBeCloseTo((0.5 + 0 + 1 + 0) / 4, 10);
  expect(scoresOf([])).toEqual({ queries: 0, mrr: 0, recall_at_10: 0 });
  expect(filesOf([{ path: "a" }, { path: "b" }, { path: "a" }])).toEqual(["a", "b"]);
});
