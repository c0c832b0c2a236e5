import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import type { PlatformRequest, PrMetadata } from "../../src/pr/prMetadata.ts";
import { Git } from "../git/Git.ts";
import { GitHub, type GitHubOptions, layer as gitHubLayer, type HostCredential } from "../github/GitHub.ts";
import type { LocalFailure } from "../local/errors.ts";
import { localMetadata } from "../local/localMetadata.ts";
import { type LocalChange, type LocalRequest, resolveLocal } from "../local/resolveLocal.ts";
import type { Log } from "../log/Log.ts";
import { type PlatformFailure, PlatformUnsupported } from "./errors.ts";

export type { PlatformRequest, PrMetadata } from "../../src/pr/prMetadata.ts";

/** PRs of every platform behind one door. All calls are reads. */
export class PullRequests extends Context.Tag("adk/PullRequests")<
  PullRequests,
  {
    /** The PR as its platform sees it now. A failure says why it could not be seen; it never means closed or empty. */
    readonly metadata: (pr: PlatformRequest) => Effect.Effect<PrMetadata, PlatformFailure>;
    /** The change request that a folder and two branches mean, without a number (`nextLocalNumber` gives it). */
    readonly resolveLocal: (request: LocalRequest) => Effect.Effect<LocalChange, LocalFailure>;
    /** What git may send to `host` when it fetches; null for hosts without token and for `local`. */
    readonly credentialFor: (host: string) => Effect.Effect<HostCredential | null>;
  }
>() {}

const bitbucket = (pr: PlatformRequest) =>
  new PlatformUnsupported({
    message: `Bitbucket is not read yet, so ${pr.pr_url} was not looked at`,
    hint: "add pull requests of GitHub, or a local branch: adk pr-queue add --local PATH",
    platform: pr.platform,
  });

const make = Effect.gen(function* () {
  const git = yield* Git;
  const github = yield* GitHub;
  return {
    metadata: (pr: PlatformRequest): Effect.Effect<PrMetadata, PlatformFailure> => {
      if (pr.platform === "github") return github.metadata(pr);
      return pr.platform === "local" ? localMetadata(git, pr) : Effect.fail(bitbucket(pr));
    },
    resolveLocal: (request: LocalRequest) => resolveLocal(git, request),
    credentialFor: github.credentialFor,
  };
});

/** `githubHosts` is `github.hosts` of core.yaml. Nothing is loaded or asked before the first call. */
export const layer = (options: GitHubOptions): Layer.Layer<PullRequests, never, Git | Log> =>
  Layer.provide(Layer.effect(PullRequests, make), gitHubLayer(options));
