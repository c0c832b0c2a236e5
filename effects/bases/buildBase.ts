import { join } from "node:path";
import * as Effect from "effect/Effect";
import { foreignReason } from "../../src/index/identity.ts";
import type { RepoMeta } from "../../src/repo/repoMeta.ts";
import { Git } from "../git/Git.ts";
import { Home } from "../home/Home.ts";
import { branchDir, branchRef, cloneDir, codeIndexDir } from "../home/layout.ts";
import { CodeIndex } from "../index/CodeIndex.ts";
import { Settings } from "../settings/Settings.ts";
import { ensureDir, writeFileDurably } from "../store/durableFile.ts";
import { branchMissing } from "./branchMissing.ts";

export interface StageProgress {
  readonly stage: string;
  readonly done: number;
  readonly total: number;
}

/** What a base build or refresh ends with; the fields of the base machine's BUILT event. */
export interface BuiltBase {
  readonly sha: string;
  readonly provider: string;
  readonly model: string;
  readonly dim: number;
  readonly chunker_version: number;
  readonly chunks: number;
  readonly embedded: number;
  readonly reused: number;
}

/** Passes an index's own progress on as a stage. */
export const indexProgress =
  (report: ((progress: StageProgress) => void) | undefined) =>
  (progress: { readonly done: number; readonly total: number }): Effect.Effect<void> =>
    Effect.sync(() => report?.({ stage: "index", ...progress }));

/** True when the present embedder, chunker or index options could not have made the index in `dir`. */
export const isForeign = (dir: string) =>
  Effect.gen(function* () {
    const index = yield* CodeIndex;
    const { config } = yield* Settings;
    const options = { maxFileKb: config.index.max_file_kb, exclude: config.index.exclude };
    return foreignReason(yield* index.meta(dir), { ...(yield* index.identity), options }) !== null;
  });

/**
 * Indexes a branch at its fetched tip into `branch-<slug>/code-index`. With a usable index of an earlier commit only
 * what changed since is indexed, on a copy that is swapped in when complete; otherwise the whole tree is. An index made
 * by another embedder stays beside as `code-index.<model>/`. The caller holds the base's lock and has fetched the tip.
 */
export const buildBase = (options: {
  readonly repo: RepoMeta;
  readonly branch: string;
  readonly rebuild: boolean;
  readonly onProgress?: (progress: StageProgress) => void;
}) =>
  Effect.gen(function* () {
    const git = yield* Git;
    const home = yield* Home;
    const index = yield* CodeIndex;
    const { config } = yield* Settings;
    const clone = cloneDir(home, options.repo.name);
    const folder = branchDir(home, options.repo.name, options.branch);
    const sha = yield* git.resolve({ clone, rev: branchRef(options.branch) });
    if (sha === null) return yield* branchMissing(options.repo, options.branch);
    yield* ensureDir(folder);
    yield* writeFileDurably(join(folder, ".adk-folder"), Buffer.from("made by adk; adk may delete this folder\n"), {});
    const dir = codeIndexDir(folder);
    const indexOptions = { maxFileKb: config.index.max_file_kb, exclude: config.index.exclude };
    const shared = {
      dir,
      headSha: sha,
      indexOptions,
      onProgress: indexProgress(options.onProgress),
    };
    return yield* Effect.scoped(
      Effect.gen(function* () {
        const blobs = yield* git.blobs({ clone });
        const health = yield* index.health({ dir });
        const readable = health.status === "ok" || health.status === "stale";
        const foreign = readable && (yield* isForeign(dir));
        const old = readable && !foreign ? health.head_sha : null;
        const known = old === null ? null : yield* git.resolve({ clone, rev: old });
        const atTip = known === sha && !options.rebuild;
        const report = atTip
          ? { rows: health.rows, embedded: 0, reused: health.rows }
          : options.rebuild || known === null
            ? yield* index.build({
                ...shared,
                entries: yield* git.listTree({ clone, sha }),
                blobs,
              })
            : yield* index.refresh({ ...shared, changes: yield* git.changes({ clone, from: known, to: sha }), blobs });
        const meta = yield* index.meta(dir);
        return {
          sha,
          provider: meta.provider,
          model: meta.model,
          dim: meta.dim,
          chunker_version: meta.chunker_version,
          chunks: report.rows,
          embedded: report.embedded,
          reused: report.reused,
        };
      }),
    );
  });
