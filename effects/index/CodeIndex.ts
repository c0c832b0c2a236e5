import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import type * as Scope from "effect/Scope";
import * as Stream from "effect/Stream";
import type { ChunkRow, Hit, IndexHealth, IndexMeta, IndexReport } from "../../src/index/types.ts";
import { type BuildOptions, buildIndex, type Maker } from "./buildIndex.ts";
import { builtinEmbedder, type Embedder, type EmbedderIdentity } from "./Embedder.ts";
import {
  type EmbedFailed,
  type IndexBroken,
  type IndexError,
  type IndexMissing,
  indexBroken,
  type UnsupportedCpu,
} from "./errors.ts";
import { healthOf } from "./healthOf.ts";
import { readChunkLines, readMeta, recoverLeftovers, writing } from "./indexFiles.ts";
import { makeOllamaEmbedder } from "./ollamaEmbedder.ts";
import { type OverlayOptions, overlayIndex, refreshIndex, type SeedOptions, seedIndex } from "./overlayIndex.ts";
import {
  checkReadable,
  chunksOf,
  namedIn,
  openIndex,
  type QueryOptions,
  queryIndex,
  type SimilarOptions,
  similarIn,
} from "./queryIndex.ts";

type Searcher = (options: Omit<QueryOptions, "dir">) => Effect.Effect<ReadonlyArray<Hit>, IndexError>;

/** Code indexes: folders with chunks.jsonl, a LanceDB table and meta.json (spec 4, "Index"). One writer a folder: callers hold the base's or task's lock. */
export class CodeIndex extends Context.Tag("adk/CodeIndex")<
  CodeIndex,
  {
    /** Provider, model (with digest) and dimension that this run's indexes are made with. */
    readonly identity: Effect.Effect<EmbedderIdentity, EmbedFailed>;
    /** Indexes a whole tree beside `dir`, then renames it into place. `E` is the blob reader's failure. */
    readonly build: <E>(options: BuildOptions<E>) => Effect.Effect<IndexReport, E | IndexError>;
    /** Copies a base by hard links; gives the seed's meta, whose `head_sha` is the commit to diff from. */
    readonly seed: (options: SeedOptions) => Effect.Effect<IndexMeta, IndexError>;
    /** Brings a seed to a PR's head in place; equals a full index there. */
    readonly overlay: <E>(options: OverlayOptions<E>) => Effect.Effect<IndexReport, E | IndexError>;
    /** Brings a base to a new tip on a copy that is swapped in, and drops old versions. */
    readonly refresh: <E>(options: OverlayOptions<E>) => Effect.Effect<IndexReport, E | IndexError>;
    /** The best chunks for a text, highest score first. */
    readonly query: (options: QueryOptions) => Effect.Effect<ReadonlyArray<Hit>, IndexError>;
    /** What is most like a text, ranked with tests weighed down and not. */
    readonly similar: (
      options: SimilarOptions,
    ) => Effect.Effect<{ readonly source: ReadonlyArray<Hit>; readonly any: ReadonlyArray<Hit> }, IndexError>;
    /** An open index for many queries, closed with the scope. */
    readonly searcher: (dir: string) => Effect.Effect<Searcher, IndexError, Scope.Scope>;
    /** Where names are defined, by the syntax tree. */
    readonly symbol: (options: {
      readonly dir: string;
      readonly names: ReadonlyArray<string>;
    }) => Effect.Effect<ReadonlyArray<Hit>, IndexError>;
    /** Where names are called, by the syntax tree. */
    readonly callers: (options: {
      readonly dir: string;
      readonly names: ReadonlyArray<string>;
    }) => Effect.Effect<ReadonlyArray<Hit>, IndexError>;
    /** State of a folder; what is wrong with it is in the answer. */
    readonly health: (options: {
      readonly dir: string;
      readonly headSha?: string;
    }) => Effect.Effect<IndexHealth, UnsupportedCpu>;
    /** Removes what killed runs left beside an index, and brings back one caught in a swap. The caller holds its lock. */
    readonly sweep: (dir: string) => Effect.Effect<void, IndexError>;
    readonly meta: (dir: string) => Effect.Effect<IndexMeta, IndexMissing | IndexBroken>;
    /** Every row of chunks.jsonl. */
    readonly rows: (dir: string) => Stream.Stream<ChunkRow, IndexBroken>;
    /** Rows of some paths, by path and line. */
    readonly chunksOfPaths: (options: {
      readonly dir: string;
      readonly paths: ReadonlyArray<string>;
    }) => Effect.Effect<ReadonlyArray<ChunkRow>, IndexError>;
  }
>() {}

export interface CodeIndexOptions {
  readonly provider: "builtin" | "ollama";
  readonly model: string | null;
  readonly ollamaHost: string | null;
  /** Folder of the embedding cache (`<data home>/cache/embeddings`); used by providers that cost. */
  readonly cacheDir: string;
  /** The built chunking worker, where this code is not part of adk's own bundle. */
  readonly workerFile?: string;
}

const make = (embedder: Embedder, workerFile: string | undefined): Context.Tag.Service<CodeIndex> => {
  const maker: Maker = { embedder, workerFile };
  const searcher = (dir: string) =>
    Effect.gen(function* () {
      yield* checkReadable(dir, embedder);
      const open = yield* openIndex(dir);
      return (options: Omit<QueryOptions, "dir">) => queryIndex(embedder, open, { ...options, dir });
    });
  const named = (column: "defs" | "calls") => (options: { dir: string; names: ReadonlyArray<string> }) =>
    Effect.scoped(
      Effect.gen(function* () {
        yield* readMeta(options.dir);
        return yield* namedIn(yield* openIndex(options.dir), { names: options.names, column });
      }),
    );
  return {
    identity: embedder.identity,
    build: (options) => buildIndex(maker, options),
    seed: (options) => seedIndex(maker, options),
    overlay: (options) => overlayIndex(maker, options),
    refresh: (options) => refreshIndex(maker, options),
    query: (options) => Effect.scoped(Effect.flatMap(searcher(options.dir), (search) => search(options))),
    similar: (options) =>
      Effect.scoped(
        Effect.gen(function* () {
          yield* checkReadable(options.dir, embedder);
          return yield* similarIn(embedder, yield* openIndex(options.dir), options);
        }),
      ),
    searcher,
    symbol: named("defs"),
    callers: named("calls"),
    health: (options) => healthOf(embedder, options),
    sweep: (dir) => writing(dir, () => recoverLeftovers(dir)),
    meta: readMeta,
    rows: (dir) =>
      Stream.fromAsyncIterable(readChunkLines(dir), (cause) => indexBroken(dir, "chunks.jsonl cannot be read", cause)),
    chunksOfPaths: ({ dir, paths }) =>
      Effect.scoped(
        Effect.zipRight(
          readMeta(dir),
          Effect.flatMap(openIndex(dir), (open) => chunksOf(open, paths)),
        ),
      ),
  };
};

/** Nothing is loaded or contacted before the first call. */
export const layer = (options: CodeIndexOptions): Layer.Layer<CodeIndex> =>
  Layer.sync(CodeIndex, () => make(embedderOf(options), options.workerFile));

const embedderOf = (options: CodeIndexOptions): Embedder =>
  options.provider === "builtin"
    ? builtinEmbedder
    : makeOllamaEmbedder({ model: options.model, host: options.ollamaHost, cacheDir: options.cacheDir });
