import { open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Connection, Table } from "@lancedb/lancedb";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Stream from "effect/Stream";
import {
  type BlobReader,
  chunkerVersion,
  type IndexMeta,
  type IndexOptions,
  type IndexReport,
  type Skipped,
  type TreeEntry,
} from "../../src/index/types.ts";
import { formatTime } from "../../src/time.ts";
import { makeChunkPool } from "./chunkPool.ts";
import type { Embedder } from "./Embedder.ts";
import { type IndexError, writeFailed } from "./errors.ts";
import {
  buildingDir,
  chunkLine,
  chunksFile,
  makeFolder,
  readMeta,
  recoverLeftovers,
  restrict,
  swapIn,
  writeMeta,
  writing,
} from "./indexFiles.ts";
import { arrowRows, lanceCall, loadNative, openConnection, recreateTextIndex, tableName } from "./lance.ts";
import { prepareFilesFrom, type Rows, sortedSkips } from "./prepareFilesFrom.ts";

/** `done` of `total` files. */
export type OnProgress = (progress: { readonly done: number; readonly total: number }) => Effect.Effect<void>;

export interface BuildOptions<E> {
  /** The code-index folder to be made or replaced. */
  readonly dir: string;
  readonly entries: ReadonlyArray<TreeEntry>;
  readonly blobs: BlobReader<E>;
  readonly headSha: string;
  readonly indexOptions: IndexOptions;
  readonly threads?: number;
  readonly onProgress?: OnProgress;
}

export interface Maker {
  readonly embedder: Embedder;
  readonly workerFile: string | undefined;
}

const flushRows = 6000;

/** Appends rows to the table in large pieces and to chunks.jsonl as they come. */
const makeWriter = (dir: string, dim: number) =>
  Effect.gen(function* () {
    const { lance, arrow } = yield* loadNative;
    const connection: Connection = yield* openConnection(lance, dir);
    const lines = yield* Effect.acquireRelease(
      writing(dir, () => open(chunksFile(dir), "wx", 0o600)),
      (handle) => Effect.promise(() => handle.close().catch(() => undefined)),
    );
    let table: Table | null = null;
    let pending: Rows[] = [];
    let count = 0;
    const flush = Effect.suspend(() => {
      const rows = joinRows(pending, dim);
      pending = [];
      const data = arrowRows(arrow, { ...rows, dim });
      return lanceCall(dir, "its rows cannot be written", async () => {
        if (table !== null) await table.add(data);
        else if (rows.chunks.length > 0) table = await connection.createTable(tableName, data);
        else table = await connection.createEmptyTable(tableName, data.schema);
      });
    });
    const write = (rows: Rows) =>
      Effect.gen(function* () {
        if (rows.chunks.length === 0) return;
        yield* writing(dir, () => lines.writeFile(rows.chunks.map(chunkLine).join(""), "utf8"));
        pending.push(rows);
        count += rows.chunks.length;
        if (pending.reduce((sum, one) => sum + one.chunks.length, 0) >= flushRows) yield* flush;
      });
    const finish = Effect.gen(function* () {
      if (pending.length > 0 || table === null) yield* flush;
      if (table !== null) yield* recreateTextIndex(dir, table);
      table?.close();
      yield* writing(dir, () => lines.sync());
      return count;
    });
    return { write, finish };
  });

const joinRows = (batches: ReadonlyArray<Rows>, dim: number): Pick<Rows, "chunks" | "vectors"> => {
  const chunks = batches.flatMap((batch) => batch.chunks);
  const vectors = new Float32Array(chunks.length * dim);
  let at = 0;
  for (const batch of batches) {
    vectors.set(batch.vectors, at);
    at += batch.vectors.length;
  }
  return { chunks, vectors };
};

const fillFolder = <E>(maker: Maker, options: BuildOptions<E>, dir: string) =>
  Effect.gen(function* () {
    const started = yield* Clock.currentTimeMillis;
    const { embedder } = maker;
    const identity = yield* embedder.identity;
    yield* writing(dir, () => makeFolder(dir));
    const pool = yield* makeChunkPool({
      threads: options.threads,
      files: options.entries.length,
      embed: embedder.inChunker,
      workerFile: maker.workerFile,
    });
    const prepared = prepareFilesFrom({ ...options, pool, embedder });
    const skipped: Skipped[] = [...prepared.skipped];
    let done = skipped.length;
    const report = options.onProgress ?? (() => Effect.void);
    const writer = yield* makeWriter(dir, identity.dim);
    yield* Stream.runForEach(prepared.rows, (rows) => {
      skipped.push(...rows.skipped);
      done += rows.files;
      return Effect.zipRight(writer.write(rows), report({ done, total: options.entries.length }));
    });
    const count = yield* writer.finish;
    const ended = yield* Clock.currentTimeMillis;
    const meta: IndexMeta = {
      table: tableName,
      ...identity,
      chunker_version: chunkerVersion,
      rows: count,
      head_sha: options.headSha,
      skipped: sortedSkips(skipped),
      built_at: formatTime(ended),
      seconds: (ended - started) / 1000,
      options: { maxFileKb: options.indexOptions.maxFileKb, exclude: options.indexOptions.exclude },
    };
    yield* writing(dir, () => writeMeta(dir, meta));
    yield* writing(dir, () => restrict(dir));
    return meta;
  });

/** Where an index of another embedder or chunker stays when ours takes its place: `code-index.<model>`. */
export const keptDir = (dir: string, meta: IndexMeta): string =>
  `${dir}.${meta.model
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, 60)}`;

const keepForeign = (dir: string, mine: IndexMeta) =>
  Effect.gen(function* () {
    const old = yield* Effect.option(readMeta(dir));
    if (old._tag === "None") return;
    const { provider, model, dim, chunker_version } = old.value;
    const sameEmbedder = provider === mine.provider && model === mine.model && dim === mine.dim;
    if (sameEmbedder && chunker_version === mine.chunker_version) return;
    const kept = keptDir(dir, old.value);
    yield* writing(dir, async () => {
      await rm(kept, { recursive: true, force: true });
      await rename(dir, kept);
    });
  });

/**
 * Indexes every entry of a tree. Made in a folder beside and renamed into place when complete, so that readers see the
 * old index or the new one. An index of another embedder stays beside as `code-index.<model>`.
 */
export const buildIndex = <E>(maker: Maker, options: BuildOptions<E>): Effect.Effect<IndexReport, E | IndexError> => {
  const { dir } = options;
  const beside = buildingDir(dir);
  return Effect.gen(function* () {
    yield* writing(dir, () => makeFolder(dirname(dir)));
    yield* writing(dir, () => recoverLeftovers(dir));
    const meta = yield* Effect.scoped(fillFolder(maker, options, beside));
    yield* Effect.uninterruptible(
      Effect.zipRight(
        keepForeign(dir, meta),
        writing(dir, () => swapIn(beside, dir)),
      ),
    );
    const { rows, skipped, seconds } = meta;
    return { rows, embedded: rows, reused: 0, deleted: 0, skipped, seconds };
  }).pipe(
    Effect.ensuring(
      Effect.ignore(
        Effect.tryPromise({
          try: () => rm(beside, { recursive: true, force: true }),
          catch: (cause) => writeFailed(join(beside), cause),
        }),
      ),
    ),
  );
};
