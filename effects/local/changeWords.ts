import * as Effect from "effect/Effect";
import type { LocalGit } from "./LocalGit.ts";

/** What the newest own commit says of a local change request. */
export interface ChangeWords {
  readonly title: string;
  readonly author: string | null;
}

/**
 * Title and author of a local change request: those of its newest own commit, else the branch name and nobody. "Own" is what the base
 * does not have; a merge of the base into the branch says nothing about the change and is passed over.
 */
export const changeWords = (
  git: LocalGit,
  change: { readonly clone: string; readonly head_sha: string; readonly base_sha: string; readonly head_ref: string },
) =>
  Effect.gen(function* () {
    const { clone } = change;
    const [newest] = yield* git.log({ clone, tip: change.head_sha, max: 1 });
    const words = (commit: { readonly subject: string; readonly author: string }): ChangeWords => ({
      title: commit.subject || change.head_ref,
      author: commit.author || null,
    });
    if (newest === undefined) return { title: change.head_ref, author: null };
    if (newest.parents.length <= 1) return words(newest);
    const history = yield* git.log({ clone, tip: change.head_sha, max: 100 });
    const base = new Set((yield* git.log({ clone, tip: change.base_sha, max: 200 })).map((commit) => commit.sha));
    const own = history.find((commit) => commit.parents.length <= 1 && !base.has(commit.sha));
    return words(own ?? newest);
  });
