import * as Effect from "effect/Effect";
import * as Stream from "effect/Stream";
import { skipRule } from "../../src/index/skip.ts";
import { embeddingText } from "../../src/index/tokens.ts";
import type { BlobReader, IndexOptions, Skipped, TreeEntry } from "../../src/index/types.ts";
import type { ChunkPool } from "./chunkPool.ts";
import type { Embedder } from "./Embedder.ts";
import type { EmbedFailed } from "./errors.ts";
import type { FileInput, PreparedChunk } from "./fileJob.ts";

/** Chunks with their vectors, ready for the table. */
export interface Rows {
  readonly chunks: ReadonlyArray<PreparedChunk>;
  readonly vectors: Float32Array;
  readonly skipped: ReadonlyArray<Skipped>;
  /** Files of this batch, skipped ones included. */
  readonly files: number;
}

export interface PrepareOptions<E> {
  readonly entries: ReadonlyArray<TreeEntry>;
  readonly blobs: BlobReader<E>;
  readonly indexOptions: IndexOptions;
  readonly pool: ChunkPool;
  readonly embedder: Embedder;
  /** Vectors already known by chunk id (rows of the same chunk before a change). */
  readonly known?: ReadonlyMap<string, Float32Array>;
}

const batchFiles = 24;
const batchBytes = 400_000;

const batchesOf = (entries: ReadonlyArray<TreeEntry>): TreeEntry[][] => {
  const out: TreeEntry[][] = [];
  let batch: TreeEntry[] = [];
  let bytes = 0;
  for (const entry of entries) {
    batch.push(entry);
    bytes += entry.size ?? 10_000;
    if (batch.length < batchFiles && bytes < batchBytes) continue;
    out.push(batch);
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) out.push(batch);
  return out;
};

const readEntry = <E>(options: PrepareOptions<E>, entry: TreeEntry): Effect.Effect<FileInput | Skipped, E> =>
  Effect.map(options.blobs.read(entry.oid), (answer) => {
    const { path, oid } = entry;
    if (answer.type === "missing") return { path, reason: "object missing from the clone" };
    const large = { path, reason: `larger than ${options.indexOptions.maxFileKb} KB` };
    if (answer.type === "tooLarge" || answer.size > options.indexOptions.maxFileKb * 1024) return large;
    return { path, oid, content: answer.content };
  });

const embedRows = <E>(
  options: PrepareOptions<E>,
  chunks: ReadonlyArray<PreparedChunk>,
): Effect.Effect<Float32Array, EmbedFailed> =>
  Effect.gen(function* () {
    const missing = chunks.filter((chunk) => options.known?.has(chunk.id) !== true);
    const fresh = yield* options.embedder.documents(missing.map(embeddingText));
    if (missing.length === chunks.length) return fresh;
    const { dim } = yield* options.embedder.identity;
    const out = new Float32Array(chunks.length * dim);
    let next = 0;
    chunks.forEach((chunk, row) => {
      const known = options.known?.get(chunk.id);
      out.set(known ?? fresh.subarray(next * dim, (next + 1) * dim), row * dim);
      if (known === undefined) next += 1;
    });
    return out;
  });

const prepareBatch = <E>(options: PrepareOptions<E>, batch: ReadonlyArray<TreeEntry>) =>
  Effect.gen(function* () {
    const read = yield* Effect.forEach(batch, (entry) => readEntry(options, entry), { concurrency: batchFiles });
    const files = read.filter((one): one is FileInput => "content" in one);
    const skipped = read.filter((one): one is Skipped => "reason" in one);
    const prepared = yield* options.pool.run(files);
    const vectors = prepared.vectors ?? (yield* embedRows(options, prepared.chunks));
    const rows: Rows = {
      chunks: prepared.chunks,
      vectors,
      skipped: [...skipped, ...prepared.skipped],
      files: batch.length,
    };
    return rows;
  });

/** Skips by rule, then reads, cuts and embeds the rest in batches, in the order of `entries` and as many at once as there are threads. */
export const prepareFilesFrom = <E>(
  options: PrepareOptions<E>,
): { readonly skipped: ReadonlyArray<Skipped>; readonly rows: Stream.Stream<Rows, E | EmbedFailed> } => {
  const rule = skipRule(options.indexOptions);
  const skipped: Skipped[] = [];
  const wanted = options.entries.filter((entry) => {
    const reason = rule(entry);
    if (reason !== null) skipped.push({ path: entry.path, reason });
    return reason === null;
  });
  const rows = Stream.fromIterable(batchesOf(wanted)).pipe(
    Stream.mapEffect((batch) => prepareBatch(options, batch), { concurrency: Math.max(2, options.pool.threads + 1) }),
  );
  return { skipped, rows };
};

/** In the order that full and seeded indexes share. */
export const sortedSkips = (skips: ReadonlyArray<Skipped>): Skipped[] =>
  [...skips].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
