import * as Effect from "effect/Effect";
import type { QueueRow } from "../../src/queue/row.ts";
import type { RepoMeta } from "../../src/repo/repoMeta.ts";
import { Git } from "../git/Git.ts";
import { Home } from "../home/Home.ts";
import { branchRef, cloneDir, pullRef } from "../home/layout.ts";
import { repositorySource } from "./source.ts";

/** The ref on the host that holds a PR's head: GitHub's own copy (forks and deleted heads work), or the local branch. */
export const remoteHeadRef = (row: Pick<QueueRow, "platform" | "pr_number" | "head_ref">): string =>
  row.platform === "local" || row.platform === "bitbucket"
    ? `refs/heads/${row.head_ref ?? ""}`
    : `refs/pull/${row.pr_number}/head`;

/**
 * One fetch for everything that a sync or a preparation needs of a repository: base tips and PR heads, into
 * `refs/adk/…` of the bare clone, which is made when it is missing. Refs that the host does not have are returned,
 * they do not fail the others.
 */
export const fetchRepository = (options: {
  readonly repo: RepoMeta;
  readonly branches: ReadonlyArray<string>;
  readonly rows: ReadonlyArray<Pick<QueueRow, "platform" | "pr_number" | "head_ref">>;
}) =>
  Effect.gen(function* () {
    const git = yield* Git;
    const home = yield* Home;
    const source = yield* repositorySource(options.repo);
    const clone = cloneDir(home, options.repo.name);
    yield* git.ensureClone({ clone, ...source });
    const refs = [
      ...[...new Set(options.branches)].map((branch) => ({ remote: `refs/heads/${branch}`, local: branchRef(branch) })),
      ...options.rows.map((row) => ({ remote: remoteHeadRef(row), local: pullRef(row.pr_number) })),
    ];
    if (refs.length === 0) return { clone, missing: [] as ReadonlyArray<string> };
    const { missing } = yield* git.fetchRefs({ clone, ...source, refs });
    return { clone, missing };
  });
