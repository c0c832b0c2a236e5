import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { changedRanges, unquotePath } from "../../../src/diff/changedRanges.ts";

const patch = (lines: ReadonlyArray<string>): string => `${lines.join("\n")}\n`;

describe("changedRanges", () => {
  it("gives the changed lines of the new side, not the context", () => {
    const ranges = changedRanges(
      patch([
        "diff --git a/src/a.ts b/src/a.ts",
        "--- a/src/a.ts",
        "+++ b/src/a.ts",
        "@@ -1,4 +1,5 @@",
        " one",
        "-two",
        "+zwei",
        "+drei",
        " four",
        " five",
        "@@ -20,2 +21,3 @@ context",
        " x",
        "+y",
        " z",
      ]),
    );
    expect(ranges.get("src/a.ts")).toEqual([
      { start: 2, end: 3 },
      { start: 22, end: 22 },
    ]);
  });

  it("takes content that looks like a header for content", () => {
    const ranges = changedRanges(
      patch([
        "diff --git a/a.sql b/a.sql",
        "--- a/a.sql",
        "+++ b/a.sql",
        "@@ -1,2 +1,2 @@",
        "--- a/other.sql",
        "+++ b/other.sql",
        " same",
        "diff --git a/b.txt b/b.txt",
        "--- a/b.txt",
        "+++ b/b.txt",
        "@@ -0,0 +1 @@",
        "+new",
      ]),
    );
    expect([...ranges.keys()]).toEqual(["a.sql", "b.txt"]);
    expect(ranges.get("a.sql")).toEqual([{ start: 1, end: 1 }]);
  });

  it("puts lines that were only removed where they stood", () => {
    const ranges = changedRanges(patch(["+++ b/a", "@@ -1,3 +1,1 @@", "-a", "-b", " c"]));
    expect(ranges.get("a")).toEqual([{ start: 1, end: 1 }]);
  });

  it("gives nothing for a deleted or a binary file", () => {
    const ranges = changedRanges(
      patch([
        "diff --git a/x b/x",
        "deleted file mode 100644",
        "--- a/x",
        "+++ /dev/null",
        "@@ -1 +0,0 @@",
        "-x",
        "Binary files a/y and b/y differ",
      ]),
    );
    expect(ranges.size).toBe(0);
  });

  it("reads quoted names", () => {
    expect(
      changedRanges(patch(['+++ "b/caf\\303\\251 \\"x\\"\\t.ts"', "@@ -1 +1 @@", "-a", "+b"])).get('café "x"\t.ts'),
    ).toEqual([{ start: 1, end: 1 }]);
    expect(unquotePath("plain/ä.ts")).toBe("plain/ä.ts");
  });

  it("never throws and never gives a range before line 1, whatever it reads", () => {
    const line = fc.oneof(
      fc.string(),
      fc.constantFrom(
        "@@ -1,2 +1,3 @@",
        "+++ b/x",
        '+++ "b/\\377',
        "diff --git a/x b/x",
        "+a",
        "-b",
        "\\ No newline at end of file",
      ),
    );
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        for (const ranges of changedRanges(patch(lines)).values()) {
          for (const range of ranges) expect(range.start).toBeGreaterThanOrEqual(1);
        }
      }),
    );
  });
});
