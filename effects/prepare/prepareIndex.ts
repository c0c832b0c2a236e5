import { rename, rm, stat } from "node:fs/promises";
import * as Effect from "effect/Effect";
import { globMatcher } from "../../src/index/glob.ts";
import { indexProgress, type StageProgress } from "../bases/buildBase.ts";
import { crashPoint } from "../engine/crashPoint.ts";
import { Git } from "../git/Git.ts";
import { Home } from "../home/Home.ts";
import { branchDir, codeIndexDir } from "../home/layout.ts";
import { CodeIndex } from "../index/CodeIndex.ts";
import { Repos } from "../repos/Repos.ts";
import { Settings } from "../settings/Settings.ts";
import { TaskFolderFailed } from "./errors.ts";

export interface ChunkCounts {
  readonly total: number;
  readonly embedded: number;
  readonly reused: number;
  readonly deleted: number;
}

const inPlace = (dir: string, run: () => Promise<void>) =>
  Effect.tryPromise({
    try: run,
    catch: (cause) =>
      new TaskFolderFailed({
        path: dir,
        cause,
        message: `the index could not be put in place at ${dir}: ${String(cause)}`,
        hint: "check the disk, then prepare the PR again",
      }),
  });

/** Two renames; a process killed between them leaves no index, and the next preparation makes it anew. */
const swapIn = (next: string, dir: string) =>
  Effect.gen(function* () {
    yield* crashPoint("prepare.overlaid");
    yield* inPlace(dir, async () => {
      await rm(`${dir}.old`, { recursive: true, force: true });
      await rename(dir, `${dir}.old`).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== "ENOENT") throw error;
      });
    });
    yield* crashPoint("prepare.swapping");
    yield* inPlace(dir, async () => {
      await rename(next, dir);
      await rm(`${dir}.old`, { recursive: true, force: true });
    });
  });

/** What a preparation that did not end leaves goes; when even that fails, the next one does it. */
const discard = (next: string): Effect.Effect<void> =>
  Effect.promise(() => rm(next, { recursive: true, force: true }).catch(() => undefined));

/** Inode of a folder, to notice that it was swapped while it was read; null when it is missing. */
const inode = (path: string) =>
  Effect.promise(() =>
    stat(path).then(
      (info) => info.ino,
      () => null,
    ),
  );

/**
 * The index of a PR at its head. With a seed: the base's files hard-linked, the rows of every path that differs between
 * the commit the base was indexed at and the head replaced (not the merge base: a stale base is then harmless). The
 * result equals a full index at the head. Made beside the old one and renamed into place when complete.
 */
export const prepareIndex = (options: {
  readonly clone: string;
  readonly folder: string;
  readonly head: string;
  readonly seed: { readonly repo: string; readonly branch: string } | null;
  /** Globs of the paths to index; everything when empty. A scoped index is never seeded: a base holds other paths too. */
  readonly scope: ReadonlyArray<string>;
  readonly onProgress?: (progress: StageProgress) => void;
}) =>
  Effect.gen(function* () {
    const git = yield* Git;
    const index = yield* CodeIndex;
    const { config } = yield* Settings;
    const home = yield* Home;
    const repos = yield* Repos;
    const dir = codeIndexDir(options.folder);
    const next = `${dir}.next`;
    yield* index.sweep(next);
    yield* Effect.promise(() => rm(next, { recursive: true, force: true }));
    const indexOptions = { maxFileKb: config.index.max_file_kb, exclude: config.index.exclude };
    const progress = { onProgress: indexProgress(options.onProgress) };

    const seeded = Effect.gen(function* () {
      const { seed } = options;
      if (seed === null || options.scope.length > 0) return null;
      const base = yield* repos.base(seed.repo, seed.branch);
      const from = codeIndexDir(branchDir(home, seed.repo, seed.branch));
      if (base === null) return `base ${seed.branch} is gone`;
      for (let attempt = 0; attempt < 5; attempt += 1) {
        const before = yield* inode(from);
        if (before === null) return `base ${seed.branch} has no index`;
        yield* Effect.promise(() => rm(next, { recursive: true, force: true }));
        yield* index.seed({ from, to: next });
        if ((yield* inode(from)) === before) break;
      }
      const { head_sha: sha } = yield* index.meta(next);
      if ((yield* git.resolve({ clone: options.clone, rev: sha })) === null) {
        return `the commit that base ${seed.branch} was indexed at is gone`;
      }
      return { sha, base };
    });

    const whole = Effect.gen(function* () {
      yield* Effect.promise(() => rm(next, { recursive: true, force: true }));
      const tree = yield* git.listTree({ clone: options.clone, sha: options.head });
      const wanted = options.scope.map(globMatcher);
      const entries =
        wanted.length === 0 ? tree : tree.filter((entry) => wanted.some((matches) => matches(entry.path)));
      const blobs = yield* git.blobs({ clone: options.clone });
      return yield* index.build({ dir: next, headSha: options.head, indexOptions, entries, blobs, ...progress });
    });

    return yield* Effect.scoped(
      Effect.gen(function* () {
        const found = yield* seeded;
        if (found === null || typeof found === "string") {
          const report = yield* whole;
          yield* swapIn(next, dir);
          return {
            usedBase: null,
            chunks: { total: report.rows, embedded: report.embedded, reused: report.reused, deleted: report.deleted },
            note: found,
          };
        }
        const changes = yield* git.changes({ clone: options.clone, from: found.sha, to: options.head });
        const blobs = yield* git.blobs({ clone: options.clone });
        const report = yield* index.overlay({
          dir: next,
          headSha: options.head,
          indexOptions,
          changes,
          blobs,
          ...progress,
        });
        yield* swapIn(next, dir);
        return {
          usedBase: {
            repo: options.seed?.repo ?? "",
            branch: found.base.branch,
            sha: found.sha,
            created_by: found.base.created_by,
          },
          chunks: { total: report.rows, embedded: report.embedded, reused: report.reused, deleted: report.deleted },
          note: null,
        };
      }),
    ).pipe(Effect.onError(() => discard(next)));
  });
