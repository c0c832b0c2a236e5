import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { prLinksOf, supportingDocsOf, urlsOf } from "../../../src/slack/links.ts";

const hosts = { githubHosts: ["ghe.acme.example"] };
const links = (text: string, outside: ReadonlyArray<string> = []): ReadonlyArray<string> =>
  prLinksOf({ text, links: outside }, hosts).map(({ pr_url }) => pr_url);
const url = (n: number): string => `https://github.com/acme/shop/pull/${n}`;

describe("PR links of a Slack message", () => {
  it.each([
    ["the address, never the label", `<${url(123)}|${url(12)}…>`, [123]],
    ["entities decoded", `<${url(1)}/files?a=1&amp;b=2>`, [1]],
    ["two in one message", `<${url(1)}|one><${url(2)}|two>`, [1, 2]],
    ["bare, with what follows it in a sentence", `see ${url(1)}. (${url(2)}), "${url(3)}"!`, [1, 2, 3]],
    ["in code", `\`${url(1)}\` and \`\`\`${url(2)}\`\`\``, [1, 2]],
    ["each once", `${url(1)} ${url(1)}/files <${url(1)}#discussion_r1>`, [1]],
    ["in the order of the text", `${url(5)} <${url(3)}> ${url(4)}`, [5, 3, 4]],
    ["bold and struck", `*${url(1)}* ~${url(2)}~ _${url(3)}_`, [1, 2, 3]],
  ])("are %s", (_, text, numbers) => {
    expect(links(text)).toEqual(numbers.map(url));
  });

  it.each([
    "https://evil.invalid/github.com/acme/shop/pull/1",
    "https://github.com.evil.invalid/acme/shop/pull/1",
    "https://github.com@evil.invalid/acme/shop/pull/1",
    "http://github.com/acme/shop/pull/1",
    "https://github.com/acme/shop/issues/1",
    "https://github.com/acme/shop/pulls",
    "https://github.com/acme/shop/pull/0",
    `<mailto:a@b.c|${url(1)}>`,
    `<@U123|${url(1)}>`,
    `<#C123|${url(1)}>`,
    `<!subteam^S1|${url(1)}>`,
  ])("are not seen in %s", (text) => {
    expect(links(text)).toEqual([]);
  });

  it("stand outside the text too, and on every known host", () => {
    expect(
      links("", [url(1), "https://ghe.acme.example/a/b/pull/2", "https://bitbucket.org/a/b/pull-requests/3"]),
    ).toEqual([url(1), "https://ghe.acme.example/a/b/pull/2", "https://bitbucket.org/a/b/pull-requests/3"]);
  });

  it("are found in any text in a moment, and each names a known host", () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom("<", ">", "|", "https://github.com/a/b/pull/1", "&amp;", " ", "/", "x", "\n"),
          maxLength: 300,
        }),
        (text) => {
          for (const link of links(text)) expect(link).toBe("https://github.com/a/b/pull/1");
        },
      ),
    );
    const started = performance.now();
    urlsOf({ text: "<https://".repeat(20_000), links: [] });
    urlsOf({ text: "https://x".repeat(20_000), links: [] });
    expect(performance.now() - started).toBeLessThan(1000);
  });
});

describe("supporting documents", () => {
  it("are addresses of the known kinds of documents, https alone", () => {
    const wanted = [
      "https://acme.atlassian.net/browse/SHOP-1",
      "https://acme.atlassian.net/wiki/spaces/A/pages/1",
      "https://docs.google.com/document/d/1/edit",
      "https://www.figma.com/file/1",
    ];
    const other = [
      "http://docs.google.com/document/d/1",
      "https://docs.google.com.evil.invalid/d/1",
      "https://user@docs.google.com/d/1",
      "https://docs.google.com:8443/d/1",
      "https://github.com/acme/shop/pull/1",
      "https://169.254.169.254/latest",
    ];
    expect(supportingDocsOf({ text: [...wanted, ...other].join(" "), links: [] })).toEqual(wanted);
  });
});
