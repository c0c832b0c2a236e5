import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { aboveCut, pathRole, pathWeight, rank } from "../../../src/index/rank.ts";

describe("rank", () => {
  const plain = () => 1;
  it("fuses half and half after min-max scaling", () => {
    const ranked = rank(
      [
        { id: "a", path: "a", vector: 0.9, text: 0 },
        { id: "b", path: "b", vector: 0.5, text: 8 },
        { id: "c", path: "c", vector: 0.1, text: 4 },
      ],
      plain,
    );
    expect(ranked).toEqual([
      { id: "b", score: 0.75 },
      { id: "a", score: 0.5 },
      { id: "c", score: 0.25 },
    ]);
  });

  it("breaks ties by chunk id, whatever the order of the candidates", () => {
    const candidates = ["c", "a", "b"].map((id) => ({ id, path: id, vector: 0.4, text: null }));
    expect(rank(candidates, plain).map(({ id }) => id)).toEqual(["a", "b", "c"]);
    expect(rank([...candidates].reverse(), plain)).toEqual(rank(candidates, plain));
  });

  it("keeps every score between 0 and 1", () => {
    const score = fc.double({ min: -1, max: 50, noNaN: true });
    fc.assert(
      fc.property(fc.array(fc.tuple(score, score), { maxLength: 20 }), (pairs) => {
        const candidates = pairs.map(([v, t], i) => ({
          id: `${i}`,
          path: "a",
          vector: Math.max(-1, Math.min(1, v)),
          text: Math.max(0, t),
        }));
        for (const { score: value } of rank(candidates, plain)) {
          expect(value).toBeGreaterThanOrEqual(0);
          expect(value).toBeLessThanOrEqual(1);
        }
      }),
    );
  });
});

describe("pathWeight", () => {
  it("halves tests, documents and configuration unless the query asks for them", () => {
    const weight = pathWeight("retry with backoff");
    expect(["src/a.ts", "src/a.test.ts", "docs/a.md", "tsconfig.json", "pkg/a_test.go"].map(weight)).toEqual([
      1, 0.5, 0.5, 0.5, 0.5,
    ]);
    expect(pathWeight("tests of the retry")("src/a.test.ts")).toBe(1);
    expect(pathWeight("readme")("README.md")).toBe(1);
  });
  it("knows what paths are for", () => {
    expect(["src/latest.ts", "src/contest/a.py", "src/index.ts"].map(pathRole)).toEqual(["source", "source", "source"]);
    expect(["test_x.py", "a/__tests__/b.js", ".github/workflows/ci.yml", "vite.config.ts"].map(pathRole)).toEqual([
      "test",
      "test",
      "config",
      "config",
    ]);
  });
});

it("aboveCut leaves out the scores at the cut when more of them may exist", () => {
  const results = [5, 4, 3, 3].map((score) => ({ score }));
  expect(aboveCut(results, { limit: 4 })).toEqual({ kept: [{ score: 5 }, { score: 4 }], complete: false });
  expect(aboveCut(results, { limit: 5 })).toEqual({ kept: results, complete: true });
});
