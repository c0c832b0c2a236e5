import type * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Either from "effect/Either";
import * as Layer from "effect/Layer";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { SlackFailure } from "../../../effects/slack/errors.ts";
import { layer, Slack } from "../../../effects/slack/Slack.ts";
import { type FakeSlack, startFakeSlack } from "../../fakes/slack/startFakeSlack.ts";
import { allScopes, type FakeMessage } from "../../fakes/slack/state.ts";
import { liveLimits } from "../../support/liveLimits.ts";
import { keepingLog } from "../github/support.ts";

const token = "xoxp-111-222-abcdefghijkl";
const ts = (n: number): string => `${1_700_000_000 + n}.000100`;
const message = (n: number, over: Partial<FakeMessage> = {}): FakeMessage => ({
  ts: ts(n),
  user: "U2",
  text: `m${n}`,
  ...over,
});

let fake: FakeSlack;
beforeEach(async () => {
  fake = await startFakeSlack({
    state: {
      team: { id: "T1", domain: "acme" },
      tokens: [
        { token, user: "U1", bot: "B1", scopes: allScopes },
        { token: "xoxb-poor", user: "U1", scopes: ["channels:read"] },
      ],
      channels: [
        {
          id: "C0000001",
          name: "reviews",
          messages: [
            ...Array.from({ length: 450 }, (_, n) => message(n)),
            ...Array.from({ length: 230 }, (_, n) => message(1000 + n, { thread: ts(7) })),
          ],
        },
        { id: "C0000002", name: "old", isArchived: true, messages: [] },
        { id: "C0000003", name: "secret", isPrivate: true, isMember: false, messages: [] },
        { id: "C0000004", name: "elsewhere", isMember: false, messages: [] },
      ],
    },
  });
});
afterEach(async () => {
  const { violations } = fake;
  await fake.close();
  expect(violations).toEqual([]);
});

const on = <A>(
  use: (slack: Context.Tag.Service<Slack>) => Effect.Effect<A, SlackFailure>,
  env: NodeJS.ProcessEnv = { SLACK_USER_TOKEN: token },
  log = keepingLog(),
) =>
  Effect.runPromise(
    Effect.provide(
      Effect.either(Effect.flatMap(Slack, use)),
      layer({ env: { SLACK_API_URL: fake.url, ...env } }).pipe(Layer.provide(log.layer), Layer.provide(liveLimits())),
    ),
  );

const reply = { channelId: "C0000001", threadTs: ts(7), text: "hello", op: "op-1" };

describe("a Slack workspace", () => {
  it("is read to the last page, oldest first, each message once", async () => {
    const roots = await on((slack) => slack.history("C0000001", { oldest: ts(0) }));
    expect(Either.getOrThrow(roots).map((one) => one.ts)).toEqual(Array.from({ length: 450 }, (_, n) => ts(n)));
    const thread = await on((slack) => slack.replies("C0000001", ts(7)));
    expect(Either.getOrThrow(thread)).toHaveLength(231);
    expect(Either.getOrThrow(thread)[0]).toMatchObject({ ts: ts(7), reply_count: 230, latest_reply: ts(1229) });
  });

  it("says who the token belongs to and which scopes it has, asked once", async () => {
    const both = await on((slack) => Effect.zip(slack.identity, slack.identity));
    expect(both).toMatchObject({ right: [{ user_id: "U1", bot_id: "B1", team_id: "T1", scopes: allScopes }, {}] });
    expect(fake.ledger).toHaveLength(1);
  });

  it("gives each channel its own outcome: found by name or id, archived, private, not there", async () => {
    const names = ["#reviews", "C0000001", "old", "secret", "C0000003", "nowhere"];
    const found = Either.getOrThrow(await on((slack) => slack.channels(names)));
    expect(
      names.map((name) => {
        const one = found.get(name);
        return one === undefined ? null : Either.isRight(one) ? one.right.id : `${one.left._tag} ${one.left.message}`;
      }),
    ).toEqual([
      "C0000001",
      "C0000001",
      "SlackChannelUnavailable Slack: old is archived",
      "SlackChannelUnavailable Slack: secret is not there, or private and the token's owner is not in it",
      "SlackChannelUnavailable Slack: C0000003 is not there, or private and the token's owner is not in it",
      "SlackChannelUnavailable Slack: nowhere is not there, or private and the token's owner is not in it",
    ]);
    expect(await on((slack) => slack.history("C0000004", { oldest: ts(0) }))).toMatchObject({
      left: { _tag: "SlackChannelUnavailable", code: "not_in_channel", hint: expect.stringContaining("/invite") },
    });
  });

  it("names a missing scope, a refused token, a missing token and a wrong address", async () => {
    const read = (slack: Context.Tag.Service<Slack>) => slack.history("C0000001", { oldest: ts(0) });
    expect(await on(read, { SLACK_BOT_TOKEN: "xoxb-poor" })).toMatchObject({
      left: {
        _tag: "SlackScopeMissing",
        needed: "channels:history",
        hint: expect.stringContaining("channels:history"),
      },
    });
    expect(await on(read, { SLACK_BOT_TOKEN: "xoxb-wrong" })).toMatchObject({
      left: { _tag: "SlackRefused", code: "invalid_auth" },
    });
    expect(await on(read, {})).toMatchObject({ left: { _tag: "SlackNotConfigured" } });
    expect(await on(read, { SLACK_BOT_TOKEN: token, SLACK_API_URL: "http://evil.invalid/api/" })).toMatchObject({
      left: { _tag: "SlackNotConfigured", message: expect.stringContaining("SLACK_API_URL") },
    });
  });

  it("waits out a Retry-After and goes on; the token is in no record and no error", async () => {
    fake.behave("conversations.replies", { kind: "limited", retryAfter: 1 });
    const log = keepingLog();
    const thread = await on((slack) => slack.replies("C0000001", ts(7)), { SLACK_USER_TOKEN: token }, log);
    expect(Either.getOrThrow(thread)).toHaveLength(231);
    expect(fake.ledger.map(({ outcome }) => outcome)).toEqual(["limited", "ok", "ok"]);
    expect(log.secrets).toContain(token);
    fake.behave("*", { kind: "drop" }, 10);
    const failed = await on((slack) => slack.replies("C0000001", ts(7)), { SLACK_USER_TOKEN: token }, log);
    expect(failed).toMatchObject({ left: { _tag: "SlackUnreachable" } });
    expect(JSON.stringify([failed, log.records])).not.toContain(token);
  });

  it("posts a reply in its thread once, however often it is asked for the same", async () => {
    const first = await on((slack) => slack.postReply(reply));
    const second = await on((slack) => slack.postReply(reply));
    expect(Either.getOrThrow(first).isNew).toBe(true);
    expect(Either.getOrThrow(second)).toEqual({ ts: Either.getOrThrow(first).ts, isNew: false });
    expect(fake.writes()).toHaveLength(1);
    expect(fake.writes()[0]?.args).toMatchObject({ thread_ts: ts(7), parse: "none", unfurl_links: "false" });
    await on((slack) => slack.postReply({ ...reply, op: "op-2" }));
    expect(fake.writes()).toHaveLength(2);
  });

  it("finds a reply whose answer was lost instead of sending it again", async () => {
    fake.behave("chat.postMessage", { kind: "drop", after: true });
    expect(await on((slack) => slack.postReply(reply))).toMatchObject({ right: { isNew: true } });
    expect(fake.writes()).toHaveLength(1);
  });

  it("sends nothing when the thread's root is gone, or when looking for the reply fails", async () => {
    const { channels, ...rest } = fake.state();
    fake.setState({
      ...rest,
      channels: channels.map((channel) => ({
        ...channel,
        messages: channel.messages.map((one) => (one.ts === ts(7) ? { ...one, deleted: true } : one)),
      })),
    });
    expect(await on((slack) => slack.postReply(reply))).toMatchObject({ left: { _tag: "SlackMessageGone" } });
    expect(await on((slack) => slack.postReply({ ...reply, threadTs: "1600000000.000000" }))).toMatchObject({
      left: { _tag: "SlackMessageGone" },
    });
    fake.behave("conversations.replies", { kind: "page", status: 503 });
    expect(await on((slack) => slack.postReply({ ...reply, threadTs: ts(8) }))).toMatchObject({
      left: { _tag: "SlackUnreachable" },
    });
    expect(fake.writes()).toEqual([]);
  });

  it("takes a message back that went to the channel because its thread was deleted at that moment", async () => {
    fake.behave("chat.postMessage", { kind: "deleteFirst", channel: "C0000001", ts: ts(9) });
    const posted = await on((slack) => slack.postReply({ ...reply, threadTs: ts(9) }));
    expect(posted).toMatchObject({ left: { _tag: "SlackMessageGone", ts: ts(9) } });
    expect(fake.ledger.slice(-2).map(({ method }) => method)).toEqual(["chat.postMessage", "chat.delete"]);
    expect(fake.state().channels[0]?.messages.some(({ text }) => text === reply.text)).toBe(false);
  });

  it("takes it back again and again until that is done, and names what it cannot take back", async () => {
    const lost = { ...reply, threadTs: ts(9) };
    fake.behave("chat.postMessage", { kind: "deleteFirst", channel: "C0000001", ts: ts(9) });
    fake.behave("chat.delete", { kind: "drop" });
    expect(await on((slack) => slack.postReply(lost))).toMatchObject({ left: { _tag: "SlackMessageGone" } });
    expect(fake.state().channels[0]?.messages.some(({ text }) => text === reply.text)).toBe(false);
  });

  it("sends once what Slack refuses, however it says so", async () => {
    for (const error of ["restricted_action", "msg_too_long", "no_text"]) {
      fake.behave("chat.postMessage", { kind: "error", error });
      expect(await on((slack) => slack.postReply(reply))).toMatchObject({
        left: { _tag: "SlackBadAnswer", code: error },
      });
    }
    expect(fake.ledger.filter(({ method }) => method === "chat.postMessage")).toHaveLength(3);
  });

  it("is no whole list when a page comes twice, and lists public channels when it may not see private ones", async () => {
    const page = {
      kind: "error",
      error: "unused",
      more: { ok: true, messages: [], response_metadata: { next_cursor: "same" } },
    } as const;
    fake.behave("conversations.history", page, 2);
    expect(await on((slack) => slack.history("C0000001", { oldest: ts(0) }))).toMatchObject({
      left: { _tag: "SlackBadAnswer", message: expect.stringContaining("the same page again") },
    });
    const found = await on((slack) => slack.channels(["#reviews"]), { SLACK_BOT_TOKEN: "xoxb-poor" });
    expect(Either.getOrThrow(found).get("#reviews")).toMatchObject({ right: { id: "C0000001" } });
  });

  it("says of a proxy's page that it is no answer of Slack's", async () => {
    for (const error of ["<html>\u001b[31mlogin</html>", "", "Two Words"]) {
      fake.behave("conversations.history", { kind: "error", error });
      expect(await on((slack) => slack.history("C0000001", { oldest: ts(0) }))).toMatchObject({
        left: {
          _tag: "SlackBadAnswer",
          message: "Slack answered with something that is no answer of Slack's",
          hint: expect.stringContaining("proxy"),
        },
      });
    }
  });
});
