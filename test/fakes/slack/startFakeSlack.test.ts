import { WebClient } from "@slack/web-api";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type FakeSlack, type FakeSlackOptions, startFakeSlack } from "./startFakeSlack.ts";
import { allScopes } from "./state.ts";

const ts = "1700000000.000100";
const at = { channel: "C0000001", timestamp: ts };
const options: FakeSlackOptions = {
  rated: true,
  state: {
    team: { id: "T1", domain: "acme" },
    tokens: [
      { token: "xoxb-one", user: "U1", bot: "B1", scopes: allScopes },
      { token: "xoxb-two", user: "U2", scopes: allScopes },
      { token: "xoxb-poor", user: "U3", scopes: [] },
    ],
    channels: [{ id: "C0000001", name: "reviews", messages: [{ ts, user: "U9", text: "please review" }] }],
    users: [{ id: "U9", name: "grace", realName: "Grace H" }],
  },
};

let fake: FakeSlack;
beforeEach(async () => {
  fake = await startFakeSlack(options);
});
afterEach(() => fake.close());

type Answer = Readonly<Record<string, unknown>>;

/** Slack's own client; an error code is the answer where there is one. */
const call = async (method: string, args: Record<string, unknown> = {}, token = "xoxb-one"): Promise<Answer> => {
  const client = new WebClient(token, {
    slackApiUrl: fake.url,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    allowAbsoluteUrls: false,
  });
  return client.apiCall(method, args).then(
    (answer) => answer as unknown as Answer,
    (error: { readonly data?: Answer; readonly retryAfter?: number }) => error.data ?? { retryAfter: error.retryAfter },
  );
};

describe("the fake Slack", () => {
  it("keeps a user's reaction once, and takes away none but the user's own", async () => {
    expect(await call("reactions.add", { ...at, name: "eyes" })).toMatchObject({ ok: true });
    expect(await call("reactions.add", { ...at, name: "eyes" })).toMatchObject({ error: "already_reacted" });
    expect(await call("reactions.add", { ...at, name: "eyes" }, "xoxb-two")).toMatchObject({ ok: true });
    expect(await call("reactions.get", { ...at, full: true })).toMatchObject({
      type: "message",
      message: { ts, reactions: [{ name: "eyes", users: ["U1", "U2"], count: 2 }] },
    });
    expect(await call("conversations.history", { channel: at.channel })).toMatchObject({
      messages: [{ ts, reactions: [{ name: "eyes", count: 2 }] }],
    });
    expect(await call("reactions.remove", { ...at, name: "warning" })).toMatchObject({ error: "no_reaction" });
    expect(await call("reactions.remove", { ...at, name: "eyes" })).toMatchObject({ ok: true });
    expect(await call("reactions.remove", { ...at, name: "eyes" })).toMatchObject({ error: "no_reaction" });
    expect(fake.writes().map(({ method }) => method)).toEqual(["reactions.add", "reactions.add", "reactions.remove"]);
    expect(fake.violations).toEqual([]);
  });

  it("names what is not there: message, emoji, member, scope", async () => {
    const gone = { ...at, timestamp: "1600000000.000100", name: "eyes" };
    for (const method of ["reactions.add", "reactions.remove"])
      expect(await call(method, gone)).toMatchObject({ error: "message_not_found" });
    expect(await call("reactions.get", { channel: gone.channel, timestamp: gone.timestamp })).toMatchObject({
      error: "message_not_found",
    });
    expect(await call("reactions.add", { ...at, name: "No Emoji" })).toMatchObject({ error: "invalid_name" });
    expect(await call("users.info", { user: "U9" })).toMatchObject({
      user: { id: "U9", name: "grace", is_bot: false, profile: { real_name: "Grace H" } },
    });
    expect(await call("users.info", { user: "U0" })).toMatchObject({ error: "user_not_found" });
    expect(await call("users.info", { user: "U9" }, "xoxb-poor")).toMatchObject({ needed: "users:read" });
    expect(await call("reactions.add", { ...at, name: "eyes" }, "xoxb-poor")).toMatchObject({
      needed: "reactions:write",
    });
    expect(fake.violations).toEqual([]);
  });

  it.each([
    ["users.info", {}, "users.info lacks user"],
    ["reactions.add", { channel: at.channel, ts, name: "eyes" }, "reactions.add has no argument ts"],
    ["reactions.add", { channel: at.channel, name: "eyes" }, "reactions.add lacks timestamp"],
    ["reactions.toggle", at, "no method reactions.toggle"],
  ])("catches a wrong request: %s with %j", async (method, args, problem) => {
    expect(await call(method, args)).toMatchObject({ error: "invalid_arguments" });
    expect(fake.violations).toContain(problem);
    expect(fake.writes()).toEqual([]);
  });

  it("answers 429 beyond a method's rate, for that method alone, and catches who asks on", async () => {
    const list = () => call("conversations.list");
    for (let n = 0; n < 20; n += 1) expect(await list()).toMatchObject({ ok: true });
    const { retryAfter } = await list();
    expect(retryAfter).toBeGreaterThan(0);
    expect(retryAfter).toBeLessThanOrEqual(60);
    expect(await call("auth.test")).toMatchObject({ ok: true });
    expect(fake.violations).toEqual([]);
    await list();
    expect(fake.violations).toEqual(["conversations.list during a Retry-After"]);
  });
});
