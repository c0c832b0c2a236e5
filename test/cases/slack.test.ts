import { describe, expect, it } from "vitest";
import { newRow } from "../../src/queue/row.ts";
import { eachWithSlackHome, hoursAgo, message, type SlackHome, url } from "../e2e/slack/support/slackHome.ts";

let home: SlackHome;
eachWithSlackHome({ pulls: 3 }, (made) => {
  home = made;
});

describe("a queue row's Slack thread", () => {
  it("has time stamps that are text; a number is refused with its place and nothing is rewritten", async () => {
    const row = newRow({
      platform: "github",
      host: "github.com",
      owner: "acme",
      repo: "shop",
      pr_number: 1,
      pr_url: url(1),
    });
    const broken = {
      ...row,
      slack: { channel_id: "C0REVIEWS", thread_ts: 1_700_000_000.0001, message_ts: "1700000000.000100" },
    };
    home.write([broken as never]);
    const before = home.bytes();
    const { code, body } = await home.json(["pr-queue", "set-status", url(1), "pending"]);
    expect(code).toBe(3);
    expect(body.error.message).toMatch(/thread_ts/);
    expect(home.bytes()).toEqual(before);
  });
});

describe("a scan that is cut off in the middle", () => {
  it("loses nothing: the next one reads the window again and adds what is missing, once", async () => {
    home.say([message(hoursAgo(5), url(1)), message(hoursAgo(4), url(2)), message(hoursAgo(3), url(3))]);
    home.slack.behave("conversations.history", { kind: "drop" });
    expect((await home.json(["pr-scan"])).body.failed).toEqual([
      { channel: "#reviews", error: expect.stringContaining("was not reached") },
    ]);
    expect((await home.json(["pr-scan"])).body.added).toHaveLength(3);
    expect((await home.json(["pr-scan"])).body).toMatchObject({ added: [], updated: [] });
    expect((await home.json(["pr-queue", "list"])).body.counts.total).toBe(3);
  });

  it("and two scans at once make one row of each PR", async () => {
    home.say([message(hoursAgo(5), `${url(1)} ${url(2)}`), message(hoursAgo(4), `${url(2)} ${url(3)}`)]);
    const ends = await Promise.all([1, 2, 3].map(() => home.run(["pr-scan", "--json"])));
    expect(ends.map(({ code }) => code)).toEqual([0, 0, 0]);
    const { prs } = (await home.json(["pr-queue", "list"])).body;
    expect(prs.map(({ pr_url }: { pr_url: string }) => pr_url).sort()).toEqual([url(1), url(2), url(3)]);
  });
});
