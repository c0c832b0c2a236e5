import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { expect, it } from "vitest";
import { CodeIndex, layer } from "../../../effects/index/CodeIndex.ts";
import type { IndexError } from "../../../effects/index/errors.ts";
import type { BlobReader } from "../../../src/index/types.ts";
import { changesBetween, memoryTree, temporaryFolder } from "./memoryTree.ts";

const live = layer({ provider: "builtin", model: null, ollamaHost: null, cacheDir: temporaryFolder() });
const run = <A, E = IndexError>(work: (index: CodeIndex["Type"]) => Effect.Effect<A, E>): Promise<A> =>
  Effect.runPromise(Effect.provide(Effect.flatMap(CodeIndex, work), live));
const indexOptions = { maxFileKb: 1024, exclude: [] };
const treeAt = (n: number) =>
  memoryTree({ "a.py": `def step${n}():\n    return ${n}\n`, "b.py": "def b():\n    return 0\n" });

it("lets seeders see a complete index while the base is refreshed again and again", async () => {
  const folder = temporaryFolder();
  const base = join(folder, "code-index");
  await run((index) => index.build({ dir: base, ...treeAt(0), headSha: "0", indexOptions }));
  let refreshing = true;
  const refresh = async (): Promise<void> => {
    for (let n = 1; n <= 12; n++) {
      const [from, to] = [treeAt(n - 1), treeAt(n)];
      const changes = changesBetween(from, to);
      await run((index) => index.refresh({ dir: base, changes, ...to, headSha: `${n}`, indexOptions }));
    }
    refreshing = false;
  };
  const heads = new Set<string>();
  let seeds = 0;
  const seed = async (): Promise<void> => {
    while (refreshing) {
      const to = join(folder, `seed-${seeds++}`);
      const meta = await run((index) => index.seed({ from: base, to }));
      const hits = await run((index) => index.query({ dir: to, text: `step${meta.head_sha}`, k: 1, mode: "text" }));
      expect(hits[0]?.symbol).toBe(`step${meta.head_sha}`);
      expect((await run((index) => index.health({ dir: to }))).issues).toEqual([]);
      heads.add(meta.head_sha);
    }
  };
  await Promise.all([refresh(), seed()]);
  expect(heads.size).toBeGreaterThan(1);
  expect(readdirSync(folder).filter((name) => /building|old/.test(name))).toEqual([]);
});

it("cleans up after killed runs, and brings back an index caught between two renames", async () => {
  const folder = temporaryFolder();
  const dir = join(folder, "code-index");
  await run((index) => index.build({ dir, ...treeAt(0), headSha: "0", indexOptions }));
  renameSync(dir, `${dir}.old-1-a-0`);
  mkdirSync(`${dir}.building-1-a-0`);
  writeFileSync(join(`${dir}.building-1-a-0`, "chunks.jsonl"), "half");
  const failing: BlobReader<"no clone"> = { read: () => Effect.fail("no clone") };
  const error = await run((index) =>
    Effect.flip(index.build({ dir, entries: treeAt(1).entries, blobs: failing, headSha: "1", indexOptions })),
  );
  expect(error).toBe("no clone");
  expect(readdirSync(folder)).toEqual(["code-index"]);
  expect((await run((index) => index.health({ dir, headSha: "0" }))).status).toBe("ok");
});

it("knows an overlay that was killed half-way", async () => {
  const dir = join(temporaryFolder(), "code-index");
  await run((index) => index.build({ dir, ...treeAt(0), headSha: "0", indexOptions }));
  const meta = await run((index) => index.meta(dir));
  writeFileSync(join(dir, "meta.json"), JSON.stringify({ ...meta, updating: true }));
  expect(await run((index) => index.health({ dir }))).toMatchObject({
    status: "broken",
    issues: ["its last change was interrupted"],
  });
  const error = await run((index) => Effect.flip(index.query({ dir, text: "a", k: 1, mode: "text" })));
  expect(error._tag).toBe("IndexBroken");
  expect(existsSync(dir)).toBe(true);
});
