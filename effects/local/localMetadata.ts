import * as Effect from "effect/Effect";
import type { PlatformRequest, PrMetadata } from "../../src/pr/prMetadata.ts";
import { NotFoundOnHost, type PlatformFailure, RepositoryUnreadable } from "../platform/errors.ts";
import { type ChangeWords, changeWords } from "./changeWords.ts";
import type { LocalFailure } from "./errors.ts";
import type { LocalGit } from "./LocalGit.ts";

const unreadable = (path: string) => (cause: Exclude<LocalFailure, PlatformFailure>) =>
  new RepositoryUnreadable({
    message: `the repository at ${path} cannot be read: ${cause.message}`,
    hint: "put it back where it was, or drop the row with adk pr-queue clean",
    path,
    cause,
  });

const incomplete = (pr: PlatformRequest, what: string) =>
  new NotFoundOnHost({
    message: `${pr.pr_url} does not say ${what}`,
    hint: "add it anew: adk pr-queue add --local PATH --head BRANCH --base BRANCH",
    host: "local",
  });

const baseGone = (pr: PlatformRequest, path: string) =>
  new NotFoundOnHost({
    message: `the base branch ${pr.target_branch} of ${pr.pr_url} is not in ${path}`,
    hint: `bring the branch back, or add the change against another base: adk pr-queue add --local ${path} --base BRANCH`,
    host: "local",
  });

interface Sides {
  readonly clone: string;
  readonly path: string;
  readonly head_ref: string;
  readonly target_branch: string;
  readonly base_sha: string;
}

type LocalState = "OPEN" | "MERGED" | "CLOSED";

const dispositions = { OPEN: "open", MERGED: "merged", CLOSED: "closed" } as const;
const unknownCounts = { additions: null, deletions: null, changed_files: null };

const counts = (git: LocalGit, sides: Sides, head: string) =>
  Effect.gen(function* () {
    const base = yield* git.mergeBase({ clone: sides.clone, a: sides.base_sha, b: head });
    if (base === null) return unknownCounts;
    const files = yield* git.census({ clone: sides.clone, base, head });
    return {
      additions: files.reduce((sum, file) => sum + (file.additions ?? 0), 0),
      deletions: files.reduce((sum, file) => sum + (file.deletions ?? 0), 0),
      changed_files: files.length,
    };
  });

const asSeen = (
  sides: Sides,
  seen: {
    readonly sha: string;
    readonly state: LocalState;
    readonly words: ChangeWords;
    readonly size: Pick<PrMetadata, "additions" | "deletions" | "changed_files">;
  },
): PrMetadata => ({
  node_id: null,
  title: seen.words.title,
  author: seen.words.author,
  author_id: null,
  author_association: null,
  body: "",
  head_sha: seen.sha,
  head_ref: sides.head_ref,
  head_repo_deleted: false,
  target_branch: sides.target_branch,
  base_sha: sides.base_sha,
  is_draft: false,
  ...seen.size,
  merged_at: null,
  state: seen.state,
  disposition: dispositions[seen.state],
  clone_url: sides.path,
  pull_ref: `refs/heads/${sides.head_ref}`,
  auto_merge: null,
  in_merge_queue: null,
  review_decision: null,
  renamed_to: null,
});

const look = (git: LocalGit, sides: Sides, head: { readonly sha: string; readonly isGone: boolean }) =>
  Effect.gen(function* () {
    const { clone, base_sha, head_ref } = sides;
    const { sha } = head;
    // A commit that the repository has lost cannot be in the base.
    const isKnown = (yield* git.resolve({ clone, rev: sha })) !== null;
    if (!isKnown)
      return asSeen(sides, { sha, state: "CLOSED", words: { title: head_ref, author: null }, size: unknownCounts });
    const isMerged = yield* git.isAncestor({ clone, ancestor: sha, descendant: base_sha });
    const state = isMerged ? "MERGED" : head.isGone ? "CLOSED" : "OPEN";
    const words = yield* changeWords(git, { clone, head_sha: sha, base_sha, head_ref });
    const size = state === "OPEN" ? yield* counts(git, sides, sha) : unknownCounts;
    return asSeen(sides, { sha, state, words, size });
  });

/**
 * A local change request as its repository shows it now (spec 2): merged = the head is an ancestor of the base, closed
 * = the head branch is gone. A head branch that was deleted after its last known commit reached the base was merged.
 * A repository that is gone, or a base branch that is gone, is a failure and never "closed".
 */
export const localMetadata = (git: LocalGit, pr: PlatformRequest): Effect.Effect<PrMetadata, PlatformFailure> =>
  Effect.gen(function* () {
    const path = pr.local_path;
    if (!path) return yield* incomplete(pr, "where its repository is");
    if (!pr.head_ref || !pr.target_branch) return yield* incomplete(pr, "its head and base branch");
    const repository = yield* Effect.mapError(git.localRepository(path), unreadable(path));
    const { gitDir: clone, branches } = repository;
    const base = branches.find((branch) => branch.name === pr.target_branch);
    if (base === undefined) return yield* baseGone(pr, path);
    const head = branches.find((branch) => branch.name === pr.head_ref);
    const sha = head?.sha ?? pr.head_sha;
    if (!sha) return yield* incomplete(pr, "its head commit, and its branch is gone");
    const sides = { clone, path, head_ref: pr.head_ref, target_branch: base.name, base_sha: base.sha };
    return yield* Effect.mapError(look(git, sides, { sha, isGone: head === undefined }), unreadable(path));
  });
