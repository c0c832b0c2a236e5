import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type Body, failed, inWindow, messageJson, page } from "./answers.ts";
import { isDirect, shapes } from "./methods.ts";
import { type Reacted, withoutReaction, withReaction } from "./reactions.ts";
import type { FakeChannel, FakeMessage, FakeSlackState, FakeSlackToken } from "./state.ts";

export interface SlackLedgerEntry {
  readonly method: string;
  readonly args: Readonly<Record<string, string>>;
  /** Slack's error code, `ok`, or what happened instead of an answer. */
  readonly outcome: string;
  readonly at: number;
}

export type SlackMisbehaviour =
  | { readonly kind: "error"; readonly error: string; readonly more?: Readonly<Record<string, unknown>> }
  | { readonly kind: "limited"; readonly retryAfter: number }
  | { readonly kind: "page"; readonly status: number }
  | { readonly kind: "hang" }
  /** The true answer of this moment arrives that many milliseconds later. */
  | { readonly kind: "late"; readonly ms: number }
  /** The connection is cut: before anything happened, or after the effect. */
  | { readonly kind: "drop"; readonly after?: boolean }
  /** The message is deleted at this very moment, and then the request is answered. */
  | { readonly kind: "deleteFirst"; readonly channel: string; readonly ts: string };

export interface FakeSlack {
  /** Value of SLACK_API_URL. */
  readonly url: string;
  readonly ledger: ReadonlyArray<SlackLedgerEntry>;
  /** Requests that Slack's documentation does not allow, and requests during a Retry-After. */
  readonly violations: ReadonlyArray<string>;
  /** Requests that changed something. */
  readonly writes: () => ReadonlyArray<SlackLedgerEntry>;
  readonly state: () => FakeSlackState;
  readonly setState: (state: FakeSlackState) => void;
  readonly behave: (method: string, does: SlackMisbehaviour, times?: number) => void;
  /** Nothing that `behave` asked for holds any more. */
  readonly calm: () => void;
  readonly close: () => Promise<void>;
}

export interface FakeSlackOptions {
  readonly state: FakeSlackState;
  /** Answers 429 beyond a method's rate. Off for tests that ask more often than any person's machine would. */
  readonly rated?: boolean;
}

class Workspace {
  readonly ledger: SlackLedgerEntry[] = [];
  readonly violations: string[] = [];
  readonly behaviours: Array<{ readonly method: string; readonly does: SlackMisbehaviour; left: number }> = [];
  readonly blocked = new Map<string, number>();
  state: FakeSlackState;
  url = "";
  readonly #turns = new Map<string, ReadonlyArray<number>>();
  readonly #rated: boolean;

  constructor(options: FakeSlackOptions) {
    this.state = options.state;
    this.#rated = options.rated ?? false;
  }

  #channel(id: string | undefined): FakeChannel | undefined {
    return this.state.channels.find((channel) => channel.id === id);
  }

  #tokenOf(incoming: IncomingMessage): FakeSlackToken | undefined {
    const given = /^Bearer (.+)$/.exec(incoming.headers.authorization ?? "")?.[1];
    return this.state.tokens.find(({ token }) => token === given);
  }

  /** What is wrong with a request by Slack's documentation. */
  #problems(method: string, args: Readonly<Record<string, string>>): ReadonlyArray<string> {
    const shape = shapes[method];
    if (shape === undefined) return [`no method ${method}`];
    return [
      ...shape.needs.flatMap((name) => (args[name] === undefined ? [`${method} lacks ${name}`] : [])),
      ...Object.keys(args).flatMap((name) =>
        shape.needs.includes(name) || shape.allows.includes(name) ? [] : [`${method} has no argument ${name}`],
      ),
    ];
  }

  answer(method: string, args: Readonly<Record<string, string>>, token: FakeSlackToken): Body {
    const channel = this.#channel(args.channel);
    const scope = shapes[method]?.scopes(channel) ?? null;
    if (scope !== null && !token.scopes.includes(scope))
      return failed("missing_scope", { needed: scope, provided: token.scopes.join(",") });
    if (args.channel !== undefined) {
      if (channel === undefined || ((channel.isPrivate || isDirect(channel)) && channel.isMember === false))
        return failed("channel_not_found");
      if (channel.isMember === false && method !== "conversations.info") return failed("not_in_channel");
    }
    switch (method) {
      case "auth.test":
        return {
          ok: true,
          url: `https://${this.state.team.domain}.slack.com/`,
          team: this.state.team.domain,
          team_id: this.state.team.id,
          ...(this.state.team.enterprise === undefined ? {} : { enterprise_id: this.state.team.enterprise }),
          user: "adk",
          user_id: token.user,
          ...(token.bot === undefined ? {} : { bot_id: token.bot }),
        };
      case "conversations.list": {
        if (/private_channel/.test(args.types ?? "") && !token.scopes.includes("groups:read"))
          return failed("missing_scope", { needed: "groups:read", provided: token.scopes.join(",") });
        const shown = this.state.channels.filter((one) => !isDirect(one) && (!one.isPrivate || one.isMember !== false));
        return page(
          shown.map((one) => this.#channelJson(one)),
          args,
          "channels",
        );
      }
      case "conversations.info":
        return { ok: true, channel: channel === undefined ? null : this.#channelJson(channel) };
      case "conversations.history": {
        const roots = (channel?.messages ?? []).filter(({ thread }) => thread === undefined).filter(inWindow(args));
        const sorted = [...roots].sort((a, b) => (a.ts < b.ts ? 1 : -1));
        return page(
          sorted.map((one) => messageJson(channel as FakeChannel, one, args.include_all_metadata === "true")),
          args,
          "messages",
        );
      }
      case "conversations.replies":
        return this.#replies(channel as FakeChannel, args);
      case "chat.getPermalink":
        return channel?.messages.some(({ ts }) => ts === args.message_ts)
          ? {
              ok: true,
              channel: channel.id,
              permalink: `https://${this.state.team.domain}.slack.com/archives/${channel.id}/p${(args.message_ts ?? "").replace(".", "")}`,
            }
          : failed("message_not_found");
      case "chat.postMessage":
        return this.#post(channel as FakeChannel, args, token);
      case "chat.delete":
        if (channel?.messages.every(({ ts }) => ts !== args.ts)) return failed("message_not_found");
        this.#edit(channel as FakeChannel, (messages) => messages.filter(({ ts }) => ts !== args.ts));
        return { ok: true, channel: args.channel, ts: args.ts };
      case "reactions.add":
        return this.#react(channel as FakeChannel, args, (message) =>
          withReaction(message, args.name ?? "", token.user),
        );
      case "reactions.remove":
        return this.#react(channel as FakeChannel, args, (message) =>
          withoutReaction(message, args.name ?? "", token.user),
        );
      case "reactions.get": {
        const message = channel?.messages.find(({ ts }) => ts === args.timestamp);
        return message === undefined
          ? failed("message_not_found")
          : {
              ok: true,
              type: "message",
              channel: args.channel,
              message: messageJson(channel as FakeChannel, message, false),
            };
      }
      case "users.info":
        return this.#user(args.user);
      default:
        return failed("unknown_method");
    }
  }

  #channelJson(channel: FakeChannel): Body {
    return {
      id: channel.id,
      name: channel.name,
      is_channel: !channel.isPrivate,
      is_private: channel.isPrivate ?? false,
      is_archived: channel.isArchived ?? false,
      is_member: channel.isMember ?? true,
    };
  }

  #replies(channel: FakeChannel, args: Readonly<Record<string, string>>): Body {
    const asked = channel.messages.find(({ ts }) => ts === args.ts);
    if (asked === undefined) return failed("thread_not_found");
    // Asked with a reply's time stamp Slack gives that reply alone.
    const thread =
      asked.thread === undefined
        ? [asked, ...channel.messages.filter(({ thread: root }) => root === asked.ts)]
        : [asked];
    return page(
      thread.map((one) => messageJson(channel, one, args.include_all_metadata === "true")),
      args,
      "messages",
    );
  }

  #post(channel: FakeChannel, args: Readonly<Record<string, string>>, token: FakeSlackToken): Body {
    if (channel.isArchived) return failed("is_archived");
    const newest = Math.max(1_700_000_000, ...channel.messages.map(({ ts }) => Number(ts.split(".")[0])));
    const ts = `${Math.max(newest + 1, Math.floor(Date.now() / 1000))}.${String(this.ledger.length).padStart(6, "0")}`;
    // As Slack does: a thread that is not there any more is ignored, and the message goes to the channel.
    const thread = channel.messages.some(({ ts: root }) => root === args.thread_ts) ? args.thread_ts : undefined;
    const message: FakeMessage = {
      ts,
      user: token.user,
      text: args.text ?? "",
      ...(token.bot === undefined ? {} : { bot: token.bot }),
      ...(thread === undefined ? {} : { thread }),
      ...(args.metadata === undefined ? {} : { metadata: JSON.parse(args.metadata) as unknown }),
    };
    this.#edit(channel, (messages) => [...messages, message]);
    const shown = { text: message.text, ts, ...(thread === undefined ? {} : { thread_ts: thread }) };
    return { ok: true, channel: channel.id, ts, message: shown };
  }

  #react(
    channel: FakeChannel,
    args: Readonly<Record<string, string>>,
    change: (message: FakeMessage) => Reacted,
  ): Body {
    if (channel.isArchived) return failed("is_archived");
    const message = channel.messages.find(({ ts }) => ts === args.timestamp);
    if (message === undefined) return failed("message_not_found");
    const reacted = change(message);
    if (typeof reacted === "string") return failed(reacted);
    this.#edit(channel, (messages) => messages.map((one) => (one.ts === message.ts ? reacted : one)));
    return { ok: true };
  }

  #user(id: string | undefined): Body {
    const user = this.state.users?.find((one) => one.id === id);
    if (user === undefined) return failed("user_not_found");
    const { name, realName = name, isBot = false, isDeleted = false } = user;
    const profile = { display_name: name, real_name: realName };
    return {
      ok: true,
      user: { id, team_id: this.state.team.id, name, real_name: realName, deleted: isDeleted, is_bot: isBot, profile },
    };
  }

  /** Milliseconds that a request over its method's rate has to wait; null for one within it. */
  #overRate(method: string, now: number): number | null {
    const recent = (this.#turns.get(method) ?? []).filter((at) => now - at < 60_000);
    const first = recent.at(-(shapes[method]?.perMinute ?? Number.POSITIVE_INFINITY));
    if (first !== undefined) return 60_000 - (now - first);
    this.#turns.set(method, [...recent, now]);
    return null;
  }

  #edit(channel: FakeChannel, change: (messages: ReadonlyArray<FakeMessage>) => ReadonlyArray<FakeMessage>): void {
    this.state = {
      ...this.state,
      channels: this.state.channels.map((one) =>
        one.id === channel.id ? { ...one, messages: change(one.messages) } : one,
      ),
    };
  }

  async serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const args = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString("utf8")));
    const method = (incoming.url ?? "").replace(/^\/api\//, "");
    const now = Date.now();
    const note = (outcome: string): void => void this.ledger.push({ method, args, outcome, at: now });
    const send = (status: number, body: Body | string, headers: Readonly<Record<string, string>> = {}): void => {
      outgoing.writeHead(status, { "content-type": "application/json; charset=utf-8", ...headers });
      outgoing.end(typeof body === "string" ? body : JSON.stringify(body));
    };
    if ((this.blocked.get(method) ?? 0) > now) this.violations.push(`${method} during a Retry-After`);
    const problems = incoming.method === "POST" ? this.#problems(method, args) : [`${incoming.method} is not POST`];
    if (problems.length > 0) {
      this.violations.push(...problems);
      note("violation");
      send(200, failed("invalid_arguments", { response_metadata: { messages: problems } }));
      return;
    }
    const token = this.#tokenOf(incoming);
    if (token === undefined) {
      note("invalid_auth");
      send(200, failed(incoming.headers.authorization === undefined ? "not_authed" : "invalid_auth"));
      return;
    }
    const over = this.#rated ? this.#overRate(method, now) : null;
    if (over !== null) {
      const seconds = Math.ceil(over / 1000);
      this.blocked.set(method, now + seconds * 1000);
      note("ratelimited");
      send(429, failed("ratelimited"), { "retry-after": String(seconds) });
      return;
    }
    const behaviour = this.behaviours.find((one) => one.left > 0 && (one.method === method || one.method === "*"));
    if (behaviour !== undefined) {
      behaviour.left -= 1;
      const { does } = behaviour;
      if (does.kind === "deleteFirst") {
        const channel = this.#channel(does.channel);
        if (channel !== undefined) this.#edit(channel, (messages) => messages.filter(({ ts }) => ts !== does.ts));
        const late = this.answer(method, args, token);
        note(late.ok === true ? "ok" : String(late.error));
        send(200, late);
        return;
      }
      if (does.kind === "late") {
        const late = this.answer(method, args, token);
        note(late.ok === true ? "ok" : String(late.error));
        setTimeout(() => send(200, late), does.ms).unref();
        return;
      }
      if (does.kind === "drop" && does.after) this.answer(method, args, token);
      note(does.kind === "error" ? does.error : does.kind === "drop" && does.after ? "lost" : does.kind);
      if (does.kind === "error") send(200, failed(does.error, does.more));
      else if (does.kind === "page") send(does.status, "<html>Service Unavailable</html>");
      else if (does.kind === "limited") {
        this.blocked.set(method, now + does.retryAfter * 1000);
        send(429, failed("ratelimited"), { "retry-after": String(does.retryAfter) });
      } else if (does.kind === "drop") incoming.socket.destroy();
      return;
    }
    const body = this.answer(method, args, token);
    note(body.ok === true ? "ok" : String(body.error));
    send(200, body, { "x-oauth-scopes": token.scopes.join(",") });
  }
}

/** Starts the fake on a free port of 127.0.0.1. Close it in the test that started it. */
export const startFakeSlack = async (options: FakeSlackOptions): Promise<FakeSlack> => {
  const workspace = new Workspace(options);
  const server = createServer((incoming, outgoing) => {
    workspace.serve(incoming, outgoing).catch((error: unknown) => {
      workspace.violations.push(String(error));
      outgoing.writeHead(500).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  workspace.url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/api/`;
  return {
    url: workspace.url,
    ledger: workspace.ledger,
    violations: workspace.violations,
    writes: () =>
      workspace.ledger.filter(
        ({ method, outcome }) => shapes[method]?.writes === true && ["ok", "lost"].includes(outcome),
      ),
    state: () => workspace.state,
    setState: (state) => {
      workspace.state = state;
    },
    calm: () => {
      workspace.behaviours.length = 0;
    },
    behave: (method, does, times = 1) => workspace.behaviours.push({ method, does, left: times }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
