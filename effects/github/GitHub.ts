import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Either from "effect/Either";
import * as Layer from "effect/Layer";
import * as Option from "effect/Option";
import { reserveOf } from "../../src/network/limitHeaders.ts";
import type { PrConversation } from "../../src/pr/conversation.ts";
import type { PlatformRequest, PrMetadata } from "../../src/pr/prMetadata.ts";
import { parseTime } from "../../src/time.ts";
import { Log } from "../log/Log.ts";
import { HostLimits } from "../network/HostLimits.ts";
import type { PlatformFailure } from "../platform/errors.ts";
import {
  type AnonymousBudget,
  type HostCredential,
  oneByOne,
  type PlatformReader,
} from "../platform/PlatformReader.ts";
import { type ApiHostOptions, apiFor } from "./apiHosts.ts";
import { ask, type Connection, connect, type Services } from "./connection.ts";
import { badResponse, notConfigured } from "./failures.ts";
import { tokenFor } from "./token.ts";

/** GitHub, reads only: REST for one PR, GraphQL for many and for what was said: github.com, configured enterprise hosts, GITHUB_API_URL. */
export class GitHub extends Context.Tag("adk/GitHub")<
  GitHub,
  PlatformReader & {
    /** The host's own word on the token's limit, which costs nothing; fails when it does not accept the token. */
    readonly rateLimit: (host: string) => Effect.Effect<RateLimit, PlatformFailure>;
    /** What git may send to `host`, or null: an unknown host, or no token for it. Asked once a host and process. */
    readonly credentialFor: (host: string) => Effect.Effect<HostCredential | null>;
    /**
     * What is left for `wanted` requests without a token: for many what the host says when it is asked, which costs
     * nothing, else what its answers have said. Null with a token, and when nothing is known.
     */
    readonly anonymousBudget: (host: string, wanted: number) => Effect.Effect<AnonymousBudget | null>;
  }
>() {}

export interface RateLimit {
  readonly hasToken: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Milliseconds since the epoch. */
  readonly resetAt: number;
}

export interface GitHubOptions extends ApiHostOptions {
  /** Time limit of one request. */
  readonly timeoutMs?: number;
  /** Size limit of one answer. */
  readonly maxBytes?: number;
}

/** Less than GitHub grants anybody in an hour. */
const fewRequests = 50;

const usableOf = (remaining: number, limit: number): number => Math.max(0, remaining - reserveOf(limit));

const byHost = (prs: ReadonlyArray<PlatformRequest>): ReadonlyMap<string, ReadonlyArray<PlatformRequest>> => {
  const hosts = new Map<string, PlatformRequest[]>();
  for (const pr of prs) hosts.set(pr.host.toLowerCase(), [...(hosts.get(pr.host.toLowerCase()) ?? []), pr]);
  return hosts;
};

const make = (options: GitHubOptions) =>
  Effect.gen(function* () {
    const log = yield* Log;
    const limits = yield* HostLimits;
    const services: Services = {
      log,
      limits,
      timeoutMs: options.timeoutMs ?? 20_000,
      maxBytes: options.maxBytes ?? 8 * 1024 * 1024,
    };
    const token = yield* Effect.cachedFunction((host: string) =>
      Effect.tap(tokenFor(host, options), (value) => Effect.sync(() => value !== null && log.addSecret(value))),
    );
    const connection = yield* Effect.cachedFunction((host: string) =>
      Effect.gen(function* () {
        const api = apiFor(host, options);
        if (api === null) return null;
        return yield* connect({ host, baseUrl: api.baseUrl, token: yield* token(host) });
      }),
    );
    const connectionOf = (pr: PlatformRequest): Effect.Effect<Connection, PlatformFailure> => {
      const host = pr.host.toLowerCase();
      return Effect.flatMap(connection(host), (to) =>
        to === null ? Effect.fail(notConfigured(host)) : Effect.succeed(to),
      );
    };

    const metadata = (pr: PlatformRequest): Effect.Effect<PrMetadata, PlatformFailure> =>
      Effect.gen(function* () {
        const to = yield* connectionOf(pr);
        const what = `${pr.owner}/${pr.repo}#${pr.pr_number}`;
        const answer = yield* ask(services, to, { what, resource: "rest" }, (request) =>
          to.client.rest.pulls.get({ owner: pr.owner, repo: pr.repo, pull_number: pr.pr_number, request }),
        );
        const { readPull } = yield* Effect.promise(() => import("./pullResponse.ts"));
        return yield* Either.mapLeft(readPull(answer.data, pr), (problem) =>
          badResponse(problem, { host: to.host, what }),
        );
      });

    /** GraphQL knows nobody without a token; then each PR is a conditional request. */
    const ofHost = (prs: ReadonlyArray<PlatformRequest>) =>
      Effect.gen(function* () {
        const to = yield* connection(prs[0]?.host.toLowerCase() ?? "");
        if (to === null || !to.hasToken || prs.length === 1) return [...(yield* oneByOne(metadata, 8)(prs))];
        const { batchMetadata } = yield* Effect.promise(() => import("./batchMetadata.ts"));
        return yield* batchMetadata(services, to, { prs, oneByOne: oneByOne(metadata, 8) });
      });

    const metadataAll: PlatformReader["metadataAll"] = (prs) => {
      const hosts = byHost(prs);
      return Effect.map(
        Effect.forEach(hosts.values(), ofHost, { concurrency: "unbounded" }),
        (answers) => new Map(answers.flat()),
      );
    };

    const conversation = (pr: PlatformRequest, headSha: string): Effect.Effect<PrConversation, PlatformFailure> =>
      Effect.gen(function* () {
        const to = yield* connectionOf(pr);
        if (!to.hasToken) {
          const note = `threads, reviews and checks are not read: ${to.host} shows them only with a token (set GITHUB_TOKEN, or gh auth login)`;
          return { threads: null, reviews: null, checks: null, notes: [note] };
        }
        const { readConversation } = yield* Effect.promise(() => import("./conversation.ts"));
        return yield* readConversation(services, to, pr, headSha);
      });

    const rateLimit = (host: string): Effect.Effect<RateLimit, PlatformFailure> =>
      Effect.gen(function* () {
        const to = yield* connection(host);
        if (to === null) return yield* notConfigured(host);
        const what = "its rate limit";
        const { data } = yield* ask(services, to, { what, resource: "rest" }, (request) =>
          to.client.rest.rateLimit.get({ request }),
        );
        const { limit, remaining, reset } = data.resources.core;
        return { hasToken: to.hasToken, limit, remaining, resetAt: reset * 1000 };
      });

    const anonymousBudget = (host: string, wanted: number): Effect.Effect<AnonymousBudget | null> =>
      Effect.gen(function* () {
        const to = yield* connection(host.toLowerCase());
        if (to === null || to.hasToken) return null;
        // What answers have said may be from a time with a token.
        const said = wanted > fewRequests ? yield* Effect.option(rateLimit(to.host)) : Option.none();
        if (Option.isSome(said)) {
          const { limit, remaining, resetAt } = said.value;
          return { host: to.host, limit, usable: usableOf(remaining, limit), resetAt };
        }
        const known = (yield* limits.states).find(({ key }) => key === `${to.host} rest`);
        const resetAt = known === undefined ? null : parseTime(known.reset_at);
        if (known === undefined || known.remaining === null || known.limit === null || resetAt === null) return null;
        return { host: to.host, limit: known.limit, usable: usableOf(known.remaining, known.limit), resetAt };
      });

    const credentialFor = (host: string): Effect.Effect<HostCredential | null> =>
      Effect.map(token(host.toLowerCase()), (value) =>
        value === null ? null : { host: host.toLowerCase(), token: value },
      );

    return { metadata, metadataAll, conversation, rateLimit, credentialFor, anonymousBudget };
  });

/** Octokit is loaded with the first request, the token looked for with the first need of it. */
export const layer = (options: GitHubOptions): Layer.Layer<GitHub, never, Log | HostLimits> =>
  Layer.effect(GitHub, make(options));
