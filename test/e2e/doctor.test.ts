import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { channelId, hoursAgo, message, type SlackHome, slackHome, slackToken } from "./slack/support/slackHome.ts";

interface Finding {
  readonly name: string;
  readonly status: string;
  readonly detail: string;
  readonly fix: string;
}

let home: SlackHome;
beforeEach(async () => {
  home = await slackHome();
  home.say([message(hoursAgo(1), "good morning")]);
});
afterEach(async () => {
  await home.close();
});

const doctor = async (env: NodeJS.ProcessEnv = {}): Promise<ReadonlyMap<string, Finding>> => {
  const { body, stderr } = await home.json(["doctor"], { PATH: process.env.PATH, ...env });
  expect(JSON.stringify(body) + stderr).not.toContain(slackToken);
  return new Map((body.checks as ReadonlyArray<Finding>).map((finding) => [finding.name, finding]));
};

describe("adk doctor over the services", () => {
  it("says that the tokens are accepted, what they may do, and what is left of the limits", async () => {
    await home.json(["pr-scan"]);
    const found = await doctor();
    expect(found.get("slack")).toMatchObject({ status: "pass", detail: "the token is accepted; 1 channel found" });
    expect(found.get("slack scopes")).toMatchObject({ status: "pass" });
    expect(found.get("github github.com")).toMatchObject({
      status: "pass",
      detail: expect.stringMatching(/^no token: .* 5000 requests left/),
    });
    expect([...found.keys()].filter((name) => name.startsWith("slack #"))).toEqual([]);
  });

  it("names a refused token of each service, a missing scope and a channel that cannot be read, with what mends it", async () => {
    const state = home.slack.state();
    home.slack.setState({
      ...state,
      tokens: [{ token: slackToken, user: "U0ADK", scopes: ["channels:history", "channels:read"] }],
    });
    await home.run(["config", "set", "slack.channels", '["#reviews","#gone"]']);
    const found = await doctor({ GITHUB_TOKEN: "ghp_wrong_wrong_wrong" });
    expect(found.get("github github.com")).toMatchObject({
      status: "fail",
      fix: expect.stringContaining("renew GITHUB_TOKEN"),
    });
    expect(found.get("slack scopes")).toMatchObject({
      status: "warn",
      detail: expect.stringContaining("chat:write (reminders cannot be posted)"),
      fix: expect.stringContaining("OAuth & Permissions"),
    });
    expect(found.get("slack #gone")).toMatchObject({ status: "warn", fix: expect.stringContaining("/invite") });
    const refused = await doctor({ SLACK_BOT_TOKEN: "xoxb-wrong-wrong" });
    expect(refused.get("slack")).toMatchObject({ status: "fail", fix: expect.stringContaining("SLACK_BOT_TOKEN") });
  });

  it("says nothing bad about a Slack that is not set up", async () => {
    await home.run(["config", "set", "slack.channels", "[]"]);
    const found = await doctor({ SLACK_BOT_TOKEN: "" });
    expect(found.get("slack")).toMatchObject({ status: "pass", detail: "not configured: no token" });
  });

  it("says until when a host asked every process to wait", async () => {
    home.slack.behave("conversations.history", { kind: "limited", retryAfter: 600 });
    await home.json(["pr-scan"]);
    const found = await doctor();
    expect(found.get("limit slack.com conversations.history")).toMatchObject({
      status: "warn",
      detail: expect.stringMatching(/^asks to wait until \d{4}-/),
    });
    expect(home.slack.state().channels.map(({ id }) => id)).toEqual([channelId]);
  });
});
