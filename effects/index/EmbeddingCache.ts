import { createHash } from "node:crypto";
import { mkdir, open, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { type IndexWriteFailed, writeFailed } from "./errors.ts";
import { replaceFile } from "./indexFiles.ts";

/**
 * Vectors by sha256(embedder id NUL text), shared by all branches, PRs, repositories and processes without a lock
 * (facts 4). A segment is an immutable pair of files, `x.key` (32 bytes a key) and `x.seg` (dim float32 a vector); the
 * vectors are in place before the keys are, so a reader that finds keys finds their vectors.
 */
export interface EmbeddingCache {
  readonly get: (texts: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Float32Array | null>>;
  readonly put: (
    entries: ReadonlyArray<{ readonly text: string; readonly vector: Float32Array }>,
  ) => Effect.Effect<void, IndexWriteFailed>;
}

const keyBytes = 32;
const folderOf = (root: string, embedderId: string): string =>
  join(root, createHash("sha256").update(embedderId, "utf8").digest("hex").slice(0, 32));

const keyOf = (embedderId: string, text: string): string =>
  createHash("sha256").update(`${embedderId}\0${text}`, "utf8").digest("hex");

interface Place {
  readonly segment: string;
  readonly row: number;
}

const readKeys = async (folder: string, name: string): Promise<Buffer> => {
  const bytes = await readFile(join(folder, `${name}.key`));
  return bytes.subarray(0, bytes.length - (bytes.length % keyBytes));
};

const segmentNames = async (folder: string): Promise<string[]> =>
  (await readdir(folder).catch(() => []))
    .filter((file) => file.endsWith(".key"))
    .map((file) => file.slice(0, -4))
    .sort();

/** Keys of segments that came since the last look; a segment that a clean-up took meanwhile is no loss. */
const makeKeyIndex = (folder: string) => {
  const places = new Map<string, Place>();
  const seen = new Set<string>();
  return async (): Promise<ReadonlyMap<string, Place>> => {
    for (const segment of await segmentNames(folder)) {
      if (seen.has(segment)) continue;
      seen.add(segment);
      const keys = await readKeys(folder, segment).catch(() => Buffer.alloc(0));
      for (let row = 0; row * keyBytes < keys.length; row++)
        places.set(keys.toString("hex", row * keyBytes, (row + 1) * keyBytes), { segment, row });
    }
    return places;
  };
};

const isUsable = (vector: Float32Array): boolean => vector.every((value) => Number.isFinite(value));

const readVectors = async (
  folder: string,
  dim: number,
  wanted: ReadonlyArray<Place | undefined>,
): Promise<(Float32Array | null)[]> => {
  const out: (Float32Array | null)[] = wanted.map(() => null);
  const bySegment = new Map<string, number[]>();
  wanted.forEach((place, i) => {
    if (place !== undefined) bySegment.set(place.segment, [...(bySegment.get(place.segment) ?? []), i]);
  });
  for (const [segment, indexes] of bySegment) {
    const handle = await open(join(folder, `${segment}.seg`), "r").catch(() => null);
    if (handle === null) continue;
    for (const i of indexes) {
      const bytes = new Uint8Array(dim * 4);
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, (wanted[i]?.row ?? 0) * bytes.length);
      const vector = new Float32Array(bytes.buffer);
      if (bytesRead === bytes.length && isUsable(vector)) out[i] = vector;
    }
    await handle.close();
  }
  return out;
};

export const defaultCacheBytes = 1024 ** 3;

/** Drops the oldest segments above a size; the newest always stays. Safe beside readers and writers. */
const bound = async (folder: string, maxBytes: number): Promise<void> => {
  const names = await segmentNames(folder);
  const sizes = await Promise.all(names.map((name) => sizeOf(join(folder, `${name}.seg`))));
  let total = sizes.reduce((sum, size) => sum + size, 0);
  for (let i = 0; i + 1 < names.length && total > maxBytes; i++) {
    await rm(join(folder, `${names[i]}.key`), { force: true });
    await rm(join(folder, `${names[i]}.seg`), { force: true });
    total -= sizes[i] ?? 0;
  }
};

const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );

let counter = 0;

/** The cache of one embedder (`embedderId`: provider, model with digest, dimension, prefixes) under `root`. */
export const makeEmbeddingCache = (options: {
  readonly root: string;
  readonly embedderId: string;
  readonly dim: number;
  readonly maxBytes?: number;
}): EmbeddingCache => {
  const { root, embedderId, dim } = options;
  const folder = folderOf(root, embedderId);
  const keys = makeKeyIndex(folder);
  const write = async (entries: ReadonlyArray<{ text: string; vector: Float32Array }>): Promise<void> => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const time = Date.now().toString(36).padStart(10, "0");
    const base = join(folder, `${time}-${process.pid}-${(counter++).toString(36)}`);
    const vectors = entries.map(({ vector }) => new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength));
    await replaceFile(`${base}.seg`, vectors);
    await replaceFile(
      `${base}.key`,
      entries.map(({ text }) => Buffer.from(keyOf(embedderId, text), "hex")),
    );
    await bound(folder, options.maxBytes ?? defaultCacheBytes);
  };
  return {
    get: (texts) =>
      Effect.promise(async () => {
        const places = await keys();
        return readVectors(
          folder,
          dim,
          texts.map((text) => places.get(keyOf(embedderId, text))),
        );
      }),
    put: (entries) =>
      entries.length === 0
        ? Effect.void
        : Effect.tryPromise({ try: () => write(entries), catch: (cause) => writeFailed(folder, cause) }),
  };
};
