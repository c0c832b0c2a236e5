import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import type * as Either from "effect/Either";
import * as Layer from "effect/Layer";
import type { PrConversation } from "../../src/pr/conversation.ts";
import type { PlatformRequest, PrMetadata } from "../../src/pr/prMetadata.ts";
import { Bitbucket, layer as bitbucketLayer } from "../bitbucket/Bitbucket.ts";
import { Git } from "../git/Git.ts";
import { GitHub, type GitHubOptions, layer as gitHubLayer } from "../github/GitHub.ts";
import type { LocalFailure } from "../local/errors.ts";
import { localMetadata } from "../local/localMetadata.ts";
import { type LocalChange, type LocalRequest, resolveLocal } from "../local/resolveLocal.ts";
import type { Log } from "../log/Log.ts";
import type { HostLimits } from "../network/HostLimits.ts";
import type { PlatformFailure } from "./errors.ts";
import { type AnonymousBudget, type HostCredential, oneByOne, type PlatformReader } from "./PlatformReader.ts";

/** PRs of every platform behind one door. All calls are reads. */
export class PullRequests extends Context.Tag("adk/PullRequests")<
  PullRequests,
  PlatformReader & {
    /** The change request that a folder and two branches mean, without a number (`nextLocalNumber` gives it). */
    readonly resolveLocal: (request: LocalRequest) => Effect.Effect<LocalChange, LocalFailure>;
    /** What git may send to `host` when it fetches; null for hosts without token and for `local`. */
    readonly credentialFor: (host: string) => Effect.Effect<HostCredential | null>;
    /** What is left for `wanted` PRs of a GitHub host without a token; null with one, or where nothing is short. */
    readonly anonymousBudget: (host: string, wanted: number) => Effect.Effect<AnonymousBudget | null>;
  }
>() {}

/** A local change has neither threads nor checks, which is known and not merely unread. */
const localConversation = (headSha: string): PrConversation => ({
  threads: [],
  reviews: [],
  checks: { head_sha: headSha, state: "none", checks: [] },
  notes: [],
});

const make = Effect.gen(function* () {
  const git = yield* Git;
  const github = yield* GitHub;
  const bitbucket = yield* Bitbucket;
  const readLocal = (pr: PlatformRequest) => localMetadata(git, pr);
  const readers: Readonly<Record<PlatformRequest["platform"], PlatformReader>> = {
    github,
    bitbucket,
    local: {
      metadata: readLocal,
      metadataAll: oneByOne(readLocal, 8),
      conversation: (_, headSha) => Effect.succeed(localConversation(headSha)),
    },
  };
  const metadataAll: PlatformReader["metadataAll"] = (prs) =>
    Effect.map(
      Effect.forEach(
        ["github", "bitbucket", "local"] as const,
        (platform) => {
          const asked = prs.filter((pr) => pr.platform === platform);
          return asked.length === 0 ? Effect.succeed(new Map()) : readers[platform].metadataAll(asked);
        },
        { concurrency: "unbounded" },
      ),
      (answers) =>
        new Map<string, Either.Either<PrMetadata, PlatformFailure>>(answers.flatMap((answer) => [...answer])),
    );
  return {
    metadata: (pr: PlatformRequest) => readers[pr.platform].metadata(pr),
    metadataAll,
    conversation: (pr: PlatformRequest, headSha: string) => readers[pr.platform].conversation(pr, headSha),
    resolveLocal: (request: LocalRequest) => resolveLocal(git, request),
    credentialFor: github.credentialFor,
    anonymousBudget: github.anonymousBudget,
  };
});

/** `githubHosts` is `github.hosts` of core.yaml. Nothing is loaded or asked before the first call. */
export const layer = (options: GitHubOptions): Layer.Layer<PullRequests, never, Git | Log | HostLimits> =>
  Layer.effect(PullRequests, make).pipe(
    Layer.provide(gitHubLayer(options)),
    Layer.provide(bitbucketLayer({ env: options.env })),
  );
