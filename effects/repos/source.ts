import * as Effect from "effect/Effect";
import type { RepoMeta } from "../../src/repo/repoMeta.ts";
import { Log } from "../log/Log.ts";
import { PullRequests } from "../platform/PullRequests.ts";

/** Where a repository is fetched from, as the git service takes it. */
export interface RepositorySource {
  readonly url: string;
  /** Set for a path that the user registered: the only case in which git may use its file transport. */
  readonly allowFile?: string;
  readonly credential?: { readonly host: string; readonly token: string };
}

/**
 * The source of a registered repository. A GitHub token goes to git only for the repository's own host; without one
 * git uses the user's own credentials.
 */
export const repositorySource = (meta: RepoMeta): Effect.Effect<RepositorySource, never, Log | PullRequests> =>
  Effect.gen(function* () {
    if (meta.platform === "local" || meta.url.startsWith("/")) return { url: meta.url, allowFile: meta.url };
    if (meta.platform !== "github" || !meta.url.startsWith("https:")) return { url: meta.url };
    const log = yield* Log;
    const credential = yield* (yield* PullRequests).credentialFor(meta.host);
    if (credential === null) return { url: meta.url };
    log.addSecret(credential.token);
    return { url: meta.url, credential };
  });
