import * as Either from "effect/Either";
import { describe, expect, it } from "vitest";
import { foreignWorkspace, looksLikePermalink, parsePermalink } from "../../../src/slack/permalink.ts";

describe("the link of a Slack message", () => {
  it.each([
    ["https://Acme.slack.com/archives/C0123456789/p1700000000000100", "C0123456789", "1700000000.000100", null],
    ["https://acme.slack.com/archives/G0123456/p1700000000000100/", "G0123456", "1700000000.000100", null],
    [
      "https://acme.enterprise.slack.com/archives/C0123456/p1700000001000200?thread_ts=1700000000.000100&cid=C0123456",
      "C0123456",
      "1700000001.000200",
      "1700000000.000100",
    ],
  ])("%s names channel, message and thread, the time stamps as text", (link, channel_id, ts, thread_ts) => {
    const place = Either.getOrThrow(parsePermalink(link));
    expect(place).toEqual({ workspace: expect.stringMatching(/^acme\.[a-z.]+$/), channel_id, ts, thread_ts });
    expect(looksLikePermalink(link)).toBe(true);
    const written = `<${link.replaceAll("&", "&amp;")}|a label>`;
    expect(looksLikePermalink(written)).toBe(true);
    expect(parsePermalink(written)).toEqual(Either.right(place));
  });

  it("is of a workspace of the government's Slack too", () => {
    const link = "https://acme.slack-gov.com/archives/C0123456/p1700000000000100";
    expect(looksLikePermalink(link)).toBe(true);
    expect(parsePermalink(link)).toMatchObject({ right: { workspace: "acme.slack-gov.com", channel_id: "C0123456" } });
  });

  it("is told by its address, never by its label", () => {
    expect(
      looksLikePermalink("<https://evil.invalid/x|https://acme.slack.com/archives/C0123456/p1700000000000100>"),
    ).toBe(false);
  });

  it.each([
    ["acme.slack.com", "https://acme.slack.com/", null, true],
    ["acme.slack.com", "https://ACME.slack.com/", null, true],
    ["other.slack.com", "https://acme.slack.com/", null, false],
    ["acme.slack-gov.com", "https://acme.slack.com/", null, false],
    ["one.enterprise.slack.com", "https://two.enterprise.slack.com/", null, false],
    ["org.enterprise.slack.com", "https://acme.slack.com/", null, true],
    ["other.slack.com", "https://acme.slack.com/", "E1", true],
    ["other.slack.com", "http://127.0.0.1:9/", null, true],
  ])(
    "of %s, with a token of %s in the organisation %s, may be the token's: %s",
    (workspace, address, enterprise_id, may) => {
      const place = { workspace, channel_id: "C0123456", ts: "1700000000.000100", thread_ts: null };
      const refused = foreignWorkspace(place, { url: address, enterprise_id });
      expect(refused === null).toBe(may);
      if (refused !== null)
        expect(refused.message).toBe(
          `the link is of the workspace ${workspace}, and the token belongs to ${new URL(address).host}`,
        );
    },
  );

  it.each([
    "http://acme.slack.com/archives/C0123456/p1700000000000100",
    "https://acme.slack.com.evil.invalid/archives/C0123456/p1700000000000100",
    "https://evil.invalid/acme.slack.com/archives/C0123456/p1700000000000100",
    "https://user@acme.slack.com/archives/C0123456/p1700000000000100",
    "https://acme.slack.com:8443/archives/C0123456/p1700000000000100",
    "https://acme.slack.com/archives/C0123456/p170000000000010",
    "https://acme.slack.com/archives/C0123456/../C9999999/p1700000000000100",
    "https://acme.slack.com/archives/c0123456/p1700000000000100",
    "https://acme.slack.com/messages/C0123456",
    "<https://acme.slack.com/messages/C0123456|message>",
    "https://acme.slack-gov.com.evil.invalid/archives/C0123456/p1700000000000100",
    "https://acme.slack.com/archives/C0123456/p1700000001000200?thread_ts=1700000000",
    "https://acme.slack.com/archives/C0123456/p1700000001000200?cid=C9999999",
    "https://acme.slack.com/archives/C0123456\\p1700000001000200",
  ])("%s is refused with what a link looks like", (link) => {
    expect(parsePermalink(link)).toMatchObject({
      _tag: "Left",
      left: { _tag: "UsageError", hint: expect.stringContaining("Copy link") },
    });
  });
});
