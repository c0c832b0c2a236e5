import { describe, expect, it } from "vitest";
import { newRow } from "../../../src/queue/row.ts";
import { linksInThread, type ReadThread, type ScanRules, withOrigins } from "../../../src/scan/origins.ts";
import { readMessage } from "../../../src/slack/readMessage.ts";
import type { SlackMessage } from "../../../src/slack/types.ts";

const identity = { user_id: "U0ADK", bot_id: "B0ADK", team_id: "T1", url: "https://acme.slack.com/", scopes: [] };
const rules: ScanRules = { githubHosts: [], identity, filterUsers: [] };
const url = (n: number): string => `https://github.com/acme/shop/pull/${n}`;
const root = "1700000000.000100";

const message = (over: Record<string, unknown>): SlackMessage => {
  const read = readMessage({ ts: root, text: "", ...over });
  if (read === null) throw new Error("no message");
  return read;
};
const thread = (...messages: ReadonlyArray<SlackMessage>): ReadThread => ({ channel_id: "C1", messages });
const found = (read: ReadThread, more: Partial<ScanRules> = {}) =>
  linksInThread(read, { ...rules, ...more }).map(({ pr, origin }) => [
    pr.pr_number,
    origin.link_origin,
    origin.message_ts,
  ]);

describe("PRs of a Slack thread", () => {
  it("count whoever wrote: members of other workspaces, people that are gone, bots", () => {
    const read = thread(
      message({ user: "U9STRANGER", user_team: "T2", text: url(1) }),
      message({ ts: "1700000001.000100", thread_ts: root, text: url(2) }),
      message({ ts: "1700000002.000100", thread_ts: root, bot_id: "B9", subtype: "bot_message", text: url(3) }),
    );
    expect(found(read)).toEqual([
      [1, "main", root],
      [2, "reply", "1700000001.000100"],
      [3, "reply", "1700000002.000100"],
    ]);
  });

  it("do not count in what adk wrote itself, nor in a deleted root", () => {
    const read = thread(
      message({ subtype: "tombstone", user: "USLACKBOT", text: url(1) }),
      message({ ts: "1700000001.000100", thread_ts: root, user: "U0ADK", text: url(2) }),
      message({ ts: "1700000002.000100", thread_ts: root, user: "U1", text: url(3) }),
    );
    expect(found(read)).toEqual([[3, "reply", "1700000002.000100"]]);
  });

  it("belong to their thread's root, also where a reply was sent to the channel too", () => {
    const broadcast = message({
      ts: "1700000005.000100",
      thread_ts: root,
      subtype: "thread_broadcast",
      user: "U1",
      text: url(1),
    });
    const [link] = linksInThread(thread(message({ user: "U1" }), broadcast), rules);
    expect(link?.origin).toEqual({
      channel_id: "C1",
      thread_ts: root,
      message_ts: "1700000005.000100",
      permalink: `https://acme.slack.com/archives/C1/p1700000005000100?thread_ts=${root}&cid=C1`,
      link_origin: "reply",
      n_pr_links_in_message: 1,
    });
  });

  it("count with a filter only where one of its people wrote or is mentioned", () => {
    const read = thread(message({ user: "U1", text: `<@U7MARA> ${url(1)}` }));
    expect(found(read, { filterUsers: ["U7MARA"] })).toHaveLength(1);
    expect(found(read, { filterUsers: ["U1"] })).toHaveLength(1);
    expect(found(read, { filterUsers: ["U2"] })).toEqual([]);
  });

  it("are read from blocks and shared messages, and from an unfurled page by its address alone", () => {
    const read = message({
      user: "U1",
      blocks: [
        { type: "rich_text", elements: [{ type: "rich_text_section", elements: [{ type: "link", url: url(1) }] }] },
      ],
      attachments: [
        { from_url: url(2), title: "A PR", text: `fixes ${url(3)}` },
        { from_url: "https://acme.slack.com/archives/C2/p1", text: `shared: ${url(4)}` },
        { title_link: url(5), text: `by an app: ${url(6)}` },
      ],
    });
    expect(linksInThread(thread(read), rules).map(({ pr }) => pr.pr_number)).toEqual([1, 2, 4, 5, 6]);
  });

  it("have time stamps that are text; a message whose stamp is a number is none", () => {
    expect(readMessage({ ts: 1700000000.0001, text: url(1) })).toBeNull();
    expect(readMessage({ ts: "1700000000.0001", text: url(1) })).toBeNull();
    expect(readMessage("text")).toBeNull();
  });
});

describe("a row's threads", () => {
  const row = newRow({
    platform: "github",
    host: "github.com",
    owner: "acme",
    repo: "shop",
    pr_number: 1,
    pr_url: url(1),
  });
  const origin = (n: number) => ({
    channel_id: "C1",
    thread_ts: `170000000${n}.000100`,
    message_ts: `170000000${n}.000100`,
  });

  it("keep the first as the row's own and what is known of each; the same row when nothing changed", () => {
    const first = withOrigins(
      row,
      { origins: [origin(1), origin(2)], docs: ["https://docs.google.com/d/1"] },
      new Set(),
    );
    expect([first.slack, first.slack_threads, first.supporting_docs]).toEqual([
      origin(1),
      [origin(2)],
      ["https://docs.google.com/d/1"],
    ]);
    const reminded = { ...first, slack: { ...origin(1), last_reminded_at: "2026-01-01T00:00:00Z" } };
    expect(withOrigins(reminded, { origins: [origin(2), origin(1)], docs: [] }, new Set(["C1/x"]))).toBe(reminded);
  });

  it("lose what was read and links no more, and the next thread becomes the row's own", () => {
    const both = withOrigins(row, { origins: [origin(1), origin(2)], docs: [] }, new Set());
    const left = withOrigins(both, { origins: [], docs: [] }, new Set(["C1/1700000001.000100"]));
    expect([left.slack, left.slack_threads]).toEqual([origin(2), []]);
  });
});
