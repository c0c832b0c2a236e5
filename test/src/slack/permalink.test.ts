import * as Either from "effect/Either";
import { describe, expect, it } from "vitest";
import { looksLikePermalink, parsePermalink } from "../../../src/slack/permalink.ts";

describe("the link of a Slack message", () => {
  it.each([
    ["https://acme.slack.com/archives/C0123456789/p1700000000000100", "C0123456789", "1700000000.000100", null],
    ["https://acme.slack.com/archives/G0123456/p1700000000000100/", "G0123456", "1700000000.000100", null],
    [
      "https://acme.enterprise.slack.com/archives/C0123456/p1700000001000200?thread_ts=1700000000.000100&cid=C0123456",
      "C0123456",
      "1700000001.000200",
      "1700000000.000100",
    ],
  ])("%s names channel, message and thread, the time stamps as text", (link, channel_id, ts, thread_ts) => {
    expect(parsePermalink(link)).toEqual(Either.right({ channel_id, ts, thread_ts }));
    expect(looksLikePermalink(link)).toBe(true);
  });

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
