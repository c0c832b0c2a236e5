import * as Clock from "effect/Clock";
import type * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import { limitOf, type SaidLimit } from "../../src/network/limitHeaders.ts";
import { type IsoTime, parseTime } from "../../src/time.ts";
import type { Log } from "../log/Log.ts";
import { type AnswerCache, guardedFetch, type NetworkCall } from "../network/guardedFetch.ts";
import type { HostLimits, Pace } from "../network/HostLimits.ts";
import type { PlatformFailure } from "../platform/errors.ts";
import type { GitHubClient } from "./client.ts";
import { platformFailure } from "./failures.ts";

/** One GitHub host, and everything a request to it needs. */
export interface Connection {
  readonly host: string;
  readonly client: GitHubClient;
  readonly baseUrl: string;
  readonly hasToken: boolean;
  readonly cache: AnswerCache;
}

export interface RequestOptions {
  readonly signal: AbortSignal;
  readonly fetch: ReturnType<typeof guardedFetch>;
}

export interface Services {
  readonly log: Context.Tag.Service<Log>;
  readonly limits: Context.Tag.Service<HostLimits>;
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

/** Well below what GitHub's secondary limits allow a minute (900 reads, 2,000 points of GraphQL). */
const perMinute = { rest: 600, graphql: 300 };
const maxWaitMs = 60_000;
/** GitHub's advice for a secondary limit that does not say for how long. */
const unnamedBlockMs = 60_000;

export const connect = (options: {
  readonly host: string;
  readonly baseUrl: string;
  readonly token: string | null;
}): Effect.Effect<Connection> =>
  Effect.gen(function* () {
    const { makeClient } = yield* Effect.promise(() => import("./client.ts"));
    return {
      host: options.host,
      client: makeClient(options),
      baseUrl: options.baseUrl,
      hasToken: options.token !== null,
      cache: new Map(),
    };
  });

/** Where GraphQL stands beside a REST interface: `/graphql` at api.github.com, `/api/graphql` at an Enterprise Server. */
export const graphQlBase = (baseUrl: string): string => baseUrl.replace(/\/api\/v3$/, "/api");

const paceOf = (to: Connection, resource: "rest" | "graphql"): Pace => ({
  key: `${to.host} ${resource}`,
  host: to.host,
  perMinute: perMinute[resource],
  maxWaitMs,
});

/** Tells all processes that the host refuses more requests: until the time it named, else for a minute. */
export const tellLimited = (
  services: Services,
  to: Connection,
  refused: { readonly resource: "rest" | "graphql"; readonly retryAt: IsoTime | null },
): Effect.Effect<void> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    services.limits.heard(paceOf(to, refused.resource), {
      blockedUntil: parseTime(refused.retryAt) ?? now + unnamedBlockMs,
    }),
  );

/**
 * Sends one request in its turn: the host's limit is kept by all processes together, what the answer says of it is
 * recorded for all, every call is in the log, and every failure has its name. `what` is named in messages.
 */
export const ask = <A>(
  services: Services,
  to: Connection,
  asked: { readonly what: string; readonly resource: "rest" | "graphql" },
  send: (options: RequestOptions) => Promise<A>,
): Effect.Effect<A, PlatformFailure> =>
  Effect.gen(function* () {
    const { log, limits } = services;
    const pace = paceOf(to, asked.resource);
    yield* limits.turn(pace);
    const now = yield* Clock.currentTimeMillis;
    const calls: Array<NetworkCall> = [];
    const said: Array<SaidLimit> = [];
    const observe = (call: NetworkCall, headers: Headers | null): void => {
      calls.push(call);
      if (headers !== null) said.push(limitOf(headers, Date.now()));
    };
    const { timeoutMs, maxBytes } = services;
    const record = Effect.suspend(() =>
      Effect.zipRight(
        Effect.forEach(calls, (call) => log.record("network", { ...call }), { discard: true }),
        Effect.forEach(said, (one) => limits.heard(pace, one), { discard: true }),
      ),
    );
    return yield* Effect.tryPromise({
      try: (signal) =>
        send({
          signal,
          fetch: guardedFetch({ origin: new URL(to.baseUrl).origin, timeoutMs, maxBytes, cache: to.cache, observe }),
        }),
      catch: (error) =>
        platformFailure(error, { host: to.host, what: asked.what, hasToken: to.hasToken, now, redact: log.redact }),
    }).pipe(
      Effect.ensuring(record),
      Effect.tapErrorTag("RateLimited", (limited) =>
        limits.heard(pace, {
          blockedUntil: parseTime(limited.retry_at) ?? now + unnamedBlockMs,
          blocksHost: limited.retry_at === null,
        }),
      ),
    );
  });
