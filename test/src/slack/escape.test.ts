import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { slackText, slackUnescape } from "../../../src/slack/escape.ts";

describe("text on its way to Slack", () => {
  it.each([
    ["<!channel> <@U1> <#C1>", "&lt;!channel&gt; &lt;@U1&gt; &lt;#C1&gt;"],
    ["<https://evil.invalid|your bank>", "&lt;https://evil.invalid|your bank&gt;"],
    ["a & b", "a &amp; b"],
    ["two\nlines\r\nand\ttabs", "two lines and tabs"],
  ])("%j stays text", (input, output) => {
    expect(slackText(input)).toBe(output);
  });

  it("can be no markup, no control and no bidi character, and is never longer than asked for", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), fc.integer({ min: 1, max: 120 }), (input, max) => {
        const text = slackText(input, max);
        expect(text).not.toMatch(/[<>\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u200b]/);
        expect(text.replaceAll(/&(?:amp|lt|gt);/g, "")).not.toContain("&");
        expect([...slackUnescape(text)].length).toBeLessThanOrEqual(max);
      }),
    );
  });
});
