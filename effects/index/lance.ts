import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Connection, Table } from "@lancedb/lancedb";
import type { Table as ArrowTable, Data } from "apache-arrow";
import * as Effect from "effect/Effect";
import { type IndexBroken, indexBroken, UnsupportedCpu } from "./errors.ts";
import type { PreparedChunk } from "./fileJob.ts";

export const tableName = "chunks";

const require = createRequire(import.meta.url);

type Lance = typeof import("@lancedb/lancedb");
type Arrow = typeof import("apache-arrow");
export interface Native {
  readonly lance: Lance;
  readonly arrow: Arrow;
}

const supportsCpu = (): boolean => {
  if (process.arch !== "x64" || process.platform !== "linux" || !existsSync("/proc/cpuinfo")) return true;
  const flags = /^flags\s*:(.*)$/m.exec(readFileSync("/proc/cpuinfo", "utf8"))?.[1];
  return flags === undefined || (/\bavx2\b/.test(flags) && /\bfma\b/.test(flags));
};

let native: Native | null = null;

/**
 * LanceDB and Arrow, loaded at first use: 0.2 s that no other verb pays. Both through `require`: LanceDB takes tables of
 * its own copy of Arrow only, and writes tables of the ES module's copy as empty ones, without a word.
 */
export const loadNative: Effect.Effect<Native, UnsupportedCpu> = Effect.suspend(() => {
  if (native === null && !supportsCpu())
    return Effect.fail(
      new UnsupportedCpu({
        message: "this processor has no AVX2 and FMA, which LanceDB needs",
        hint: "run adk on an x86 processor from 2013 or later, or on ARM",
      }),
    );
  native ??= { lance: require("@lancedb/lancedb") as Lance, arrow: require("apache-arrow") as Arrow };
  return Effect.succeed(native);
});

/** Stable key of a path that is safe inside a predicate whatever the path holds. */
export const pathKey = (path: string): string => createHash("sha256").update(path, "utf8").digest("hex").slice(0, 16);

/** `path_key IN (…)`: hex only, nothing of a repository is ever part of a predicate. */
export const pathPredicate = (paths: Iterable<string>): string =>
  `path_key IN (${[...paths].map((path) => `'${pathKey(path)}'`).join(",")})`;

/** A connection and table on an index folder, closed with the scope. */
export const openTable = (dir: string) =>
  Effect.gen(function* () {
    const { lance } = yield* loadNative;
    const connection = yield* openConnection(lance, dir);
    return yield* Effect.acquireRelease(
      Effect.tryPromise({
        try: () => connection.openTable(tableName),
        catch: (cause) => indexBroken(dir, "its table cannot be opened", cause),
      }),
      (table) => Effect.sync(() => table.close()),
    );
  });

export const openConnection = (lance: Lance, dir: string) =>
  Effect.acquireRelease(
    Effect.tryPromise({
      // The read consistency interval makes nobody wait: an index folder has one writer and is opened anew for each use.
      try: () => lance.connect(dir),
      catch: (cause) => indexBroken(dir, "its folder cannot be opened", cause),
    }),
    (connection: Connection) => Effect.sync(() => connection.close()),
  );

/**
 * Runs one LanceDB call; its failure means that the index is broken. An interruption waits for it: native code cannot be
 * stopped, and would go on writing into a folder that has been cleared away.
 */
export const lanceCall = <A>(dir: string, what: string, call: () => Promise<A>): Effect.Effect<A, IndexBroken> =>
  Effect.uninterruptible(Effect.tryPromise({ try: call, catch: (cause) => indexBroken(dir, what, cause) }));

const utf8Column = (arrow: Arrow, values: ReadonlyArray<string>): Data => {
  const offsets = new Int32Array(values.length + 1);
  let bytes = 0;
  values.forEach((value, row) => {
    bytes += Buffer.byteLength(value, "utf8");
    offsets[row + 1] = bytes;
  });
  const data = Buffer.allocUnsafe(bytes);
  values.forEach((value, row) => {
    data.write(value, offsets[row] ?? 0, "utf8");
  });
  const type = new arrow.Utf8();
  return arrow.makeData({ type, length: values.length, nullCount: 0, valueOffsets: offsets, data });
};

const int32Column = (arrow: Arrow, values: ReadonlyArray<number>): Data =>
  arrow.makeData({ type: new arrow.Int32(), length: values.length, nullCount: 0, data: Int32Array.from(values) });

const vectorColumn = (arrow: Arrow, vectors: Float32Array, dim: number): Data => {
  const item = new arrow.Field("item", new arrow.Float32(), true);
  const length = vectors.length / dim;
  const child = arrow.makeData({ type: new arrow.Float32(), length: vectors.length, nullCount: 0, data: vectors });
  return arrow.makeData({ type: new arrow.FixedSizeList(dim, item), length, nullCount: 0, child });
};

/** ` a b ` with a space at both ends, so that a name is found as ` name `. */
const namesText = (names: ReadonlyArray<string>): string => (names.length === 0 ? "" : ` ${names.join(" ")} `);

/** Rows as typed Arrow columns: half the time of handing LanceDB JavaScript records. */
export const arrowRows = (
  arrow: Arrow,
  rows: { readonly chunks: ReadonlyArray<PreparedChunk>; readonly vectors: Float32Array; readonly dim: number },
): ArrowTable => {
  const { chunks, vectors, dim } = rows;
  const text = (pick: (chunk: PreparedChunk) => string): Data => utf8Column(arrow, chunks.map(pick));
  const columns: Record<string, Data> = {
    id: text((chunk) => chunk.id),
    path: text((chunk) => chunk.path),
    path_key: text((chunk) => pathKey(chunk.path)),
    line_start: int32Column(
      arrow,
      chunks.map((chunk) => chunk.line_start),
    ),
    line_end: int32Column(
      arrow,
      chunks.map((chunk) => chunk.line_end),
    ),
    symbol: text((chunk) => chunk.symbol),
    kind: text((chunk) => chunk.kind),
    lang: text((chunk) => chunk.lang),
    oid: text((chunk) => chunk.oid),
    defs: text((chunk) => namesText(chunk.defs)),
    calls: text((chunk) => namesText(chunk.calls)),
    text: text((chunk) => chunk.text),
    fts: text((chunk) => chunk.fts),
    vector: vectorColumn(arrow, vectors, dim),
  };
  const fields = Object.entries(columns).map(([name, data]) => new arrow.Field(name, data.type, true));
  const schema = new arrow.Schema(fields);
  const struct = arrow.makeData({
    type: new arrow.Struct(fields),
    length: chunks.length,
    nullCount: 0,
    children: Object.values(columns),
  });
  return new arrow.Table(schema, new arrow.RecordBatch(schema, struct));
};

/**
 * Makes the full-text index anew over all rows. Only when rows exist: one made on an empty table stays broken (facts 3);
 * anew rather than `optimize`: only then do a seeded and a full index give the same scores.
 */
export const recreateTextIndex = (dir: string, table: Table) =>
  Effect.gen(function* () {
    const rows = yield* lanceCall(dir, "its rows cannot be counted", () => table.countRows());
    if (rows === 0) return rows;
    const { lance } = yield* loadNative;
    const config = lance.Index.fts({
      baseTokenizer: "whitespace",
      withPosition: false,
      lowercase: false,
      stem: false,
      removeStopWords: false,
      asciiFolding: false,
      maxTokenLength: 64,
    });
    yield* lanceCall(dir, "its text index cannot be made", () =>
      table.createIndex("fts", { config, replace: true, waitTimeoutSeconds: 600 }),
    );
    return rows;
  });
