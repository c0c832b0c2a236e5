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
eachWithSlackHome({ pulls: 2 }, (made) => {
  home = made;
});
afterEach(() => expect(home.slack.writes()).toEqual([]));

describe("adk pr-queue add with the link of a Slack message", () => {
  it("adds every PR of the thread, for the root's link and for a reply's", async () => {
    const [root, reply] = [hoursAgo(5), hoursAgo(4)];
    home.say([message(root, url(1)), message(reply, url(2), { thread: root })]);
    const link = permalink(reply);
    const { code, body } = await home.json(["pr-queue", "add", link]);
    expect({ code, body }).toEqual({
      code: 0,
      body: {
        added: [
          { pr_url: url(1), status: "pending" },
          { pr_url: url(2), status: "pending" },
        ],
        existing: [],
        failed: [],
      },
    });
    expect((await home.row(2)).slack).toMatchObject({ thread_ts: root, message_ts: reply, link_origin: "reply" });
    expect((await home.json(["pr-queue", "add", `${link}?thread_ts=${root}&cid=${channelId}`])).code).toBe(2);
  });

  it("says what is wrong: no message, no PR in it, no such address", async () => {
    const ts = hoursAgo(5);
    home.say([message(ts, "good morning")]);
    expect(await home.json(["pr-queue", "add", permalink(ts)])).toMatchObject({
      code: 1,
      body: { failed: [{ error: expect.stringContaining("no PR is linked") }] },
    });
    expect(await home.json(["pr-queue", "add", permalink("1600000000.000100")])).toMatchObject({
      code: 1,
      body: { failed: [{ error: expect.stringContaining("is gone") }] },
    });
    expect(await home.json(["pr-queue", "add", "https://acme.slack.com/messages/x"])).toMatchObject({
      code: 2,
      body: { error: { tag: "UsageError", message: expect.stringContaining("is not the link of a message") } },
    });
  });
});
