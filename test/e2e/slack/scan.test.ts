import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import {
  channelId,
  eachWithSlackHome,
  hoursAgo,
  message,
  permalink,
  type SlackHome,
  url,
} from "./support/slackHome.ts";

let home: SlackHome;
eachWithSlackHome({ pulls: 12 }, (made) => {
  home = made;
});
afterEach(() => expect(home.slack.writes()).toEqual([]));

describe("adk pr-scan", () => {
  it("queues each linked PR once with its place in Slack, whatever the form of the link", async () => {
    const [root, second, third, reply] = [hoursAgo(5), hoursAgo(4), hoursAgo(3), hoursAgo(2)];
    home.say([
      message(root, `please review <${url(1)}/files?w=1&amp;x=2|our fix>, and \`${url(2)}\`.`),
      message(second, "an unfurl only", { attachments: [{ from_url: url(3), title: "x", text: `see ${url(9)}` }] }),
      message(third, `<https://evil.invalid/github.com/acme/shop/pull/4|${url(4)}> <!channel>`),
      message(reply, `and ${url(5)}#discussion_r1 (${url(1)})`, { thread: third }),
      message(hoursAgo(1), `posted by adk: ${url(6)}`, { user: "U0ADK", bot: "B0ADK" }),
    ]);
    const { code, body } = await home.json(["pr-scan"]);
    expect(code).toBe(0);
    expect(body).toMatchObject({ scanned: { channels: 1, messages: 5, threads: 4 }, found: 4, failed: [] });
    expect(body.added.map((one: { pr_url: string }) => one.pr_url).sort()).toEqual([url(1), url(2), url(3), url(5)]);
    expect((await home.row(1)).slack).toEqual({
      channel_id: channelId,
      thread_ts: root,
      message_ts: root,
      permalink: permalink(root),
      link_origin: "main",
      n_pr_links_in_message: 2,
    });
    expect((await home.row(1)).slack_threads).toEqual([
      {
        channel_id: channelId,
        thread_ts: third,
        message_ts: reply,
        permalink: `${permalink(reply)}?thread_ts=${third}&cid=${channelId}`,
        link_origin: "reply",
        n_pr_links_in_message: 2,
      },
    ]);
    expect((await home.row(5)).title).toBe("Change 5");
  });

  it("says what it would do with --dry-run, and writes nothing when there is no news", async () => {
    home.say([message(hoursAgo(5), url(1))]);
    const dry = await home.json(["pr-scan", "--dry-run"]);
    expect(dry.body).toMatchObject({ dry_run: true, added: [{ pr_url: url(1) }] });
    expect((await home.json(["pr-queue", "list"])).body.counts.total).toBe(0);
    await home.json(["pr-scan"]);
    const before = home.bytes();
    const again = await home.json(["pr-scan"]);
    expect(again.body).toMatchObject({ added: [], updated: [], existing: [url(1)] });
    expect(home.bytes()).toEqual(before);
  });

  it("says what to type next when it queued something, and only to a person", async () => {
    home.say([message(hoursAgo(5), url(1))]);
    expect((await home.run(["pr-scan", "--dry-run"])).stdout).not.toContain("next:");
    const { stdout } = await home.run(["pr-scan"]);
    expect(stdout).toBe(
      `1 message in 1 thread of 1 channel: 1 PR found, 1 added, 0 with other threads, 0 skipped, 0 failed\n  added ${url(1)}\nnext: adk pr-sync\n`,
    );
    expect((await home.run(["pr-scan"])).stdout).not.toContain("next:");
    home.change((messages) => [...messages, message(hoursAgo(4), url(2))]);
    expect(JSON.stringify(await home.json(["pr-scan"]))).not.toContain("next:");
  });

  it("finds an old thread by its new reply, and nothing older than the window", async () => {
    const old = hoursAgo(24 * 20);
    home.say([
      message(old, url(1)),
      message(hoursAgo(1), `see also ${url(2)}`, { thread: old }),
      message(hoursAgo(24 * 21), url(3)),
      message(hoursAgo(24 * 3), url(4)),
    ]);
    const two = await home.json(["pr-scan", "--since-days", "2"]);
    expect(two.body.added.map((one: { pr_url: string }) => one.pr_url).sort()).toEqual([url(1), url(2)]);
    const hours = await home.json(["pr-scan", "--since-hours", "100"]);
    expect(hours.body.added.map((one: { pr_url: string }) => one.pr_url)).toEqual([url(4)]);
  });

  it("follows edits and deletions: a link that is gone leaves the row's threads, and the row stays", async () => {
    const [first, second, third] = [hoursAgo(9), hoursAgo(8), hoursAgo(7)];
    home.say([
      message(first, url(1)),
      message(second, `${url(1)} ${url(2)}`),
      message(third, url(3)),
      message(hoursAgo(6), "ok", { thread: third }),
    ]);
    await home.json(["pr-scan"]);
    home.change((messages) =>
      messages
        .filter(({ ts }) => ts !== first)
        .map((one) =>
          one.ts === third
            ? { ...one, deleted: true }
            : one.ts === second
              ? { ...one, text: url(4), edited: true }
              : one,
        ),
    );
    const { body } = await home.json(["pr-scan"]);
    expect(body.updated.sort()).toEqual([url(1), url(2), url(3)]);
    expect(body.added).toEqual([{ pr_url: url(4), status: "pending" }]);
    for (const number of [1, 2, 3]) {
      const row = await home.row(number);
      expect([row.slack, row.slack_threads, row.status]).toEqual([null, [], "pending"]);
    }
  });

  it("leaves the threads of a row under review as they were claimed", async () => {
    const ts = hoursAgo(9);
    home.say([message(ts, url(1))]);
    await home.json(["pr-sync"]);
    expect((await home.json(["pr-queue", "claim", url(1)])).code).toBe(0);
    home.change(() => []);
    await home.json(["pr-scan"]);
    expect((await home.row(1)).slack).toMatchObject({ thread_ts: ts });
  });

  it("does not queue merged PRs", async () => {
    home.pulls([
      { number: 1, head: "c1", headSha: home.repo.sha("c1"), base: "main", mergedAt: "2026-01-02T00:00:00Z" },
      { number: 2, head: "c2", headSha: home.repo.sha("c2"), base: "main" },
    ]);
    home.say([message(hoursAgo(2), `${url(1)} ${url(2)}`)]);
    const { code, body } = await home.json(["pr-scan"]);
    expect(code).toBe(0);
    expect(body.added).toEqual([{ pr_url: url(2), status: "pending" }]);
    expect(body.skipped).toEqual([{ pr_url: url(1), why: "is merged" }]);
  });

  it("names a channel that cannot be read with what mends it, and reads the others", async () => {
    home.say([message(hoursAgo(2), url(1))]);
    const { code, body } = await home.json(["pr-scan", "--channels", "nowhere, C0ARCHIVE"]);
    expect(code).toBe(1);
    expect(body.added).toEqual([{ pr_url: url(1), status: "pending" }]);
    expect(body.failed.map((one: { channel: string }) => one.channel)).toEqual(["nowhere", "C0ARCHIVE"]);
    home.say([message(hoursAgo(2), url(2))], { isMember: false });
    const refused = await home.json(["pr-scan"]);
    expect(refused.body.failed).toEqual([{ channel: "#reviews", error: expect.stringContaining("/invite @your-app") }]);
  });

  it("is refused with what to do when there is no token, a wrong one, or no channel", async () => {
    expect(await home.json(["pr-scan"], { SLACK_BOT_TOKEN: "" })).toMatchObject({
      code: 2,
      body: { error: { tag: "SlackNotConfigured", hint: expect.stringContaining("SLACK_BOT_TOKEN") } },
    });
    expect(await home.json(["pr-scan"], { SLACK_BOT_TOKEN: "xoxb-wrong-token" })).toMatchObject({
      code: 1,
      body: { error: { tag: "SlackRefused" } },
    });
    await home.run(["config", "set", "slack.channels", "[]"]);
    expect(await home.json(["pr-scan"])).toMatchObject({
      code: 2,
      body: { error: { message: "no channel is named to look for PRs in" } },
    });
  });

  it("goes on past a thread that was deleted after its channel was read, and forgets nothing by it", async () => {
    const [first, second] = [hoursAgo(3), hoursAgo(2)];
    home.say([
      message(first, url(1)),
      message(hoursAgo(1), "ok", { thread: first }),
      message(second, url(2)),
      message(hoursAgo(1, 200), "ok", { thread: second }),
    ]);
    expect((await home.json(["pr-scan"])).body.added).toHaveLength(2);
    const before = home.bytes();
    home.slack.behave("conversations.replies", { kind: "error", error: "thread_not_found" }, 1);
    const { code, body } = await home.json(["pr-scan"]);
    expect({ code, ...body }).toMatchObject({
      code: 0,
      scanned: { threads: 1, vanished: 1 },
      existing: [url(2)],
      failed: [],
    });
    expect(home.bytes()).toEqual(before);
    home.slack.behave("conversations.replies", { kind: "error", error: "thread_not_found" }, 1);
    const said = await home.run(["pr-scan", "-v"]);
    expect(said.stdout).toMatch(/^2 messages in 1 thread of 1 channel \(1 more deleted meanwhile\): 1 PR found, /);
    expect(said.stderr).toMatch(
      new RegExp(`thread ${first.replace(".", "\\.")} in ${channelId} was deleted while it was read`),
    );
    const [log = ""] = readdirSync(join(home.data, "logs"));
    expect(readFileSync(join(home.data, "logs", log), "utf8")).toContain(`thread ${first} in ${channelId} was deleted`);
  });

  it("waits out a rate limit and goes on", async () => {
    home.say([message(hoursAgo(2), url(1))]);
    home.slack.behave("conversations.history", { kind: "limited", retryAfter: 1 });
    expect((await home.json(["pr-scan"])).body.added).toHaveLength(1);
  });

  it("runs inside pr-sync, and a Slack that does not answer is a warning there", async () => {
    home.say([message(hoursAgo(2), url(1))]);
    const { code, body } = await home.json(["pr-sync"]);
    expect(code).toBe(0);
    expect(body.ready).toEqual([url(1)]);
    home.slack.behave("*", { kind: "page", status: 503 }, 20);
    const down = await home.json(["pr-sync"]);
    expect(down.code).toBe(0);
    expect(down.stderr).toContain("Slack was not reached");
    const without = await home.json(["pr-sync", "--no-scan", "--no-remind"]);
    expect(without.stderr).toBe("");
  });
});
