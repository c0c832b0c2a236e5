import * as Clock from "effect/Clock";
import type * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import { limitOf } from "../../src/network/limitHeaders.ts";
import { serviceAddress, withoutTrailingSlash } from "../../src/network/serviceAddress.ts";
import type { Log } from "../log/Log.ts";
import { guardedFetch, type NetworkCall } from "../network/guardedFetch.ts";
import type { HostLimits } from "../network/HostLimits.ts";
import type { PlatformFailure } from "../platform/errors.ts";
import { badResponse, host, networkFailure, type Scopes, statusFailure } from "./failures.ts";

export interface BitbucketOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly timeoutMs?: number;
}

/** Reads one address below the API's base; the answer is JSON of an unknown shape. */
export type Get = (path: string, what: string) => Effect.Effect<unknown, PlatformFailure>;

/** Bitbucket's address or the one of BITBUCKET_API_URL, without a trailing slash; null for one the token may not go to. */
const baseUrl = (env: NodeJS.ProcessEnv): string | null => {
  const text = env.BITBUCKET_API_URL;
  if (text === undefined || text === "") return "https://api.bitbucket.org/2.0";
  const url = serviceAddress(text);
  return url === null ? null : withoutTrailingSlash(url);
};

const word = (value: string | undefined): string | null => {
  const text = value?.trim() ?? "";
  return /^[\x21-\x7e]+$/.test(text) ? text : null;
};

const authorization = (env: NodeJS.ProcessEnv): string | null => {
  const token = word(env.BITBUCKET_TOKEN);
  const user = word(env.BITBUCKET_USERNAME);
  if (token === null) return null;
  return user === null ? `Bearer ${token}` : `Basic ${Buffer.from(`${user}:${token}`).toString("base64")}`;
};

/** A little below Bitbucket's 1,000 requests an hour for a token, which come in bursts. */
const pace = { key: "api.bitbucket.org", host, perMinute: 120, maxWaitMs: 60_000 };
const maxBytes = 8 * 1024 * 1024;

const scopesOf = (detail: unknown): Scopes | null => {
  const { required, granted } = (detail ?? {}) as { readonly required?: unknown; readonly granted?: unknown };
  const words = (value: unknown): ReadonlyArray<string> =>
    Array.isArray(value)
      ? value.filter((one): one is string => typeof one === "string" && /^[\w:.-]{1,60}$/.test(one))
      : [];
  return words(required).length === 0 ? null : { required: words(required), granted: words(granted) };
};

/** What an error of Bitbucket's says for people, and the scopes that it names. */
const errorOf = (body: string): { readonly message: string; readonly scopes: Scopes | null } => {
  try {
    const { error } = JSON.parse(body) as {
      readonly error?: { readonly message?: unknown; readonly detail?: unknown };
    };
    const message = typeof error?.message === "string" ? error.message.slice(0, 300) : "";
    return { message, scopes: scopesOf(error?.detail) };
  } catch {
    return { message: "", scopes: null };
  }
};

/** Requests in their turn over all processes, recorded in the log, never repeated; the token goes to its origin only. */
export const makeGet = (
  options: BitbucketOptions,
  services: { readonly log: Context.Tag.Service<Log>; readonly limits: Context.Tag.Service<HostLimits> },
): Get => {
  const { log, limits } = services;
  const base = baseUrl(options.env);
  const auth = authorization(options.env);
  const token = word(options.env.BITBUCKET_TOKEN);
  if (token !== null) log.addSecret(token);
  if (auth !== null) log.addSecret(auth.replace(/^\w+ /, ""));
  const cache = new Map();
  return (path, what) =>
    Effect.gen(function* () {
      if (base === null)
        return yield* badResponse(
          "nothing, since BITBUCKET_API_URL is neither https nor an address of this machine",
          what,
        );
      yield* limits.turn(pace);
      const now = yield* Clock.currentTimeMillis;
      const asked = { what, hasToken: token !== null };
      const calls: NetworkCall[] = [];
      const fetch = guardedFetch({
        origin: new URL(base).origin,
        timeoutMs: options.timeoutMs ?? 20_000,
        maxBytes,
        cache,
        observe: (call) => calls.push(call),
      });
      const headers = {
        accept: "application/json",
        "user-agent": "adk",
        ...(auth === null ? {} : { authorization: auth }),
      };
      const answer = yield* Effect.tryPromise({
        try: async (signal) => {
          const response = await fetch(`${base}${path}`, { headers, signal });
          return { status: response.status, headers: response.headers, body: await response.text() };
        },
        catch: (error) => networkFailure(error, asked),
      }).pipe(
        Effect.ensuring(
          Effect.suspend(() => Effect.forEach(calls, (call) => log.record("network", { ...call }), { discard: true })),
        ),
      );
      const said = limitOf(answer.headers, now);
      const limited = answer.status === 429;
      yield* limits.heard(pace, limited ? { blockedUntil: now + 60_000, ...said } : said);
      if (answer.status !== 200) {
        const { message, scopes } = errorOf(answer.body);
        const retryAt = said.blockedUntil ?? (limited ? now + 60_000 : null);
        return yield* Effect.fail(
          statusFailure({ status: answer.status, message: log.redact(message), scopes, retryAt }, asked),
        );
      }
      return yield* Effect.try({
        try: () => JSON.parse(answer.body) as unknown,
        catch: (error) => networkFailure(error, asked),
      });
    });
};
