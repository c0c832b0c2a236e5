import { readdirSync, truncateSync } from "node:fs";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CodeIndex, layer } from "../../../effects/index/CodeIndex.ts";
import { makeEmbeddingCache } from "../../../effects/index/EmbeddingCache.ts";
import type { IndexError } from "../../../effects/index/errors.ts";
import { makeOllamaEmbedder } from "../../../effects/index/ollamaEmbedder.ts";
import { type FakeOllama, startOllama } from "../../fakes/ollamaServer.ts";
import { changesBetween, memoryTree, temporaryFolder } from "./memoryTree.ts";

let fake: FakeOllama;
let cacheDir: string;
beforeEach(async () => {
  fake = await startOllama();
  cacheDir = join(temporaryFolder(), "embeddings");
});
afterEach(() => fake.close());

const embedder = () => makeOllamaEmbedder({ model: null, host: fake.url, cacheDir });
const documents = (texts: ReadonlyArray<string>) => Effect.runPromise(embedder().documents(texts));
const failed = (texts: ReadonlyArray<string>) => Effect.runPromise(Effect.flip(embedder().documents(texts)));
const asked = (): string[] => fake.embedded.flat().filter((text) => text.startsWith("search_document: "));

describe("the Ollama embedder", () => {
  it("names its model with the digest and takes the dimension from an answer", async () => {
    expect(await Effect.runPromise(embedder().identity)).toEqual({
      provider: "ollama",
      model: "nomic-embed-text@0a109f422b47",
      dim: 48,
    });
  });

  it("embeds in batches of at most 16, with prefixes, to unit length", async () => {
    const texts = Array.from({ length: 37 }, (_, i) => `text ${i}`);
    const vectors = await documents(texts);
    expect(vectors).toHaveLength(37 * 48);
    const length = Math.hypot(...vectors.subarray(0, 48));
    expect(length).toBeCloseTo(1, 5);
    expect(asked()).toEqual(texts.map((text) => `search_document: ${text}`));
    expect(Math.max(...fake.embedded.map((batch) => batch.length))).toBeLessThanOrEqual(16);
  });

  it("asks for a text once, in this process or another", async () => {
    const first = await documents(["a", "b", "a"]);
    expect(asked()).toHaveLength(2);
    expect(await documents(["b", "a", "c"])).toHaveLength(3 * 48);
    expect(asked()).toHaveLength(3);
    expect([...(await documents(["a", "b", "a"]))]).toEqual([...first]);
    expect(asked()).toHaveLength(3);
  });

  it("asks anew when the model's digest changes", async () => {
    await documents(["a"]);
    fake.digest = "ffff9f422b47";
    await documents(["a"]);
    expect(asked()).toHaveLength(2);
  });

  it("halves a text that the model refuses as too long, and only that one", async () => {
    fake.limit = 1000;
    const vectors = await documents(["short", "x".repeat(9000), "other"]);
    expect(vectors.every(Number.isFinite)).toBe(true);
    const lengths = asked().map((text) => text.length);
    expect(lengths.filter((length) => length > 100)).toEqual([1000]);
    expect(asked()).toContain("search_document: short");
  });

  it.each(["short vector", "null value", "too few vectors"] as const)("refuses a %s", async (fault) => {
    const one = embedder();
    await Effect.runPromise(one.identity);
    fake.fault = fault;
    expect((await Effect.runPromise(Effect.flip(one.documents(["a", "b"]))))._tag).toBe("EmbedFailed");
  });

  it("tries again when the server fails once, and prints nothing when it fails in plain text", async () => {
    fake.fault = "500 once";
    await documents(["a"]);
    const written: unknown[] = [];
    const log = console.log;
    console.log = (...args: unknown[]) => written.push(args);
    fake.fault = "plain text 500";
    const error = await failed(["b"]).finally(() => {
      console.log = log;
    });
    expect(error.message).toMatch(/Ollama answered 500 \(upstream died\)/);
    expect(written).toEqual([]);
  });

  it("says what to do when the model or the server is not there", async () => {
    const missing = makeOllamaEmbedder({ model: "nope", host: fake.url, cacheDir });
    const error = await Effect.runPromise(Effect.flip(missing.identity));
    expect(error.hint).toBe("run: ollama pull nope");
    const away = makeOllamaEmbedder({ model: null, host: "http://127.0.0.1:1", cacheDir });
    expect((await Effect.runPromise(Effect.flip(away.query("x")))).message).toMatch(/does not answer at/);
  });
});

describe("an index made with Ollama", () => {
  it("embeds only new chunks after a change, and is never mixed with the built-in one", async () => {
    const live = layer({ provider: "ollama", model: null, ollamaHost: fake.url, cacheDir });
    const run = <A>(work: (index: CodeIndex["Type"]) => Effect.Effect<A, IndexError>, using = live): Promise<A> =>
      Effect.runPromise(Effect.provide(Effect.flatMap(CodeIndex, work), using));
    const indexOptions = { maxFileKb: 1024, exclude: [] };
    const one = memoryTree({ "a.py": "def one():\n    return 1\n\ndef two():\n    return 2\n" });
    const two = memoryTree({
      "a.py": "def zero():\n    return 0\n\ndef one():\n    return 1\n\ndef two():\n    return 2\n",
    });
    const dir = join(temporaryFolder(), "code-index");
    await run((index) => index.build({ dir, ...one, headSha: "a", indexOptions }));
    const before = asked().length;
    const changes = changesBetween(one, two);
    const report = await run((index) => index.overlay({ dir, changes, ...two, headSha: "b", indexOptions }));
    expect(report).toMatchObject({ rows: 3, embedded: 1, reused: 2, deleted: 2 });
    expect(asked()).toHaveLength(before + 1);
    const hits = await run((index) => index.query({ dir, text: "zero", k: 1, mode: "text" }));
    expect(hits[0]?.symbol).toBe("zero");

    const builtin = layer({ provider: "builtin", model: null, ollamaHost: null, cacheDir });
    const again = (index: CodeIndex["Type"]) => index.overlay({ dir, changes, ...two, headSha: "c", indexOptions });
    const error = await run((index) => Effect.flip(again(index)) as Effect.Effect<IndexError>, builtin);
    expect(error).toMatchObject({ _tag: "IndexForeign" });
    expect(error.message).toMatch(/was made by ollama\/nomic-embed-text@0a109f422b47 with 48 dimensions/);
    const meta = await run((index) => index.meta(dir));
    expect(meta).toMatchObject({ head_sha: "b", rows: 3 });
    await run((index) => index.build({ dir, ...two, headSha: "c", indexOptions }), builtin);
    expect(readdirSync(join(dir, "..")).sort()).toEqual(["code-index", "code-index.nomic-embed-text-0a109f422b47"]);
  });
});

describe("the embedding cache", () => {
  const vector = (value: number): Float32Array => new Float32Array(4).fill(value);
  it("forgets its oldest segments above its bound, and does not believe a cut one", async () => {
    const cache = makeEmbeddingCache({ root: cacheDir, embedderId: "x", dim: 4, maxBytes: 40 });
    for (const n of [1, 2, 3]) await Effect.runPromise(cache.put([{ text: `${n}`, vector: vector(n) }]));
    const fresh = makeEmbeddingCache({ root: cacheDir, embedderId: "x", dim: 4, maxBytes: 40 });
    expect(await Effect.runPromise(fresh.get(["1", "2", "3"]))).toEqual([null, vector(2), vector(3)]);
    const folder = join(cacheDir, readdirSync(cacheDir)[0] ?? "");
    for (const file of readdirSync(folder).filter((name) => name.endsWith(".seg"))) truncateSync(join(folder, file), 7);
    expect(await Effect.runPromise(fresh.get(["2", "3"]))).toEqual([null, null]);
  });
});
