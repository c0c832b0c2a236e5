import * as Effect from "effect/Effect";
import { repoKey } from "../../src/names.ts";
import { isTerminal, type QueueRow } from "../../src/queue/row.ts";
import type { RepoMeta } from "../../src/repo/repoMeta.ts";
import { baseKey } from "../../src/sync/classifyBase.ts";
import type { BaseFacts } from "../../src/sync/planTypes.ts";
import { isForeign } from "../bases/buildBase.ts";
import { Git } from "../git/Git.ts";
import { Home } from "../home/Home.ts";
import { branchDir, codeIndexDir } from "../home/layout.ts";
import { CodeIndex } from "../index/CodeIndex.ts";
import { Log } from "../log/Log.ts";
import { refreshDefaultBranch } from "../repos/addRepository.ts";
import { cloneUrl } from "../repos/cloneUrl.ts";
import { Repos } from "../repos/Repos.ts";
import { repositorySource } from "../repos/source.ts";

/** What planning needs to know of the world: repositories, bases on disk, branch tips, measured indexing speed. */
export interface SyncFacts {
  /** Registered repositories by `repoKey`. */
  readonly repos: ReadonlyMap<string, RepoMeta>;
  readonly bases: ReadonlyArray<BaseFacts>;
  /** Tips by `baseKey`; absent when the host could not be asked. */
  readonly tips: ReadonlyMap<string, string | null>;
  readonly chunksPerSecond: number | null;
  readonly notes: ReadonlyArray<string>;
}

const reposOf = (rows: ReadonlyArray<QueueRow>, options: { readonly register: boolean }) =>
  Effect.gen(function* () {
    const repos = yield* Repos;
    const found = new Map((yield* repos.list).map((meta) => [repoKey(meta), meta]));
    if (options.register) {
      for (const row of rows) {
        if (found.has(repoKey(row))) continue;
        const meta = yield* repos.register({ ...row, url: cloneUrl(row), default_branch: null });
        const known = yield* Effect.catchAll(refreshDefaultBranch(meta), () => Effect.succeed(meta));
        found.set(repoKey(row), known);
      }
    }
    return found;
  });

/** A branch-meta.json that cannot be read is a note, and its base counts as missing: it must not stop the others. */
const metaOf = (repo: RepoMeta, branch: string, notes: Array<string>) =>
  Effect.gen(function* () {
    const repos = yield* Repos;
    const unreadable = (error: { readonly message: string }) =>
      Effect.sync(() => {
        notes.push(`base ${repo.name} ${branch} cannot be used: ${error.message}`);
        return null;
      });
    return yield* repos
      .base(repo.name, branch)
      .pipe(Effect.catchTags({ DocumentUnreadable: unreadable, NewerSchema: unreadable }));
  });

const factsOf = (repo: RepoMeta, branch: string, notes: Array<string>) =>
  Effect.gen(function* () {
    const index = yield* CodeIndex;
    const home = yield* Home;
    const meta = yield* metaOf(repo, branch, notes);
    const dir = codeIndexDir(branchDir(home, repo.name, branch));
    const health = meta === null ? null : yield* index.health({ dir });
    const readable = health !== null && (health.status === "ok" || health.status === "stale");
    const foreign = readable && (yield* isForeign(dir));
    const facts: BaseFacts = {
      repoName: repo.name,
      platform: repo.platform,
      host: repo.host,
      owner: repo.owner,
      repo: repo.repo,
      branch,
      meta,
      indexReadable: readable,
      foreign,
      tracked: repo.tracked_branches.includes(branch),
    };
    const built = readable ? yield* index.meta(dir) : null;
    return {
      facts,
      measured: built === null || built.seeded_from !== undefined ? null : { rows: built.rows, seconds: built.seconds },
    };
  });

/**
 * Asks disk and hosts what the plan depends on: one `ls-remote` a repository, no fetch. A host that cannot be asked is
 * a note; the plan then goes by age alone. `register` makes repositories of queued PRs known, without a base.
 */
export const gatherFacts = (rows: ReadonlyArray<QueueRow>, options: { readonly register: boolean }) =>
  Effect.gen(function* () {
    const git = yield* Git;
    const log = yield* Log;
    const open = rows.filter((row) => !isTerminal(row));
    const repos = yield* reposOf(open, options);
    const wanted = new Map<string, { repo: RepoMeta; branches: Set<string> }>();
    for (const row of open) {
      const repo = repos.get(repoKey(row));
      if (repo === undefined || row.target_branch === null) continue;
      const entry = wanted.get(repo.name) ?? { repo, branches: new Set<string>() };
      entry.branches.add(row.target_branch);
      wanted.set(repo.name, entry);
    }
    const tips = new Map<string, string | null>();
    const notes: Array<string> = [];
    const bases: Array<BaseFacts> = [];
    let chunks = 0;
    let seconds = 0;
    const ask = ({ repo, branches }: { readonly repo: RepoMeta; readonly branches: ReadonlySet<string> }) =>
      Effect.gen(function* () {
        const source = yield* repositorySource(repo);
        const patterns = [...branches].map((branch) => `refs/heads/${branch}`);
        const remote = yield* git.lsRemote({ ...source, patterns }).pipe(
          Effect.catchAll((error) => {
            notes.push(`${repo.name}: the host could not be asked for its branches: ${error.message}`);
            return Effect.zipRight(log.warn(`${repo.name}: ${error.message}`), Effect.succeed(null));
          }),
        );
        for (const branch of branches) {
          const key = baseKey({ ...repo, branch });
          if (remote !== null) tips.set(key, remote.refs.get(`refs/heads/${branch}`) ?? null);
          const { facts, measured } = yield* factsOf(repo, branch, notes);
          bases.push(facts);
          chunks += measured?.rows ?? 0;
          seconds += measured?.seconds ?? 0;
        }
      });
    yield* Effect.forEach([...wanted.values()], ask, { concurrency: 4, discard: true });
    return {
      repos,
      bases,
      tips,
      chunksPerSecond: chunks > 0 && seconds > 0 ? chunks / seconds : null,
      notes,
    } satisfies SyncFacts;
  });
