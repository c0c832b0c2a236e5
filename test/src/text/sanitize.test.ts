import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { displayWidth } from "../../../src/text/displayWidth.ts";
import { terminalCell, terminalText, truncateCell } from "../../../src/text/sanitize.ts";

const hostile: ReadonlyArray<readonly [string, string]> = [
  ["CSI colour", "a\x1b[31mb"],
  ["CSI private mode", "a\x1b[?1049hb"],
  ["CSI unended", "a\x1b[31"],
  ["CSI 8-bit", "a\x9b2Jb"],
  ["OSC 0 title", "a\x1b]0;title\x07b"],
  ["OSC 8 link", "a\x1b]8;;https://evil.test\x1b\\text\x1b]8;;\x1b\\b"],
  ["OSC 52 clipboard", "a\x1b]52;c;cm0gLXJm\x07b"],
  ["OSC unended", "a\x1b]0;title"],
  ["OSC 8-bit", "a\x9d0;title\x9cb"],
  ["DCS", "a\x1bP1$r0m\x1b\\b"],
  ["APC", "a\x1b_Gf=100;AAAA\x1b\\b"],
  ["PM and SOS", "a\x1b^x\x1b\\\x1bXy\x1b\\b"],
  ["C1 controls", "a\x84\x85\x8d\x90b"],
  ["BEL", "a\x07b"],
  ["BS", "a\x08\x08b"],
  ["CR", "good\rbad"],
  ["LF", "a\nb"],
  ["NUL", "a\0b"],
  ["DEL", "a\x7fb"],
  ["bidi", "a\u202eb\u2066c\u2069\u061c"],
  ["zero-width", "a\u200bb\u200dc\ufeff"],
  ["tags and variation selectors", "a\u{e0041}\u{e0042}b\u{e0100}\ufe0f"],
  ["charset switch and reset", "a\x1b(0b\x1bcc"],
  ["lone ESC", "a\x1b"],
  ["line separators", "a\u2028b\u2029c"],
  ["lone surrogate", "a\ud83db"],
];

const forbidden = /[\x00-\x09\x0b-\x1f\x7f-\x9f\p{Cs}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\u2028\u2029]/u;

describe("terminalText", () => {
  it.each(hostile)("leaves nothing of %s that a terminal obeys", (_, text) => {
    expect(terminalText(text)).not.toMatch(forbidden);
    expect(terminalCell(text)).not.toMatch(forbidden);
    expect(terminalCell(text)).not.toContain("\n");
  });

  it("drops whole sequences and marks their place", () => {
    expect(terminalText("a\x1b]52;c;cm0gLXJm\x07b")).toBe("a\u241bb");
    expect(terminalText("a\x1b[31mb\x9b0mc")).toBe("a\u241bb\u241bc");
  });

  it("shows the rest of a sequence that never ends instead of hiding it", () => {
    expect(terminalText("a\x1b]0;title\nnext")).toBe("a\u241b0;title\nnext");
  });

  it("shows other controls by their pictures and keeps line breaks", () => {
    expect(terminalText("a\x07\x7f\rb\nc\td")).toBe("a\u2407\u2421\u240db\nc  d");
    expect(terminalCell("a\r\nb\nc\td")).toBe("a b c d");
  });

  it("keeps letters of every script and wide characters", () => {
    const text = "naïve – 日本語 – Привет – 🚀 – e\u0301";
    expect(terminalText(text)).toBe(text);
    expect(terminalCell(text)).toBe(text);
  });

  it("bounds stacked marks", () => {
    expect(terminalCell(`a${"\u0301".repeat(50)}b`)).toBe(`a${"\u0301".repeat(3)}b`);
  });

  it("is idempotent and clean for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        const once = terminalText(text);
        expect(once).not.toMatch(forbidden);
        expect(terminalText(once)).toBe(once);
        expect(terminalCell(terminalCell(text))).toBe(terminalCell(text));
      }),
    );
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...hostile.map(([, text]) => text), "\x1b", "[", "]", "\\", "m"), { maxLength: 12 }),
        (parts) => {
          const once = terminalText(parts.join(""));
          expect(once).not.toMatch(forbidden);
          expect(terminalText(once)).toBe(once);
        },
      ),
    );
  });
});

describe("truncateCell", () => {
  it("counts columns, not characters", () => {
    expect(truncateCell("日本語です", 10)).toBe("日本語です");
    expect(truncateCell("日本語です", 9)).toBe("日本語で…");
    expect(truncateCell("日本語です", 8)).toBe("日本語…");
    expect(truncateCell("plain", 3)).toBe("pl…");
    expect(truncateCell("plain", 1)).toBe("…");
    expect(truncateCell("plain", 0)).toBe("");
  });

  it("never exceeds its columns", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 40 }), fc.nat(30), (text, columns) => {
        expect(displayWidth(truncateCell(text, columns))).toBeLessThanOrEqual(columns);
      }),
    );
  });
});

describe("displayWidth", () => {
  it.each([
    ["abc", 3],
    ["日本", 4],
    ["한글", 4],
    ["ｆｕｌｌ", 8],
    ["e\u0301", 1],
    ["🚀", 2],
    ["👍🏽", 2],
    ["🇩🇪", 2],
    ["–…", 2],
  ])("of %s is %d", (text, columns) => {
    expect(displayWidth(text)).toBe(columns);
  });
});
