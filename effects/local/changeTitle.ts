import * as Effect from "effect/Effect";
import type { LocalGit } from "./LocalGit.ts";

/**
 * Title of a local change request: the subject of its newest own commit, else the branch name. "Own" is what the base
 * does not have; a merge of the base into the branch says nothing about the change and is passed over.
 */
export const changeTitle = (
  git: LocalGit,
  change: { readonly clone: string; readonly head_sha: string; readonly base_sha: string; readonly head_ref: string },
) =>
  Effect.gen(function* () {
    const { clone } = change;
    const [newest] = yield* git.log({ clone, tip: change.head_sha, max: 1 });
    if (newest === undefined) return change.head_ref;
    if (newest.parents.length <= 1) return newest.subject || change.head_ref;
    const history = yield* git.log({ clone, tip: change.head_sha, max: 100 });
    const base = new Set((yield* git.log({ clone, tip: change.base_sha, max: 200 })).map((commit) => commit.sha));
    const own = history.find((commit) => commit.parents.length <= 1 && !base.has(commit.sha));
    return own?.subject || newest.subject || change.head_ref;
  });
