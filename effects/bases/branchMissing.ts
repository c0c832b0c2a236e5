import * as Effect from "effect/Effect";
import type { RepoMeta } from "../../src/repo/repoMeta.ts";
import { Git } from "../git/Git.ts";
import { repositorySource } from "../repos/source.ts";
import { BranchMissing } from "./errors.ts";

const shown = 10;

/** Fails with BranchMissing, and names the branches that the repository has, as far as its host says. */
export const branchMissing = (repo: RepoMeta, branch: string) =>
  Effect.gen(function* () {
    const git = yield* Git;
    const source = yield* repositorySource(repo);
    const names = yield* git.lsRemote({ ...source, patterns: ["refs/heads/*"] }).pipe(
      Effect.map(({ refs }) => [...refs.keys()].map((ref) => ref.replace("refs/heads/", "")).sort()),
      Effect.catchAll(() => Effect.succeed([])),
    );
    const more = names.length > shown ? ` and ${names.length - shown} more` : "";
    return yield* new BranchMissing({
      repo: repo.name,
      branch,
      message: `${repo.platform === "local" ? repo.url : `${repo.owner}/${repo.repo}`} has no branch ${branch}`,
      hint:
        names.length === 0
          ? "it was deleted or renamed, or the repository has no branch at all"
          : `it was deleted or renamed; there are: ${names.slice(0, shown).join(", ")}${more}`,
    });
  });
