import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, it } from "vitest";
import { makeChunkPool } from "../../../effects/index/chunkPool.ts";

// Inside the repository, so that the bundle finds its packages and the embedder's table.
let folder: string;
let workerFile: string;
beforeAll(async () => {
  folder = mkdtempSync(join("node_modules", ".adk-worker-"));
  workerFile = join(process.cwd(), folder, "chunkWorker.mjs");
  await build({
    entryPoints: ["effects/index/chunkWorker.ts"],
    outfile: workerFile,
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
    logLevel: "error",
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const files = Array.from({ length: 12 }, (_, i) => ({
  path: `src/f${i}.ts`,
  oid: `${i}`,
  content: Buffer.from(i === 5 ? "\0binary" : `export const f${i} = (x: number) => g${i}(x);\n// end\n`),
}));

const runAll = (options: { threads?: number; workerFile?: string }) =>
  Effect.runPromise(
    Effect.scoped(
      Effect.flatMap(makeChunkPool({ ...options, files: files.length, embed: true }), (pool) =>
        Effect.map(
          Effect.forEach(files, (file) => pool.run([file]), { concurrency: 4 }),
          (prepared) => ({ threads: pool.threads, prepared }),
        ),
      ),
    ),
  );

it("gives in threads what it gives in process, and ends its threads", async () => {
  const threads = await runAll({ threads: 2, workerFile });
  const alone = await runAll({ threads: 0 });
  expect(threads.threads).toBe(2);
  expect(alone.threads).toBe(0);
  expect(threads.prepared).toEqual(alone.prepared);
  expect(alone.prepared[5]).toMatchObject({ chunks: [], skipped: [{ path: "src/f5.ts", reason: "binary" }] });
  expect(alone.prepared[0]?.vectors).toHaveLength(256);
});

it("starts no threads for a few files", async () => {
  const few = await runAll({ workerFile });
  expect(few.threads).toBe(0);
});

it("says so when a thread cannot start", async () => {
  const pool = makeChunkPool({
    threads: 1,
    files: 1,
    workerFile: join(process.cwd(), folder, "absent.mjs"),
    embed: true,
  });
  const error = await Effect.runPromise(Effect.scoped(Effect.flatMap(pool, ({ run }) => Effect.flip(run(files)))));
  expect(error._tag).toBe("EmbedFailed");
});
