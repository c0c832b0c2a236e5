import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type EmbeddingTable, makeStaticEmbedding } from "../../src/index/staticEmbedding.ts";

/** Name and size of the built-in embedder, as meta.json records them. */
export const builtinModel = { provider: "builtin", model: "adk-static-256-v1", dim: 256 } as const;

/** The folder with the table: beside the built program, or in the sources; found upwards from this very file. */
const dataFolder = (): string => {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    for (const place of ["embedder", "effects/index/embedder", "dist/embedder"]) {
      if (existsSync(join(folder, place, "embedder-256.i8"))) return join(folder, place);
    }
    const parent = dirname(folder);
    if (parent === folder) throw new Error("the built-in embedder's table is not where adk was installed");
    folder = parent;
  }
};

const loadTable = async (): Promise<EmbeddingTable> => {
  const folder = dataFolder();
  const [values, scales, vocab] = await Promise.all([
    readFile(join(folder, "embedder-256.i8")),
    readFile(join(folder, "embedder-256.scale.f32")),
    readFile(join(folder, "vocab.json"), "utf8"),
  ]);
  const { words, hashBuckets } = JSON.parse(vocab) as { words: string[]; hashBuckets: number };
  return {
    words: new Map(words.map((word, row) => [word, row])),
    hashBuckets,
    dim: builtinModel.dim,
    values: new Int8Array(values.buffer, values.byteOffset, values.byteLength),
    scales: Float32Array.from({ length: scales.byteLength / 4 }, (_, row) => scales.readFloatLE(row * 4)),
  };
};

let loading: Promise<(text: string) => Float32Array> | null = null;

/** The built-in embedder, loaded once a process (about 40 ms). Rejects when its table cannot be read. */
export const builtinEmbedding = (): Promise<(text: string) => Float32Array> => {
  loading ??= loadTable().then(makeStaticEmbedding);
  return loading;
};
