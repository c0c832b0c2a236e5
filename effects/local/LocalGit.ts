import type * as Effect from "effect/Effect";
import type { CensusFile } from "../../src/git/changes.ts";
import type { CommitRecord } from "../../src/git/commits.ts";
import type { NotARepository } from "../git/errors.ts";
import type { GitError } from "./errors.ts";

/** The part of the Git service that reads a person's own repository; nothing here changes it. */
export interface LocalGit {
  readonly localRepository: (path: string) => Effect.Effect<
    {
      readonly realPath: string;
      readonly gitDir: string;
      readonly headBranch: string | null;
      readonly defaultBranch: string | null;
      readonly isShallow: boolean;
    },
    GitError | NotARepository
  >;
  readonly localBranches: (
    path: string,
  ) => Effect.Effect<ReadonlyArray<{ readonly name: string; readonly sha: string }>, GitError | NotARepository>;
  readonly resolve: (options: {
    readonly clone: string;
    readonly rev: string;
  }) => Effect.Effect<string | null, GitError>;
  readonly isAncestor: (options: {
    readonly clone: string;
    readonly ancestor: string;
    readonly descendant: string;
  }) => Effect.Effect<boolean, GitError>;
  readonly mergeBase: (options: {
    readonly clone: string;
    readonly a: string;
    readonly b: string;
  }) => Effect.Effect<string | null, GitError>;
  readonly census: (options: {
    readonly clone: string;
    readonly base: string;
    readonly head: string;
  }) => Effect.Effect<ReadonlyArray<CensusFile>, GitError>;
  readonly log: (options: {
    readonly clone: string;
    readonly tip: string;
    readonly max: number;
  }) => Effect.Effect<ReadonlyArray<CommitRecord>, GitError>;
}
