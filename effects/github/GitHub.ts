import * as Clock from "effect/Clock";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Either from "effect/Either";
import * as Layer from "effect/Layer";
import * as Ref from "effect/Ref";
import type { PrIdentity } from "../../src/names.ts";
import type { PrMetadata } from "../../src/pr/prMetadata.ts";
import { parseTime } from "../../src/time.ts";
import { Log } from "../log/Log.ts";
import type { PlatformFailure, RateLimited } from "../platform/errors.ts";
import { type HostCredential, oneByOne, type PlatformReader } from "../platform/PlatformReader.ts";
import { type ApiHostOptions, apiFor } from "./apiHosts.ts";
import type { GitHubClient } from "./client.ts";
import { badResponse, notConfigured, platformFailure } from "./failures.ts";
import { type AnswerCache, guardedFetch, type NetworkCall } from "./guardedFetch.ts";
import { tokenFor } from "./token.ts";

/** GitHub's REST interface, reads only: github.com, configured enterprise hosts, GITHUB_API_URL. */
export class GitHub extends Context.Tag("adk/GitHub")<
  GitHub,
  PlatformReader & {
    /** What git may send to `host`, or null: an unknown host, or no token for it. Asked once a host and process. */
    readonly credentialFor: (host: string) => Effect.Effect<HostCredential | null>;
  }
>() {}

export interface GitHubOptions extends ApiHostOptions {
  /** Time limit of one request. */
  readonly timeoutMs?: number;
  /** Size limit of one answer. */
  readonly maxBytes?: number;
}

interface Connection {
  readonly client: GitHubClient;
  readonly origin: string;
  readonly hasToken: boolean;
  readonly cache: AnswerCache;
  /** The host's last word on its rate limit: until then nothing more is sent there. */
  readonly limit: Ref.Ref<RateLimited | null>;
}

const connect = (host: string, baseUrl: string, token: string | null): Effect.Effect<Connection> =>
  Effect.gen(function* () {
    const { makeClient } = yield* Effect.promise(() => import("./client.ts"));
    return {
      client: makeClient({ baseUrl, token, host }),
      origin: new URL(baseUrl).origin,
      hasToken: token !== null,
      cache: new Map(),
      limit: yield* Ref.make<RateLimited | null>(null),
    };
  });

/** Fails at once while the host's rate limit lasts; asking on would only prolong it. */
const refuseWhileLimited = (to: Connection, now: number): Effect.Effect<void, RateLimited> =>
  Effect.flatMap(Ref.get(to.limit), (limited) => {
    const until = parseTime(limited?.retry_at);
    return limited !== null && until !== null && now < until ? Effect.fail(limited) : Effect.void;
  });

const make = (options: GitHubOptions) =>
  Effect.gen(function* () {
    const log = yield* Log;
    const token = yield* Effect.cachedFunction((host: string) =>
      Effect.tap(tokenFor(host, options), (value) => Effect.sync(() => value !== null && log.addSecret(value))),
    );
    const connection = yield* Effect.cachedFunction((host: string) =>
      Effect.gen(function* () {
        const api = apiFor(host, options);
        if (api === null) return null;
        return yield* connect(host, api.baseUrl, yield* token(host));
      }),
    );

    const recorded = <A, E>(calls: ReadonlyArray<NetworkCall>, effect: Effect.Effect<A, E>) =>
      Effect.ensuring(
        effect,
        Effect.suspend(() => Effect.forEach(calls, (call) => log.record("network", { ...call }), { discard: true })),
      );

    const pullData = (pr: PrIdentity, to: Connection) =>
      Effect.suspend(() => {
        const calls: Array<NetworkCall> = [];
        const request = Effect.tryPromise({
          try: (signal) =>
            to.client.rest.pulls.get({
              owner: pr.owner,
              repo: pr.repo,
              pull_number: pr.pr_number,
              request: {
                signal,
                fetch: guardedFetch({
                  origin: to.origin,
                  timeoutMs: options.timeoutMs ?? 20_000,
                  maxBytes: options.maxBytes ?? 8 * 1024 * 1024,
                  cache: to.cache,
                  observe: (call) => calls.push(call),
                }),
              },
            }),
          catch: (error) => error,
        });
        return recorded(calls, request);
      });

    const metadata = (pr: PrIdentity): Effect.Effect<PrMetadata, PlatformFailure> =>
      Effect.gen(function* () {
        const host = pr.host.toLowerCase();
        const what = `${pr.owner}/${pr.repo}#${pr.pr_number}`;
        const to = yield* connection(host);
        if (to === null) return yield* notConfigured(host);
        const now = yield* Clock.currentTimeMillis;
        yield* refuseWhileLimited(to, now);
        const answer = yield* pullData(pr, to).pipe(
          Effect.mapError((error) => platformFailure(error, { host, what, hasToken: to.hasToken, now })),
          Effect.tapErrorTag("RateLimited", (limited) => Ref.set(to.limit, limited)),
        );
        const { readPull } = yield* Effect.promise(() => import("./pullResponse.ts"));
        return yield* Either.mapLeft(readPull(answer.data, pr), (problem) => badResponse(problem, { host, what }));
      });

    const credentialFor = (host: string): Effect.Effect<HostCredential | null> =>
      Effect.map(token(host.toLowerCase()), (value) =>
        value === null ? null : { host: host.toLowerCase(), token: value },
      );

    return {
      metadata,
      metadataAll: oneByOne(metadata, 8),
      conversation: () =>
        Effect.succeed({ threads: null, reviews: null, checks: null, notes: ["threads and checks are not read yet"] }),
      credentialFor,
    };
  });

/** Octokit is loaded with the first request, the token looked for with the first need of it. */
export const layer = (options: GitHubOptions): Layer.Layer<GitHub, never, Log> => Layer.effect(GitHub, make(options));
