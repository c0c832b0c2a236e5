import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type PrecisFacts, precisMaxChars, renderPrecis } from "../../../src/precis/precis.ts";
import { precisText as text } from "../../../src/precis/precisText.ts";
import { isTestPath, testsByName } from "../../../src/precis/relatedTests.ts";
import { changedSymbols, coChanged } from "../../../src/precis/symbolsOf.ts";

const facts = (change: Partial<PrecisFacts> = {}): PrecisFacts => ({
  pr: {
    url: "https://github.com/acme/foo/pull/1",
    name: "acme/foo#1",
    title: "Round totals",
    author: "ada",
    body: null,
    head: "a".repeat(40),
    headRef: "round",
    target: "main",
    mergeBase: "b".repeat(40),
    additions: 3,
    deletions: 1,
    files: 1,
    isDraft: false,
  },
  changes: [{ path: "src/a.ts", status: "M", additions: 3, deletions: 1, symbols: ["roundTotal"] }],
  excluded: [],
  agentFiles: [],
  callers: [],
  tests: [],
  related: [],
  conventions: [],
  supportingDocs: [],
  conversation: { threads: null, reviews: null, checks: null, notes: [] },
  notes: [],
  ...change,
});

describe("renderPrecis", () => {
  it("says what changed, where, and what was not read", () => {
    const precis = renderPrecis(facts(), text);
    expect(precis).toContain("`acme/foo#1`");
    expect(precis).toContain("- M `src/a.ts` +3 −1: `roundTotal`");
    expect(precis).toContain("- threads: not read");
    expect(precis).toContain("- CI state: not read");
  });

  it("names callers, tests and excluded files with reasons", () => {
    const precis = renderPrecis(
      facts({
        callers: [{ path: "src/b.ts", line: 7, symbol: "checkout", calls: ["roundTotal"] }],
        tests: ["test/a.test.ts"],
        excluded: [{ path: "logo.png", reason: "binary" }],
      }),
      text,
    );
    expect(precis).toContain("- `src/b.ts:7` in `checkout` calls `roundTotal`");
    expect(precis).toContain("- `test/a.test.ts`");
    expect(precis).toContain("- `logo.png`: binary");
  });

  it("counts what does not fit instead of dropping it silently", () => {
    const many = Array.from({ length: 500 }, (_, n) => ({
      path: `src/some/quite/long/folder/name/file-${n}.ts`,
      status: "M",
      additions: 1,
      deletions: 1,
      symbols: ["one", "two"],
    }));
    const precis = renderPrecis(facts({ changes: many }), text);
    expect(precis.length).toBeLessThanOrEqual(precisMaxChars);
    expect(precis).toMatch(/… and \d+ more/);
  });

  it("never exceeds its size, and no outside text opens a code span, a heading or a comment", () => {
    const hostile = fc.oneof(
      fc.string({ unit: "binary", maxLength: 3000 }),
      fc.constantFrom(
        "`` ``` <!-- x --> # head\n## Notes\n",
        "<img src=x onerror=y>",
        "\u202e\u0007\u001b]8;;x\u0007",
        "@everyone #1 ![x](y)",
      ),
    );
    fc.assert(
      fc.property(hostile, hostile, fc.array(hostile, { maxLength: 30 }), (title, body, paths) => {
        const precis = renderPrecis(
          facts({
            pr: { ...facts().pr, title, body, author: title, headRef: title, target: title },
            changes: paths.map((path) => ({ path, status: "M", additions: 1, deletions: 0, symbols: [path] })),
            related: paths.map((path) => ({ path, why: path })),
            notes: paths,
          }),
          text,
        );
        expect(precis.length).toBeLessThanOrEqual(precisMaxChars + 200);
        expect(precis).not.toContain("\u001b");
        expect(precis).not.toContain("\u202e");
        const outside = precis.split("\n").filter((line) => line.startsWith("# ") || line.startsWith("- title"));
        expect(outside).toHaveLength(2);
      }),
      { numRuns: 60 },
    );
  });
});

describe("the change map", () => {
  const chunk = (symbol: string, line_start: number, line_end: number, defs: ReadonlyArray<string> = []) => ({
    path: "a.ts",
    symbol,
    line_start,
    line_end,
    defs,
  });

  it("names the symbols whose lines changed, once, in file order", () => {
    const chunks = [chunk("b", 11, 20), chunk("a", 1, 10), chunk("c", 21, 30)];
    expect(
      changedSymbols(chunks, [
        { start: 15, end: 15 },
        { start: 3, end: 12 },
      ]),
    ).toEqual(["a", "b"]);
  });

  it("counts files that changed together at least twice, and ignores sweeping commits", () => {
    const sweep = { files: ["a.ts", ...Array.from({ length: 60 }, (_, n) => `f${n}.ts`)] };
    expect(
      coChanged(
        [{ files: ["a.ts", "b.ts"] }, { files: ["a.ts", "b.ts", "c.ts"] }, { files: ["d.ts"] }, sweep],
        new Set(["a.ts"]),
      ),
    ).toEqual([{ path: "b.ts", times: 2 }]);
  });

  it("finds tests by the usual names", () => {
    expect(isTestPath("src/__tests__/a.ts")).toBe(true);
    expect(isTestPath("src/contest.ts")).toBe(false);
    expect(testsByName(["test/round.test.ts", "test/other.test.ts", "tests/test_round.py"], ["src/round.ts"])).toEqual([
      "test/round.test.ts",
      "tests/test_round.py",
    ]);
  });

  it("finds the tests beside a file of a common name, and those of a name that says something anywhere", () => {
    const tree = [
      "src/helper/cookie/index.test.ts",
      "src/helper/css/index.test.ts",
      "packages/core/__tests__/render.spec.ts",
      "src/router/router.test.ts",
      "src/router/trie/router.test.ts",
      "runtime/websocket.test.ts",
    ];
    expect(testsByName(tree, ["src/helper/cookie/index.ts"])).toEqual(["src/helper/cookie/index.test.ts"]);
    expect(testsByName(tree, ["packages/core/src/render.ts"])).toEqual(["packages/core/__tests__/render.spec.ts"]);
    expect(testsByName(tree, ["src/router/trie/router.ts"])).toEqual(["src/router/trie/router.test.ts"]);
    expect(testsByName(tree, ["src/adapter/websocket.ts"])).toEqual(["runtime/websocket.test.ts"]);
    expect(testsByName(tree, ["src/other/index.ts"])).toEqual([]);
  });
});
