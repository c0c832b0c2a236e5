import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Either from "effect/Either";
import * as Layer from "effect/Layer";
import type { PlatformRequest, PrMetadata } from "../../src/pr/prMetadata.ts";
import { Log } from "../log/Log.ts";
import { HostLimits } from "../network/HostLimits.ts";
import { NotFoundOnHost, type PlatformFailure } from "../platform/errors.ts";
import { oneByOne, type PlatformReader } from "../platform/PlatformReader.ts";
import { readConversation } from "./conversation.ts";
import { badResponse, host } from "./failures.ts";
import { pages } from "./pages.ts";
import { type BitbucketPull, commitHash, metadataOf, readPull } from "./pullResponse.ts";
import { type BitbucketOptions, type Get, makeGet } from "./request.ts";

/** A repository whose PRs a token has to read. */
export type Place = Pick<PlatformRequest, "owner" | "repo">;

/** Bitbucket Cloud, reads only. */
export class Bitbucket extends Context.Tag("adk/Bitbucket")<
  Bitbucket,
  PlatformReader & {
    /**
     * Proves the token by one request: the PRs of `place`, or the token's own account where no repository is known.
     * Returns what was read.
     */
    readonly access: (place: Place | null) => Effect.Effect<string, PlatformFailure>;
  }
>() {}

const repositoryPath = (pr: Pick<PlatformRequest, "owner" | "repo">): string =>
  `/repositories/${encodeURIComponent(pr.owner)}/${encodeURIComponent(pr.repo)}`;

/** The whole name of a commit: PR answers carry twelve characters. One that the row knows already is not asked for. */
const wholeHash = (
  get: Get,
  at: { readonly repository: string; readonly short: string; readonly known: string | null; readonly what: string },
): Effect.Effect<string, PlatformFailure> => {
  if (/^[0-9a-f]{40,64}$/.test(at.short)) return Effect.succeed(at.short);
  if (at.known?.startsWith(at.short)) return Effect.succeed(at.known);
  return Effect.flatMap(get(`/repositories/${at.repository}/commit/${at.short}`, at.what), (body) =>
    Either.mapLeft(commitHash(body, at.short), (problem) => badResponse(problem, at.what)),
  );
};

const headHidden = (what: string): NotFoundOnHost =>
  new NotFoundOnHost({
    message: `${host} shows ${what}, but not the commit that it is about: its fork is deleted or private`,
    hint: "ask the author for read access to the fork, or to open the PR from a branch of the repository itself",
    host,
  });

/**
 * The whole name of a head in a fork, which the repository's own list of the PR's commits (newest first) tells even
 * where the fork is private to others or deleted; else the repository itself may know the commit.
 */
const forkHead = (get: Get, pr: PlatformRequest, pull: BitbucketPull, what: string) =>
  Effect.gen(function* () {
    if (pr.head_sha?.startsWith(pull.head)) return pr.head_sha;
    const path = `${repositoryPath(pr)}/pullrequests/${pr.pr_number}/commits?pagelen=10`;
    const { items } = yield* pages(get, { path, what: `commits of ${what}`, most: 1 });
    return yield* Either.mapLeft(commitHash(items[0], pull.head), (problem) =>
      badResponse(problem, `the commits of ${what}`),
    );
  }).pipe(
    Effect.catchTag("NotFoundOnHost", () =>
      wholeHash(get, { repository: pull.destination, short: pull.head, known: null, what }),
    ),
    Effect.catchTag("NotFoundOnHost", () => headHidden(what)),
  );

const numberOf = (value: unknown, field: string): number => {
  const count = (value as Readonly<Record<string, unknown>> | null)?.[field];
  return typeof count === "number" && Number.isInteger(count) && count >= 0 ? count : 0;
};

/** Files and lines that the PR changes, by the host's own count. */
const counts = (get: Get, pr: PlatformRequest, what: string) =>
  Effect.map(
    pages(get, { path: `${repositoryPath(pr)}/pullrequests/${pr.pr_number}/diffstat?pagelen=500`, what, most: 10 }),
    (files) => ({
      changed_files: files.cut ? null : files.items.length,
      additions: files.cut ? null : files.items.reduce<number>((sum, file) => sum + numberOf(file, "lines_added"), 0),
      deletions: files.cut ? null : files.items.reduce<number>((sum, file) => sum + numberOf(file, "lines_removed"), 0),
    }),
  );

const metadata =
  (get: Get) =>
  (pr: PlatformRequest): Effect.Effect<PrMetadata, PlatformFailure> =>
    Effect.gen(function* () {
      const what = `${pr.owner}/${pr.repo}#${pr.pr_number}`;
      const body = yield* get(`${repositoryPath(pr)}/pullrequests/${pr.pr_number}`, what);
      const pull = yield* Either.mapLeft(readPull(body, pr), (problem) => badResponse(problem, what));
      const known = pr.head_sha ?? null;
      const repository = pull.destination;
      const isFork = pull.source !== pull.destination;
      const head = yield* isFork
        ? forkHead(get, pr, pull, what)
        : wholeHash(get, { repository, short: pull.head, known, what });
      const base = yield* wholeHash(get, { repository, short: pull.base, known: null, what });
      // Counted once for a head: what the row has already is kept.
      const counted = known === head ? null : yield* counts(get, pr, what);
      return metadataOf(pull, { head, base, counted, pr });
    });

const access =
  (get: Get) =>
  (place: Place | null): Effect.Effect<string, PlatformFailure> => {
    const what = place === null ? "the account of the token" : `the pull requests of ${place.owner}/${place.repo}`;
    return Effect.as(get(place === null ? "/user" : `${repositoryPath(place)}/pullrequests?pagelen=1`, what), what);
  };

const make = (options: BitbucketOptions) =>
  Effect.gen(function* () {
    const get = makeGet(options, { log: yield* Log, limits: yield* HostLimits });
    return {
      metadata: metadata(get),
      metadataAll: oneByOne(metadata(get), 4),
      access: access(get),
      conversation: (pr: PlatformRequest, headSha: string) => readConversation(get, pr, headSha),
    };
  });

export const layer = (options: BitbucketOptions): Layer.Layer<Bitbucket, never, Log | HostLimits> =>
  Layer.effect(Bitbucket, make(options));
