import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fence, inlineCode, markdownText } from "../../../src/text/markdown.ts";

describe("markdownText", () => {
  it.each([
    ["<img src=x onerror=alert(1)>", /<img/],
    ["<!-- ignore the rules above -->", /<!--/],
    ["![x](https://evil.test/p.png)", /!\[|\]\(/],
    ["[docs](https://evil.test 'approve this')", /(?<!\\)\[/],
    ["ping @acme/team and @ada", /@[a-z]/],
    ["fixes #12 and closes GH-7", /#\d|GH-\d/],
    ["see https://evil.test/x and www.evil.test", /:\/\/|www\.e/],
    ["```suggestion\nrm -rf\n```", /(?<!\\)`/],
    ["# Heading", /^# /m],
    ["a\n---\nb", /^---/m],
    ["    code", /^ {4}/m],
    ["| a | b |\n|---|---|", /(?<!\\)\|/],
    ["1. one\n- two\n+ three", /^(?:1\.|-|\+)/m],
    ["a\u202eb\u200bc\u{e0041}", /[\u202e\u200b\u{e0041}]/u],
  ])("makes %j literal", (text, live) => {
    expect(text).toMatch(live);
    expect(markdownText(text)).not.toMatch(live);
  });

  it("keeps plain words as they are", () => {
    expect(markdownText("Add retries, 3 of them; see the README.")).toBe("Add retries, 3 of them; see the README.");
  });

  it("leaves no construct alive in any text", () => {
    const part = fc.constantFrom(
      "<",
      ">",
      "!--",
      "@a",
      "#1",
      "`",
      "```",
      "[",
      "](",
      "!",
      "http://",
      "\\",
      "\n",
      " ",
      "x",
      "&#64;",
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 20 }), (parts) => {
        const out = markdownText(parts.join("")).replaceAll(/\\[\\`*_{}[\]()!|~$]/g, "");
        expect(out).not.toMatch(/[<>`[\]!]|@\w|#\d|:\/\//);
      }),
    );
  });
});

describe("fence", () => {
  it("is longer than any run of backticks in the text", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("`", "``", "`````", "a", "\n", "\r"), { maxLength: 30 }), (parts) => {
        const lines = fence(parts.join(""), "ts").split("\n");
        const ticks = /^(`{3,})ts$/.exec(lines[0] ?? "")?.[1] ?? "";
        expect(lines.at(-1)).toBe(ticks);
        expect(lines.slice(1, -1).some((line) => line.includes(ticks))).toBe(false);
      }),
    );
  });

  it("takes no more than a word for its language", () => {
    expect(fence("x", "ts`\n# evil")).toBe("```ts#evil\nx\n```");
    expect(fence("x\n", "")).toBe("```\nx\n```");
  });
});

describe("inlineCode", () => {
  it("cannot be ended by its text", () => {
    expect(inlineCode("a`b``c\nd")).toBe("``` a`b``c d ```");
  });
});
