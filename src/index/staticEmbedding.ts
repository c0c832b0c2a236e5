import { tokensOf } from "./tokens.ts";

/** The learned table of effects/index/embedder/MODEL.md, in memory. */
export interface EmbeddingTable {
  /** Word → row. */
  readonly words: ReadonlyMap<string, number>;
  /** Rows after the words that hold hashed character n-grams. */
  readonly hashBuckets: number;
  readonly dim: number;
  /** rows × dim, row-major; a value is int8 × the row's scale. */
  readonly values: Int8Array;
  readonly scales: Float32Array;
}

const gramRow = (text: string, start: number, length: number, table: EmbeddingTable): number => {
  let hash = 2166136261;
  for (let i = start; i < start + length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
  return table.words.size + ((hash >>> 0) % table.hashBuckets);
};

interface WeightedRows {
  readonly rows: Uint32Array;
  readonly weights: Float64Array;
}

const maxCachedWords = 100_000;

/**
 * Embeds texts with a static table: weights of rows add up over all occurrences, then the sum over rows of
 * log2(1 + weight) × row, normalised to length 1; a text without tokens is the zero vector.
 */
export const makeStaticEmbedding = (table: EmbeddingTable): ((text: string) => Float32Array) => {
  const totalRows = table.words.size + table.hashBuckets;
  const weights = new Float64Array(totalRows);
  const touched = new Uint32Array(totalRows);
  const cache = new Map<string, WeightedRows>();

  const rowsOf = (token: string): WeightedRows => {
    const cached = cache.get(token);
    if (cached !== undefined) return cached;
    const found = computeRows(token, table);
    if (cache.size < maxCachedWords) cache.set(token, found);
    return found;
  };

  return (text) => {
    let count = 0;
    for (const token of tokensOf(text)) {
      const { rows, weights: added } = rowsOf(token);
      for (let i = 0; i < rows.length; i++) {
        const row = rows[i] ?? 0;
        const before = weights[row] ?? 0;
        if (before === 0) touched[count++] = row;
        weights[row] = before + (added[i] ?? 0);
      }
    }
    return sumRows({ table, weights, touched: touched.subarray(0, count) });
  };
};

const computeRows = (token: string, table: EmbeddingTable): WeightedRows => {
  const known = table.words.get(token);
  if (known !== undefined) return { rows: Uint32Array.of(known), weights: Float64Array.of(1) };
  const word = `<${token}>`;
  const rows: number[] = [];
  for (const length of [3, 4, 5])
    for (let i = 0; i + length <= word.length; i++) rows.push(gramRow(word, i, length, table));
  return { rows: Uint32Array.from(rows), weights: new Float64Array(rows.length).fill(1 / Math.max(rows.length, 1)) };
};

/** Rows are taken in ascending order: the sum is then a function of the bag of tokens, to the last bit. */
const sumRows = (bag: { table: EmbeddingTable; weights: Float64Array; touched: Uint32Array }): Float32Array => {
  const { dim, values, scales } = bag.table;
  const sum = new Float64Array(dim);
  for (const row of bag.touched.sort()) {
    const factor = Math.log2(1 + (bag.weights[row] ?? 0)) * (scales[row] ?? 0);
    bag.weights[row] = 0;
    const from = row * dim;
    for (let i = 0; i < dim; i++) sum[i] = (sum[i] ?? 0) + factor * (values[from + i] ?? 0);
  }
  let square = 0;
  for (const value of sum) square += value * value;
  const scale = square === 0 ? 0 : 1 / Math.sqrt(square);
  const out = new Float32Array(dim);
  for (let i = 0; i < dim; i++) out[i] = (sum[i] ?? 0) * scale;
  return out;
};
