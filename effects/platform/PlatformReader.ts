import * as Effect from "effect/Effect";
import type * as Either from "effect/Either";
import { identityKey } from "../../src/names.ts";
import type { PrConversation } from "../../src/pr/conversation.ts";
import type { PlatformRequest, PrMetadata } from "../../src/pr/prMetadata.ts";
import type { PlatformFailure } from "./errors.ts";

/** A token and the one host it may be sent to. `username` is null where the host takes any. */
export interface HostCredential {
  readonly host: string;
  readonly token: string;
  readonly username?: string;
}

/** What a host still grants without a token, where every PR is a request. Times in milliseconds since the epoch. */
export interface AnonymousBudget {
  readonly host: string;
  /** Requests an hour. */
  readonly limit: number;
  /** How many adk may send until `resetAt`; a few of what is left are the person's. */
  readonly usable: number;
  readonly resetAt: number;
}

/** What adk reads of a platform. A failure says why something could not be seen; it never means closed or empty. */
export interface PlatformReader {
  /** One PR as the platform sees it now. */
  readonly metadata: (pr: PlatformRequest) => Effect.Effect<PrMetadata, PlatformFailure>;
  /** Many PRs in as few requests as the platform allows, by `identityKey`; every PR asked for has its own outcome. */
  readonly metadataAll: (
    prs: ReadonlyArray<PlatformRequest>,
  ) => Effect.Effect<ReadonlyMap<string, Either.Either<PrMetadata, PlatformFailure>>>;
  /** Threads, reviews, and the checks at exactly `headSha`. A part that could not be read is null and noted. */
  readonly conversation: (pr: PlatformRequest, headSha: string) => Effect.Effect<PrConversation, PlatformFailure>;
}

/** One after another where a platform has no better way. */
export const oneByOne =
  (metadata: PlatformReader["metadata"], concurrency: number): PlatformReader["metadataAll"] =>
  (prs) =>
    Effect.map(
      Effect.forEach(prs, (pr) => Effect.map(Effect.either(metadata(pr)), (seen) => [identityKey(pr), seen] as const), {
        concurrency,
      }),
      (seen) => new Map(seen),
    );
