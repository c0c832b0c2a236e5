import { readFile, rm } from "node:fs/promises";
import type { Table } from "@lancedb/lancedb";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Stream from "effect/Stream";
import { foreignReason } from "../../src/index/identity.ts";
import type { BlobReader, IndexMeta, IndexOptions, IndexReport, TreeChange, TreeEntry } from "../../src/index/types.ts";
import { formatTime } from "../../src/time.ts";
import type { Maker, OnProgress } from "./buildIndex.ts";
import { makeChunkPool } from "./chunkPool.ts";
import { type IndexError, indexBroken, indexForeign } from "./errors.ts";
import {
  buildingDir,
  chunkLine,
  chunksFile,
  linesWithout,
  linkIndex,
  readMeta,
  recoverLeftovers,
  replaceFile,
  restrict,
  swapIn,
  writeMeta,
  writing,
} from "./indexFiles.ts";
import { arrowRows, lanceCall, loadNative, openTable, pathPredicate, recreateTextIndex } from "./lance.ts";
import { prepareFilesFrom, type Rows, sortedSkips } from "./prepareFilesFrom.ts";

export interface OverlayOptions<E> {
  readonly dir: string;
  /** `git diff --raw --no-renames` from the commit that the index stands at to `headSha`. */
  readonly changes: ReadonlyArray<TreeChange>;
  readonly blobs: BlobReader<E>;
  readonly headSha: string;
  readonly indexOptions: IndexOptions;
  readonly threads?: number;
  readonly onProgress?: OnProgress;
}

const isFile = (mode: string): boolean => mode.startsWith("100");

/** Neither content nor kind changed (an executable bit did): rows and vectors stay as they are. */
const isModeOnly = (change: TreeChange): boolean =>
  change.oldOid === change.newOid && isFile(change.oldMode) && isFile(change.newMode);

const pathsPerPredicate = 400;

const groups = <T>(values: ReadonlyArray<T>, size: number): T[][] =>
  Array.from({ length: Math.ceil(values.length / size) }, (_, i) => values.slice(i * size, (i + 1) * size));

/** Ids, and vectors where embedding costs, of the rows that a change is about to remove. */
const oldRows = (dir: string, table: Table, options: { paths: ReadonlyArray<string>; vectors: boolean }) =>
  Effect.map(
    Effect.forEach(groups(options.paths, pathsPerPredicate), (paths) =>
      lanceCall(dir, "its rows cannot be read", () =>
        table
          .query()
          .where(pathPredicate(paths))
          .select(options.vectors ? ["id", "vector"] : ["id"])
          .toArrow(),
      ),
    ),
    (tables) => {
      const rows = new Map<string, Float32Array | null>();
      for (const rowsOf of tables)
        for (const row of rowsOf) rows.set(String(row.id), options.vectors ? Float32Array.from(row.vector) : null);
      return rows;
    },
  );

const deleteRows = (dir: string, table: Table, paths: ReadonlyArray<string>) =>
  Effect.forEach(
    groups(paths, pathsPerPredicate),
    (some) => lanceCall(dir, "its rows cannot be deleted", () => table.delete(pathPredicate(some))),
    { discard: true },
  );

const checkUsable = (dir: string, meta: IndexMeta, maker: Maker, indexOptions: IndexOptions) =>
  Effect.gen(function* () {
    const identity = yield* maker.embedder.identity;
    const foreign = foreignReason(meta, { ...identity, options: indexOptions });
    if (foreign !== null) return yield* indexForeign(dir, foreign);
    if (meta.updating === true) return yield* indexBroken(dir, "its last change was interrupted");
    return identity;
  });

const collect = <E>(
  maker: Maker,
  options: OverlayOptions<E>,
  entries: ReadonlyArray<TreeEntry>,
  known: ReadonlyMap<string, Float32Array | null>,
) =>
  Effect.gen(function* () {
    const pool = yield* makeChunkPool({
      threads: options.threads,
      files: entries.length,
      embed: maker.embedder.inChunker,
      workerFile: maker.workerFile,
    });
    const vectors = new Map([...known].flatMap(([id, vector]) => (vector === null ? [] : [[id, vector] as const])));
    const prepared = prepareFilesFrom({ ...options, entries, pool, embedder: maker.embedder, known: vectors });
    const report = options.onProgress ?? (() => Effect.void);
    let done = 0;
    const batches = yield* Stream.runCollect(
      Stream.tap(prepared.rows, (rows) => {
        done += rows.files;
        return report({ done, total: entries.length });
      }),
    );
    return { skippedByRule: prepared.skipped, batches: [...batches] };
  });

interface Change {
  readonly paths: ReadonlyArray<string>;
  readonly batches: ReadonlyArray<Rows>;
  readonly dim: number;
}

const changeTable = (dir: string, table: Table, change: Change & { readonly textIndex: boolean }) =>
  Effect.gen(function* () {
    const { arrow } = yield* loadNative;
    yield* deleteRows(dir, table, change.paths);
    for (const { chunks, vectors } of change.batches) {
      if (chunks.length === 0) continue;
      const data = arrowRows(arrow, { chunks, vectors, dim: change.dim });
      yield* lanceCall(dir, "its rows cannot be written", () => table.add(data));
    }
    if (change.textIndex) return yield* recreateTextIndex(dir, table);
    return yield* lanceCall(dir, "its rows cannot be counted", () => table.countRows());
  });

const changeLines = (dir: string, change: Change) =>
  writing(dir, async () => {
    const bytes = await readFile(chunksFile(dir));
    const added = change.batches.flatMap(({ chunks }) => chunks.map(chunkLine));
    await replaceFile(chunksFile(dir), [...linesWithout(bytes, new Set(change.paths)), added.join("")]);
  });

const joinVectors = (parts: ReadonlyArray<Float32Array>): Float32Array => {
  const out = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
};

const mergeBatches = (batches: ReadonlyArray<Rows>): Rows => ({
  chunks: batches.flatMap(({ chunks }) => chunks),
  vectors: joinVectors(batches.map(({ vectors }) => vectors)),
  skipped: batches.flatMap(({ skipped }) => skipped),
  files: batches.reduce((sum, { files }) => sum + files, 0),
});

/**
 * Brings an index to another commit. Everything is read, cut and embedded before the first row changes; meta.json says
 * `updating` until the last, so that an interrupted change is known as such. Equals a full index at `headSha`.
 */
export const overlayIndex = <E>(maker: Maker, options: OverlayOptions<E>): Effect.Effect<IndexReport, E | IndexError> =>
  applyChanges(maker, { ...options, textIndex: true });

const applyChanges = <E>(maker: Maker, options: OverlayOptions<E> & { readonly textIndex: boolean }) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { dir } = options;
      const started = yield* Clock.currentTimeMillis;
      const meta = yield* readMeta(dir);
      const { dim } = yield* checkUsable(dir, meta, maker, options.indexOptions);
      const changes = options.changes.filter((change) => !isModeOnly(change));
      const paths = changes.map(({ path }) => path);
      const entries = changes
        .filter(({ status }) => status !== "D")
        .map(({ path, newMode, newOid }) => ({ path, mode: newMode, oid: newOid, size: null }));
      const table = yield* openTable(dir);
      const old = yield* oldRows(dir, table, { paths, vectors: !maker.embedder.inChunker });
      const { batches, skippedByRule } = yield* collect(maker, options, entries, old);
      const rows = mergeBatches(batches);
      const change: Change = { paths, batches: [rows], dim };
      const untouched = old.size === 0 && rows.chunks.length === 0;
      yield* writing(dir, () => writeMeta(dir, { ...meta, updating: true }));
      // Side by side: the text index is native code's work, the lines are ours. `updating` stands over both.
      const [count] = untouched
        ? [meta.rows]
        : yield* Effect.all(
            [changeTable(dir, table, { ...change, textIndex: options.textIndex }), changeLines(dir, change)],
            { concurrency: 2 },
          );
      const ended = yield* Clock.currentTimeMillis;
      const gone = new Set(paths);
      const skipped = sortedSkips([
        ...meta.skipped.filter(({ path }) => !gone.has(path)),
        ...skippedByRule,
        ...rows.skipped,
      ]);
      const seconds = (ended - started) / 1000;
      yield* writing(dir, async () => {
        await restrict(dir);
        await writeMeta(dir, {
          ...meta,
          rows: count,
          head_sha: options.headSha,
          skipped,
          built_at: formatTime(ended),
          seconds,
        });
      });
      const reused = rows.chunks.filter(({ id }) => old.has(id)).length;
      return { rows: count, embedded: rows.chunks.length - reused, reused, deleted: old.size, skipped, seconds };
    }),
  );

/** Hard-links an index to a folder beside, works on it there and swaps it in: readers see a complete index throughout. */
const onCopy = <A, E>(options: { from: string; to: string }, work: (beside: string) => Effect.Effect<A, E>) => {
  const beside = buildingDir(options.to);
  return Effect.gen(function* () {
    yield* writing(options.to, () => recoverLeftovers(options.to));
    yield* writing(options.to, () => linkIndex(options.from, beside));
    const result = yield* work(beside);
    yield* Effect.uninterruptible(writing(options.to, () => swapIn(beside, options.to)));
    return result;
  }).pipe(Effect.ensuring(Effect.ignore(writing(beside, () => rm(beside, { recursive: true, force: true })))));
};

/** Brings a base to another commit and drops its old versions: tables grow slow by them (facts 3, "Growth"). */
export const refreshIndex = <E>(maker: Maker, options: OverlayOptions<E>): Effect.Effect<IndexReport, E | IndexError> =>
  Effect.zipRight(
    Effect.flatMap(readMeta(options.dir), (meta) => checkUsable(options.dir, meta, maker, options.indexOptions)),
    onCopy({ from: options.dir, to: options.dir }, (beside) =>
      Effect.gen(function* () {
        const report = yield* applyChanges(maker, { ...options, dir: beside, textIndex: false });
        yield* Effect.scoped(
          Effect.gen(function* () {
            const table = yield* openTable(beside);
            const now = new Date(yield* Clock.currentTimeMillis);
            yield* lanceCall(beside, "its old versions cannot be dropped", () =>
              table.optimize({ cleanupOlderThan: now, deleteUnverified: true }),
            );
            yield* recreateTextIndex(beside, table);
          }),
        );
        yield* writing(beside, () => restrict(beside));
        return report;
      }),
    ),
  );

export interface SeedOptions {
  /** The base's code-index folder. */
  readonly from: string;
  readonly to: string;
  /** The commit that the caller takes the base to stand at; another one on disk fails as IndexBroken. */
  readonly headSha?: string;
}

/**
 * Makes `to` a copy of a base by hard links (a few milliseconds, no space): later writes to either never reach the other,
 * because no index file is ever edited in place. Gives the seed's meta; `head_sha` is the commit to diff from.
 */
export const seedIndex = (maker: Maker, options: SeedOptions): Effect.Effect<IndexMeta, IndexError> =>
  Effect.gen(function* () {
    const { from, to } = options;
    yield* Effect.flatMap(readMeta(from), (meta) => checkUsable(from, meta, maker, meta.options));
    return yield* onCopy({ from, to }, (beside) =>
      Effect.gen(function* () {
        const meta = yield* readMeta(beside);
        if (meta.updating === true) return yield* indexBroken(from, "its last change was interrupted");
        if (options.headSha !== undefined && options.headSha !== meta.head_sha)
          return yield* indexBroken(from, `it stands at ${meta.head_sha}, not at ${options.headSha}`);
        const seeded: IndexMeta = { ...meta, seeded_from: meta.head_sha };
        yield* writing(beside, () => writeMeta(beside, seeded));
        yield* writing(beside, () => restrict(beside));
        return seeded;
      }),
    );
  });
