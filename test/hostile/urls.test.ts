import * as Either from "effect/Either";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { parsePrUrl } from "../../src/pr/prUrl.ts";
import { slackText } from "../../src/slack/escape.ts";
import { prLinksOf, supportingDocsOf } from "../../src/slack/links.ts";
import { parsePermalink } from "../../src/slack/permalink.ts";
import { type HostedHome, hostedHome } from "../cases/support/hosted.ts";

vi.setConfig({ testTimeout: 120_000 });

const options = { githubHosts: ["ghe.acme.test"] };
const one = "https://github.com/acme/shop/pull/1";
const docs = "https://acme.atlassian.net/wiki/spaces/X/pages/1";

/**
 * Addresses with what each is by hand: the PR it names when typed (null: refused), and the PRs that the same characters
 * name inside a Slack message, where an address ends at a space or a bracket and may be followed by a full stop.
 */
const table: ReadonlyArray<readonly [string, string | null, ReadonlyArray<string>]> = [
  // The 25 of the threat table.
  [one, one, [one]],
  ["https://GitHub.com/acme/shop/pull/1", one, [one]],
  [`${one}/files?w=1#diff-0`, one, [one]],
  ["https://evil.invalid/github.com/acme/shop/pull/1", null, []],
  ["https://github.com.evil.invalid/acme/shop/pull/1", null, []],
  ["https://github.com@evil.invalid/acme/shop/pull/1", null, []],
  ["https://ada:pass@github.com/acme/shop/pull/1", null, []],
  ["https://github.com:443/acme/shop/pull/1", null, []],
  ["https://github.com:8443/acme/shop/pull/1", null, []],
  ["https://github.com\\acme\\shop\\pull\\1", null, []],
  ["https://github.com\\@evil.invalid/acme/shop/pull/1", null, []],
  ["https://g\u0456thub.com/acme/shop/pull/1", null, []],
  ["https://xn--gthub-n4a.com/acme/shop/pull/1", null, []],
  [`${one}\nhttps://evil.invalid/x`, null, [one]],
  [`${one}\r\nHost: evil.invalid`, null, [one]],
  ["https://github.com/acme/%2e%2e/x/shop/pull/1", null, []],
  ["https://github.com/acme/../x/shop/pull/1", null, []],
  ["file:///github.com/acme/shop/pull/1", null, []],
  ["javascript:fetch('https://evil.invalid')", null, []],
  ["http://169.254.169.254/latest/meta-data/", null, []],
  ["https://169.254.169.254/acme/shop/pull/1", null, []],
  ["https://github.com/acme/shop/pull/0012", null, []],
  ["https://github.com/acme/shop/pull/12345678901234567890", null, []],
  ["https://github.com/acme/shop.git/pull/1", null, []],
  ["http://github.com/acme/shop/pull/1", null, []],
  // And more: hosts
  ["https://github.com./acme/shop/pull/1", null, []],
  ["https://GITHUB.COM./acme/shop/pull/1", null, []],
  ["https://github\u3002com/acme/shop/pull/1", null, []],
  ["https://\uff47ithub.com/acme/shop/pull/1", null, []],
  ["https://github.com\u200b/acme/shop/pull/1", null, []],
  ["https://gith\u00adub.com/acme/shop/pull/1", null, []],
  ["https://github%2ecom/acme/shop/pull/1", null, []],
  ["https://[::1]/acme/shop/pull/1", null, []],
  ["https://[::ffff:169.254.169.254]/acme/shop/pull/1", null, []],
  ["https://2130706433/acme/shop/pull/1", null, []],
  ["https://0x7f000001/acme/shop/pull/1", null, []],
  ["https://localhost/acme/shop/pull/1", null, []],
  ["https://metadata.google.internal/acme/shop/pull/1", null, []],
  ["https://ghe.acme.test.evil.invalid/acme/shop/pull/1", null, []],
  [
    "https://GHE.acme.test/acme/shop/pull/1",
    "https://ghe.acme.test/acme/shop/pull/1",
    ["https://ghe.acme.test/acme/shop/pull/1"],
  ],
  [
    "https://bitbucket.org/acme/shop/pull-requests/1/diff",
    "https://bitbucket.org/acme/shop/pull-requests/1",
    ["https://bitbucket.org/acme/shop/pull-requests/1"],
  ],
  ["https://bitbucket.org/acme/shop/pull/1", null, []],
  ["https://bitbucket.org:22/acme/shop/pull-requests/1", null, []],
  // authority
  ["https://@github.com/acme/shop/pull/1", null, []],
  ["https://:@github.com/acme/shop/pull/1", null, []],
  ["https://github.com:/acme/shop/pull/1", null, []],
  ["https://github.com%2f@evil.invalid/acme/shop/pull/1", null, []],
  ["https://github.com#@evil.invalid/acme/shop/pull/1", null, []],
  ["https://github.com?@evil.invalid/acme/shop/pull/1", null, []],
  // schemes
  ["HTTPS://github.com/acme/shop/pull/1", one, [one]],
  ["https:/github.com/acme/shop/pull/1", null, []],
  ["https:///github.com/acme/shop/pull/1", null, []],
  ["//github.com/acme/shop/pull/1", null, []],
  ["ssh://git@github.com/acme/shop/pull/1", null, []],
  ["data:text/html,https://github.com/acme/shop/pull/1", null, [one]],
  [`javascript:${one}`, null, [one]],
  [`view-source:${one}`, null, [one]],
  ["ext::sh -c touch% /tmp/x", null, []],
  // characters
  [`${one}\0`, null, []],
  ["https://git\thub.com/acme/shop/pull/1", null, []],
  [`\u202e${one}`, null, [one]],
  ["https://github.com/acme/shop/pull/\u0661", null, []],
  ["https://github.com/acme/sh\u043ep/pull/1", null, []],
  // paths and numbers
  ["https://github.com//acme/shop/pull/1", null, []],
  ["https://github.com/acme//shop/pull/1", null, []],
  ["https://github.com/acme%2fshop/pull/1", null, []],
  ["https://github.com/acme/shop%2f..%2fx/pull/1", null, []],
  ["https://github.com/acme/..%2fshop/pull/1", null, []],
  ["https://github.com/-acme/shop/pull/1", null, []],
  ["https://github.com/acme/--upload-pack=x/pull/1", null, []],
  ["https://github.com/acme/shop/pull/-1", null, []],
  ["https://github.com/acme/shop/pull/1e3", null, []],
  ["https://github.com/acme/shop/pull/2147483648", null, []],
  ["https://github.com/login?return_to=https://github.com/acme/shop/pull/1", null, []],
  ["https://github.com/acme/shop#https://github.com/acme/shop/pull/1", null, []],
];

describe("an odd address", () => {
  it.each(table)("%j is, typed, %j", (text, typed) => {
    const parsed = parsePrUrl(text, options);
    expect(Either.isRight(parsed) ? parsed.right.pr_url : null).toBe(typed);
  });

  it.each(table)("%j is, inside a message, what is left at the end of its characters", (text, _, said) => {
    expect(prLinksOf({ text, links: [] }, options).map(({ pr_url }) => pr_url)).toEqual(said);
  });

  it.each(table)("%j is no document and no message of Slack", (text) => {
    expect(supportingDocsOf({ text: `<${text}>`, links: [text] })).toEqual([]);
    expect(Either.isLeft(parsePermalink(text))).toBe(true);
  });

  it("is told by where it leads, never by the label that somebody gave it", () => {
    expect(prLinksOf({ text: `<https://evil.invalid|${one}>`, links: [] }, options)).toEqual([]);
    expect(prLinksOf({ text: `<${one}|https://evil.invalid>`, links: [] }, options)).toHaveLength(1);
  });
});

describe("the list of hosts that documents may be on", () => {
  it.each([
    [docs, [docs]],
    ["https://docs.google.com/document/d/1/edit", ["https://docs.google.com/document/d/1/edit"]],
    ["https://www.figma.com/file/1", ["https://www.figma.com/file/1"]],
    ["http://acme.atlassian.net/wiki/1", []],
    ["https://acme.atlassian.net.evil.invalid/wiki/1", []],
    ["https://a.b.atlassian.net/wiki/1", []],
    ["https://evilatlassian.net/wiki/1", []],
    ["https://acme.atlassian.net@evil.invalid/wiki/1", []],
    ["https://ada:pass@acme.atlassian.net/wiki/1", []],
    ["https://acme.atlassian.net:8443/wiki/1", []],
    ["https://acme.atlassian.net\\@evil.invalid/wiki/1", []],
    ["https://docs.google.com.evil.invalid/d/1", []],
    ["https://d\u043ecs.google.com/d/1", []],
    ["https://169.254.169.254/latest/meta-data/", []],
    ["https://[::1]/wiki/1", []],
    ["file:///etc/passwd", []],
    ["javascript:alert(1)", []],
    ["data:text/html,x", []],
  ])("of %j takes %j", (text, taken) => {
    expect(supportingDocsOf({ text: `see <${text}>`, links: [] })).toEqual(taken);
  });
});

describe("adk pr-queue add", () => {
  let home: HostedHome;
  beforeAll(async () => {
    home = await hostedHome();
  });
  afterAll(() => home.close());

  it("refuses every odd address with a message that steers nothing, and asks no host for it", async () => {
    // A word with NUL cannot be given to a program, and one with spaces is several words of a list.
    const odd = table.filter(([text, typed]) => typed === null && !/[\0\s]/.test(text)).map(([text]) => text);
    expect(odd.length).toBeGreaterThan(50);
    for (const words of [odd.slice(0, 1), odd.slice(1)]) {
      const { code, stdout, stderr } = await home.run(["pr-queue", "add", ...words]);
      expect(code).toBe(2);
      expect(stdout + stderr).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\p{Default_Ignorable_Code_Point}]/u);
    }
    expect(home.fake.ledger).toEqual([]);
    expect((await home.json(["pr-queue", "list"])).body.prs).toEqual([]);
  });
});

describe("text that Slack shows", () => {
  it.each([
    ["<!channel>", "&lt;!channel&gt;"],
    ["<@U1>", "&lt;@U1&gt;"],
    ["<http://x|y>", "&lt;http://x|y&gt;"],
    ["&lt;!here&gt;", "&amp;lt;!here&amp;gt;"],
    ["a\nb\u202ec\x1b[2Jd", "a bc\u241bd"],
  ])("%j is %j", (text, shown) => {
    expect(slackText(text)).toBe(shown);
  });
});
