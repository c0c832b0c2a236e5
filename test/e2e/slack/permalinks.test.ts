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

  it("takes it as Slack writes it, with its label and its entities", async () => {
    const [root, reply] = [hoursAgo(5), hoursAgo(4)];
    home.say([message(root, url(1)), message(reply, "ok", { thread: root })]);
    const link = `<${permalink(reply)}?thread_ts=${root}&amp;cid=${channelId}|please review>`;
    expect((await home.json(["pr-queue", "add", link])).body.added).toEqual([{ pr_url: url(1), status: "pending" }]);
  });

  it("refuses one of another workspace by both names before it reads anything there", async () => {
    const ts = hoursAgo(5);
    home.say([message(ts, url(1))]);
    for (const [workspace, remedy] of [
      ["other.slack.com", "set a token of other.slack.com,"],
      ["acme.slack-gov.com", "SLACK_API_URL=https://slack-gov.com/api/"],
    ] as const) {
      const { code, stderr } = await home.run(["pr-queue", "add", permalink(ts, workspace)]);
      expect(code).toBe(2);
      expect(stderr).toContain(`the link is of the workspace ${workspace}, and the token belongs to acme.slack.com`);
      expect(stderr).toContain(remedy);
    }
    expect(new Set(home.slack.ledger.map(({ method }) => method))).toEqual(new Set(["auth.test"]));
    expect((await home.json(["pr-queue", "list"])).body.counts.total).toBe(0);
  });

  it("reads a direct message of the token's owner with its scope, and says why it cannot read another", async () => {
    const ts = hoursAgo(5);
    const direct = (id: string): string => permalink(ts).replace(channelId, id);
    home.say([message(ts, url(1))], { id: "D0DIRECT", name: "" });
    const poor = await home.run(["pr-queue", "add", direct("D0DIRECT")]);
    expect(poor).toMatchObject({ code: 1, stderr: expect.stringContaining("lacks the scope im:history") });
    const state = home.slack.state();
    home.slack.setState({
      ...state,
      tokens: state.tokens.map((token) => ({ ...token, scopes: [...token.scopes, "im:history"] })),
    });
    expect((await home.json(["pr-queue", "add", direct("D0DIRECT")])).body.added).toHaveLength(1);
    const { stderr } = await home.run(["pr-queue", "add", direct("D0OTHERS")]);
    expect(stderr).toMatch(
      /D0OTHERS is a direct message that the token's owner is not part of — add the PR by its URL/,
    );
  });
});
