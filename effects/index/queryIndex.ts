import type { Table } from "@lancedb/lancedb";
import * as Effect from "effect/Effect";
import { globMatcher } from "../../src/index/glob.ts";
import { foreignReason } from "../../src/index/identity.ts";
import { aboveCut, type Candidate, pathRole, pathWeight, rank } from "../../src/index/rank.ts";
import { queryTokens } from "../../src/index/tokens.ts";
import type { Hit, IndexMeta, QueryMode } from "../../src/index/types.ts";
import type { Embedder } from "./Embedder.ts";
import { type IndexBroken, type IndexError, indexBroken, indexForeign } from "./errors.ts";
import { readMeta } from "./indexFiles.ts";
import { lanceCall, loadNative, openTable, pathPredicate } from "./lance.ts";

export interface QueryOptions {
  readonly dir: string;
  readonly text: string;
  /** Hits wanted, at most 200. */
  readonly k: number;
  readonly mode: QueryMode;
  /** Only paths that match. */
  readonly glob?: string | undefined;
  /** Tests, documents and configuration count as much as source. */
  readonly includeTests?: boolean | undefined;
}

/** An open index for many queries. */
export interface OpenIndex {
  readonly dir: string;
  readonly table: Table;
  readonly rows: number;
  /** Distinct paths that match a glob. */
  readonly pathsMatching: (glob: string) => Effect.Effect<ReadonlyArray<string>, IndexBroken>;
}

interface Row {
  readonly id: string;
  readonly path: string;
  readonly line_start: number;
  readonly line_end: number;
  readonly symbol: string;
  readonly kind: string;
  readonly text: string;
}

interface ScoredRow extends Row {
  readonly score: number;
}

interface TextRow extends ScoredRow {
  readonly similarity: number;
}

const columns = ["id", "path", "line_start", "line_end", "symbol", "kind", "text"];
const firstFetch = 200;
const snippetLength = 1200;

export const checkReadable = (dir: string, embedder: Embedder): Effect.Effect<IndexMeta, IndexError> =>
  Effect.gen(function* () {
    const meta = yield* readMeta(dir);
    if (meta.updating === true) return yield* indexBroken(dir, "its last change was interrupted");
    const foreign = foreignReason(meta, yield* embedder.identity);
    if (foreign !== null) return yield* indexForeign(dir, foreign);
    return meta;
  });

export const openIndex = (dir: string) =>
  Effect.gen(function* () {
    const table = yield* openTable(dir);
    const rows = yield* lanceCall(dir, "its rows cannot be counted", () => table.countRows());
    const allPaths = yield* Effect.cached(
      Effect.map(
        lanceCall(dir, "its paths cannot be read", () => table.query().select(["path"]).toArrow()),
        (arrow) => [...new Set(arrow.getChild("path")?.toArray() as Iterable<string> | undefined)],
      ),
    );
    const open: OpenIndex = {
      dir,
      table,
      rows,
      pathsMatching: (glob) => Effect.map(allPaths, (paths) => paths.filter(globMatcher(glob))),
    };
    return open;
  });

const toRow = (row: Record<string, unknown>): Row => ({
  id: String(row.id),
  path: String(row.path),
  line_start: Number(row.line_start),
  line_end: Number(row.line_end),
  symbol: String(row.symbol),
  kind: String(row.kind),
  text: String(row.text),
});

/** Fetches more until `k` results stand above the cut or nothing is left (many chunks may share one score). */
const fetchAbove = <R extends ScoredRow>(
  open: OpenIndex,
  k: number,
  fetch: (limit: number) => Promise<R[]>,
): Effect.Effect<ReadonlyArray<R>, IndexBroken> => {
  const step = (limit: number): Effect.Effect<ReadonlyArray<R>, IndexBroken> =>
    Effect.flatMap(
      lanceCall(open.dir, "it cannot be searched", () => fetch(limit)),
      (rows) => {
        const { kept, complete } = aboveCut(rows, { limit });
        return complete || kept.length >= k || limit >= open.rows
          ? Effect.succeed(complete || kept.length > 0 ? kept : rows)
          : step(limit * 4);
      },
    );
  return step(Math.max(firstFetch, k * 4));
};

const byVector = (open: OpenIndex, options: { vector: Float32Array; k: number; where: string | null }) =>
  fetchAbove(open, options.k, async (limit) => {
    const query = open.table.query().nearestTo(options.vector).distanceType("dot").bypassVectorIndex();
    const narrowed = options.where === null ? query : query.where(options.where);
    const rows = await narrowed
      .select([...columns, "_distance"])
      .limit(limit)
      .toArray();
    return rows.map((row: Record<string, unknown>) => ({ ...toRow(row), score: 1 - Number(row._distance) }));
  });

/** Rows whose text matches, with their similarity to `vector` too (rows that only the text search found have none yet). */
const byText = (open: OpenIndex, options: { tokens: string; vector: Float32Array; k: number; where: string | null }) =>
  fetchAbove(open, options.k, async (limit) => {
    const query = open.table.query().fullTextSearch(options.tokens, { columns: ["fts"] });
    const narrowed = options.where === null ? query : query.where(options.where);
    const rows = await narrowed
      .select([...columns, "vector", "_score"])
      .limit(limit)
      .toArrow();
    const vectors = rows.getChild("vector");
    return [...rows].map((row, i) => ({
      ...toRow(row),
      score: Number(row._score),
      similarity: dot(options.vector, vectors?.get(i)?.toArray() ?? null),
    }));
  });

/** Similarity of unit vectors; what Lance gives for the rows that its own vector search found. */
const dot = (a: Float32Array, b: ArrayLike<number> | null): number => {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b?.[i] ?? 0);
  return sum;
};

const snippetOf = (text: string): string => (text.length <= snippetLength ? text : text.slice(0, snippetLength));

const toHit = (row: Row, score: number, source: Hit["source"]): Hit => ({
  path: row.path,
  line_start: row.line_start,
  line_end: row.line_end,
  score,
  symbol: row.symbol,
  kind: row.kind,
  snippet: snippetOf(row.text),
  source,
});

const hasValues = (vector: Float32Array): boolean => vector.some((value) => value !== 0);

/** What vector and full-text search found for a text. */
interface Found {
  readonly text: string;
  readonly rows: ReadonlyMap<string, Row>;
  readonly candidates: ReadonlyArray<Candidate>;
  readonly vectorOf: ReadonlyMap<string, number>;
  readonly textOf: ReadonlyMap<string, number>;
}

const limited = (k: number): number => Math.max(1, Math.min(200, Math.trunc(k)));

const search = (embedder: Embedder, open: OpenIndex, options: Omit<QueryOptions, "dir" | "includeTests">) =>
  Effect.gen(function* () {
    const k = limited(options.k);
    const nothing: Found = { text: "", rows: new Map(), candidates: [], vectorOf: new Map(), textOf: new Map() };
    const where = options.glob === undefined ? null : yield* Effect.map(open.pathsMatching(options.glob), predicateOf);
    if (open.rows === 0 || where === "") return nothing;
    const tokens = options.mode === "vector" ? "" : queryTokens(options.text);
    const vector = options.mode === "text" ? new Float32Array() : yield* embedder.query(options.text);
    const useVector = hasValues(vector);
    const [near, matching] = yield* Effect.all(
      [
        useVector ? byVector(open, { vector, k, where }) : Effect.succeed([]),
        tokens === "" ? Effect.succeed<ReadonlyArray<TextRow>>([]) : byText(open, { tokens, vector, k, where }),
      ],
      { concurrency: 2 },
    );
    const vectorOf = new Map(near.map(({ id, score }) => [id, score]));
    const textOf = new Map(matching.map(({ id, score }) => [id, score]));
    const rows = new Map<string, Row>([...near, ...matching].map((row) => [row.id, row]));
    const similar = new Map(matching.map(({ id, similarity }) => [id, similarity]));
    const candidates = [...rows.values()].map(
      ({ id, path }): Candidate => ({
        id,
        path,
        vector: useVector ? (vectorOf.get(id) ?? similar.get(id) ?? 0) : null,
        text: tokens === "" ? null : (textOf.get(id) ?? 0),
      }),
    );
    return { text: options.text, rows, candidates, vectorOf, textOf } satisfies Found;
  });

const best = (found: Found, options: { readonly k: number; readonly includeTests: boolean }): ReadonlyArray<Hit> => {
  const weight = options.includeTests ? () => 1 : pathWeight(found.text);
  return rank(found.candidates, weight)
    .slice(0, limited(options.k))
    .flatMap(({ id, score }) => {
      const row = found.rows.get(id);
      const source = found.vectorOf.has(id) ? (found.textOf.has(id) ? "both" : "vector") : "text";
      return row === undefined ? [] : [toHit(row, score, source)];
    });
};

/** The best `k` chunks for a text: vector and full-text scores fused, tests and documents weighed down, ties by chunk id. */
export const queryIndex = (embedder: Embedder, open: OpenIndex, options: QueryOptions) =>
  Effect.map(search(embedder, open, options), (found) =>
    best(found, { k: options.k, includeTests: options.includeTests === true }),
  );

export interface SimilarOptions {
  readonly dir: string;
  readonly text: string;
  /** Hits wanted of `source`, where tests, documents and configuration are weighed down. */
  readonly source: number;
  /** Hits wanted of `any`, where they are not. */
  readonly any: number;
}

/** What is most like a text, ranked in two ways after one search, which is what costs. */
export const similarIn = (embedder: Embedder, open: OpenIndex, options: SimilarOptions) =>
  Effect.map(
    search(embedder, open, { text: options.text, k: Math.max(options.source, options.any), mode: "hybrid" }),
    (found) => ({
      source: best(found, { k: options.source, includeTests: false }),
      any: best(found, { k: options.any, includeTests: true }),
    }),
  );

const predicateOf = (paths: ReadonlyArray<string>): string => (paths.length === 0 ? "" : pathPredicate(paths));

const identifier = /^[\p{L}_$][\p{L}\p{N}_$]*[?!]?$/u;
const maxNamed = 200;

/** `Class.method` → method; null for what cannot be a name in any language, so that no text reaches a predicate. */
const lastName = (name: string): string | null => {
  const last = name.split(/[.:#]/).at(-1) ?? "";
  return last.length <= 200 && identifier.test(last) ? last : null;
};

/** Chunks whose syntax tree defines (`defs`) or calls (`calls`) one of the names: source first, by path and line. */
export const namedIn = (open: OpenIndex, options: { names: ReadonlyArray<string>; column: "defs" | "calls" }) =>
  Effect.gen(function* () {
    const names = [...new Set(options.names.slice(0, 100).map(lastName))].filter((name) => name !== null);
    if (names.length === 0 || open.rows === 0) return [];
    const where = names.map((name) => `strpos(${options.column}, ' ${name} ') > 0`).join(" OR ");
    const rows = yield* lanceCall(open.dir, "it cannot be searched", () =>
      open.table
        .query()
        .where(where)
        .select(columns)
        .limit(maxNamed * 10)
        .toArray(),
    );
    const score = (row: Row): number => (names.includes(lastName(row.symbol) ?? "") ? 1 : 0.9);
    const source = options.column === "defs" ? "symbol" : "calls";
    return rows
      .map((row) => toRow(row))
      .map((row) => toHit(row, options.column === "defs" ? score(row) : 1, source))
      .sort(
        (a, b) =>
          b.score - a.score ||
          Number(pathRole(a.path) !== "source") - Number(pathRole(b.path) !== "source") ||
          compare(a.path, b.path) ||
          a.line_start - b.line_start,
      )
      .slice(0, maxNamed);
  });

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Chunks of some paths, in order of path and line. */
export const chunksOf = (open: OpenIndex, paths: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    yield* loadNative;
    if (paths.length === 0 || open.rows === 0) return [];
    const rows = yield* lanceCall(open.dir, "its rows cannot be read", () =>
      open.table
        .query()
        .where(pathPredicate(paths))
        .select([...columns, "lang", "oid", "defs", "calls"])
        .toArray(),
    );
    return rows
      .map((row: Record<string, unknown>) => ({
        ...toRow(row),
        kind: String(row.kind) as "code",
        lang: String(row.lang),
        oid: String(row.oid),
        defs: splitNames(row.defs),
        calls: splitNames(row.calls),
      }))
      .sort((a, b) => compare(a.path, b.path) || a.line_start - b.line_start || compare(a.id, b.id));
  });

const splitNames = (text: unknown): string[] =>
  String(text)
    .split(" ")
    .filter((name) => name !== "");
