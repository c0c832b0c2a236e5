import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import * as Effect from "effect/Effect";
import { CodeIndex, layer } from "../effects/index/CodeIndex.ts";
import type { BlobReader, TreeChange, TreeEntry } from "../src/index/types.ts";

// Measures the index over a folder of sources, read as if it were a tree of git:
// node scripts/runTs.mjs bench/index.ts [--from FOLDER] [--threads N] [--limit FILES]
const { values } = parseArgs({
  options: {
    from: { type: "string", default: "node_modules/effect/src" },
    threads: { type: "string", default: "1" },
    limit: { type: "string", default: "100000" },
  },
});

const content = new Map<string, Buffer>();
const idOf = (bytes: Buffer): string => {
  const oid = createHash("sha1").update(bytes).digest("hex");
  content.set(oid, bytes);
  return oid;
};

const walk = (folder: string, prefix = ""): TreeEntry[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry): TreeEntry[] => {
    const path = `${prefix}${entry.name}`;
    if (entry.isDirectory()) return walk(join(folder, entry.name), `${path}/`);
    if (!entry.isFile()) return [];
    const bytes = readFileSync(join(folder, entry.name));
    return [{ path, mode: "100644", oid: idOf(bytes), size: bytes.length }];
  });

const blobs: BlobReader = {
  read: (oid) => {
    const bytes = content.get(oid);
    return Effect.succeed(
      bytes === undefined ? { type: "missing", oid } : { type: "blob", oid, size: bytes.length, content: bytes },
    );
  },
};

const quantile = (times: ReadonlyArray<number>, q: number): number =>
  [...times].sort((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * q))] ?? 0;

const megabytes = (): number => Math.round(process.resourceUsage().maxRSS / 1024);
const indexOptions = { maxFileKb: 1024, exclude: [] };

const seconds = async <A>(work: () => Promise<A>): Promise<readonly [A, number]> => {
  const started = performance.now();
  const result = await work();
  return [result, (performance.now() - started) / 1000];
};

/** A pull request of 30 files: a line added at the top of each. */
const pullRequest = (entries: ReadonlyArray<TreeEntry>, n: number): TreeChange[] => {
  const step = Math.max(1, Math.floor(entries.length / 30));
  return entries
    .filter((_, i) => (i + n) % step === 0)
    .slice(0, 30)
    .map(({ path, oid }) => {
      const bytes = Buffer.concat([Buffer.from(`// change ${n}\n`), content.get(oid) ?? Buffer.alloc(0)]);
      return { path, status: "M", oldMode: "100644", newMode: "100644", oldOid: oid, newOid: idOf(bytes) };
    });
};

const entries = walk(resolve(values.from)).slice(0, Number(values.limit));
const folder = mkdtempSync(join(tmpdir(), "adk-bench-index-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const dir = join(folder, "code-index");
const live = layer({
  provider: "builtin",
  model: null,
  ollamaHost: null,
  cacheDir: join(folder, "cache"),
  workerFile: resolve(process.env.ADK_WORKER ?? "dist/chunkWorker.js"),
});

const program = Effect.gen(function* () {
  const index = yield* CodeIndex;
  const run = <A, E>(work: Effect.Effect<A, E>) => Effect.promise(() => seconds(() => Effect.runPromise(work)));
  const threads = Number(values.threads);
  const [report, full] = yield* run(index.build({ dir, entries, blobs, headSha: "base", indexOptions, threads }));
  const result: Record<string, unknown> = {
    files: entries.length,
    rows: report.rows,
    skipped: report.skipped.length,
    full_seconds: full,
    chunks_per_second: Math.round(report.rows / full),
    full_rss_mb: megabytes(),
  };
  const seeds: number[] = [];
  for (let n = 0; n < 5; n++) {
    const to = join(folder, `seed-${n}`);
    const changes = pullRequest(entries, n);
    const seeded = Effect.zipRight(
      index.seed({ from: dir, to }),
      index.overlay({ dir: to, changes, blobs, headSha: `head-${n}`, indexOptions }),
    );
    seeds.push((yield* run(seeded))[1]);
  }
  Object.assign(result, { seed_p50: quantile(seeds, 0.5), seed_max: quantile(seeds, 1), rss_mb: megabytes() });
  const queries = entries.slice(0, 60).map(({ path }) => `${path.replaceAll(/[/.]/g, " ")} error handling`);
  const times: number[] = [];
  yield* Effect.scoped(
    Effect.gen(function* () {
      const search = yield* index.searcher(dir);
      for (const text of queries) times.push((yield* run(search({ text, k: 10, mode: "hybrid" })))[1] * 1000);
    }),
  );
  Object.assign(result, {
    query_first_ms: times[0],
    query_p50_ms: quantile(times, 0.5),
    query_p95_ms: quantile(times, 0.95),
  });
  process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
});

await Effect.runPromise(Effect.provide(program, live));
