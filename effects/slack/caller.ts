import * as Clock from "effect/Clock";
import type * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import { serviceAddress, withoutTrailingSlash } from "../../src/network/serviceAddress.ts";
import type { Log } from "../log/Log.ts";
import { AnswerRefused, guardedFetch, type NetworkCall } from "../network/guardedFetch.ts";
import type { HostLimits } from "../network/HostLimits.ts";
import type { SlackFailure } from "./errors.ts";
import {
  apiUrlRefused,
  badAnswer,
  rateLimited,
  type SlackAsked,
  slackFailure,
  tokenMissing,
  unreachable,
} from "./failures.ts";

/** An answer with `ok: true`. */
export type SlackAnswer = Readonly<Record<string, unknown>>;

export type Call = (
  method: string,
  args: Readonly<Record<string, unknown>>,
  about?: Pick<SlackAsked, "channel" | "ts">,
) => Effect.Effect<SlackAnswer, SlackFailure>;

export interface SlackOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Time limit of one request. */
  readonly timeoutMs?: number;
}

/** Requests a minute, by Slack's tiers (3: 50, 2: 20, 4: 100), a little below them. */
const perMinute: Readonly<Record<string, number>> = {
  "conversations.list": 18,
  "conversations.history": 45,
  "conversations.replies": 45,
  "conversations.info": 45,
  "users.list": 18,
  "auth.test": 200,
  "chat.getPermalink": 90,
  "chat.postMessage": 50,
};
const maxWaitMs = 90_000;
const maxBytes = 16 * 1024 * 1024;

const pauseS = { unsaid: 30, most: 86_400 };

/** Slack's address, or the one of SLACK_API_URL; null for one that the token may not be sent to. */
const apiUrl = (env: NodeJS.ProcessEnv): string | null => {
  const text = env.SLACK_API_URL;
  if (text === undefined || text === "") return "https://slack.com/api/";
  const url = serviceAddress(text);
  return url === null ? null : `${withoutTrailingSlash(url)}/`;
};

/** The token: a user's before a bot's (spec 3, "Environment"); one printable word, or none. */
export const slackToken = (env: NodeJS.ProcessEnv): string | null => {
  for (const value of [env.SLACK_USER_TOKEN, env.SLACK_BOT_TOKEN]) {
    const text = value?.trim() ?? "";
    if (/^[\x21-\x7e]+$/.test(text)) return text;
  }
  return null;
};

/** The client takes whole seconds and nothing else; a limit that says no usable time is one all the same. */
export const withPause = (answer: Response): Response => {
  if (answer.status !== 429) return answer;
  const given = answer.headers.get("retry-after") ?? "";
  const seconds = /^\d+$/.test(given) ? Math.min(Number(given), pauseS.most) : pauseS.unsaid;
  answer.headers.set("retry-after", String(seconds));
  return answer;
};

type Thrown = {
  readonly code?: string;
  readonly retryAfter?: number;
  readonly statusCode?: number;
  readonly data?: { readonly error?: unknown; readonly needed?: unknown; readonly provided?: unknown };
  readonly original?: unknown;
};

/** `redact` masks secrets: an answer may hold what was sent. */
const failureOf = (error: unknown, asked: SlackAsked, redact: (text: string) => string): SlackFailure => {
  const thrown = (typeof error === "object" && error !== null ? error : {}) as Thrown;
  if (thrown.code === "slack_webapi_rate_limited_error")
    return rateLimited(asked.now + (thrown.retryAfter ?? 30) * 1000);
  if (thrown.code === "slack_webapi_platform_error") {
    const { error: code, needed, provided } = thrown.data ?? {};
    return slackFailure(
      {
        code: typeof code === "string" ? redact(code) : "no_error_code",
        ...(typeof needed === "string" ? { needed: redact(needed).slice(0, 200) } : {}),
        ...(typeof provided === "string" ? { provided: redact(provided).slice(0, 500) } : {}),
      },
      asked,
    );
  }
  if (thrown.code === "slack_webapi_http_error")
    return (thrown.statusCode ?? 0) >= 500
      ? unreachable(`it answered ${thrown.statusCode}`)
      : badAnswer(`status ${thrown.statusCode ?? "unknown"}`);
  const cause = thrown.original instanceof Error ? (thrown.original.cause ?? thrown.original) : thrown.original;
  if (cause instanceof AnswerRefused) return badAnswer(cause.message);
  if (cause instanceof SyntaxError) return badAnswer("something that is not JSON");
  return unreachable(
    cause instanceof Error && /Timeout|Abort/.test(cause.name) ? "no answer within the time limit" : "no connection",
  );
};

const quiet = () => {};
const silentLogger = {
  debug: quiet,
  info: quiet,
  warn: quiet,
  error: quiet,
  setLevel: quiet,
  getLevel: () => "error" as never,
  setName: quiet,
};

/**
 * Calls Slack's methods one by one in their turn: never repeated by the client, at the pace of the method's tier over
 * all processes, a Retry-After heard for all. Fails with what Slack said. The client is loaded with the first call.
 */
export const makeCaller = (
  options: SlackOptions,
  services: { readonly log: Context.Tag.Service<Log>; readonly limits: Context.Tag.Service<HostLimits> },
): Effect.Effect<Call> =>
  Effect.gen(function* () {
    const { log, limits } = services;
    const token = slackToken(options.env);
    if (token !== null) log.addSecret(token);
    const url = apiUrl(options.env);
    const calls: NetworkCall[] = [];
    const client = yield* Effect.cached(
      Effect.promise(async () => {
        // A CommonJS package: bundled, its names stand on the default export alone.
        const loaded = await import("@slack/web-api");
        const { WebClient } = loaded.default ?? loaded;
        const origin = new URL(url ?? "https://slack.com").origin;
        const timeoutMs = options.timeoutMs ?? 20_000;
        const fetch = guardedFetch({
          origin,
          timeoutMs,
          maxBytes,
          cache: new Map(),
          observe: (call) => calls.push(call),
        });
        return new WebClient(token ?? "", {
          slackApiUrl: url ?? "",
          allowAbsoluteUrls: false,
          retryConfig: { retries: 0 },
          rejectRateLimitedCalls: true,
          timeout: timeoutMs,
          logger: silentLogger,
          fetch: ((url: string, init: RequestInit) => fetch(url, init).then(withPause)) as never,
        });
      }),
    );
    const call: Call = (method, args, about = {}) =>
      Effect.gen(function* () {
        if (token === null) return yield* tokenMissing();
        if (url === null) return yield* apiUrlRefused();
        const pace = { key: `slack.com ${method}`, host: "Slack", perMinute: perMinute[method] ?? 45, maxWaitMs };
        yield* Effect.catchTag(limits.turn(pace), "RateLimited", ({ retry_at }) =>
          Effect.fail(rateLimited(retry_at === null ? null : Date.parse(retry_at))),
        );
        const now = yield* Clock.currentTimeMillis;
        const web = yield* client;
        return yield* Effect.tryPromise({
          try: () => web.apiCall(method, args) as unknown as Promise<SlackAnswer>,
          catch: (error) => failureOf(error, { method, now, ...about }, log.redact),
        }).pipe(
          Effect.ensuring(
            Effect.suspend(() =>
              Effect.forEach(calls.splice(0), (call) => log.record("network", { ...call }), { discard: true }),
            ),
          ),
          Effect.tapErrorTag("SlackRateLimited", ({ retry_at }) =>
            limits.heard(pace, { blockedUntil: retry_at === null ? now + 30_000 : Date.parse(retry_at) + 1000 }),
          ),
        );
      });
    return call;
  });

/** Reads are tried again when Slack asked to wait: the limiter holds them until then. Writes never are. */
export const patiently = <A>(effect: Effect.Effect<A, SlackFailure>): Effect.Effect<A, SlackFailure> =>
  Effect.retry(effect, { times: 2, while: (failure) => failure._tag === "SlackRateLimited" });
