import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import * as Stream from "effect/Stream";
import { describe, expect, it } from "vitest";
import { CodeIndex, layer } from "../../../effects/index/CodeIndex.ts";
import type { IndexError } from "../../../effects/index/errors.ts";
import { changesBetween, type MemoryTree, memoryTree, temporaryFolder } from "./memoryTree.ts";

const live = layer({ provider: "builtin", model: null, ollamaHost: null, cacheDir: temporaryFolder() });
const run = <A>(work: (index: CodeIndex["Type"]) => Effect.Effect<A, IndexError>): Promise<A> =>
  Effect.runPromise(Effect.provide(Effect.flatMap(CodeIndex, work), live));
const failure = <A>(work: (index: CodeIndex["Type"]) => Effect.Effect<A, IndexError>): Promise<IndexError> =>
  Effect.runPromise(
    Effect.provide(
      Effect.flatMap(CodeIndex, (index) => Effect.flip(work(index))),
      live,
    ),
  );

const indexOptions = { maxFileKb: 1024, exclude: [] };
const base = memoryTree({
  "src/cart.ts": "export function addToCart(item: Item) {\n  return totalPrice([item]);\n}\n",
  "src/price.ts":
    "// Sums prices.\nexport const totalPrice = (items: Item[]) => items.reduce((a, b) => a + b.price, 0);\n",
  "src/user.py": "class User:\n    def login(self, password):\n        return check(password)\n",
  "test/cart.test.ts": "it('adds to the cart', () => { addToCart({price: 1}); });\n",
  "README.md": "# Shop\n\nA shop with a cart.\n",
  "node_modules/x/index.js": "module.exports = 1;\n",
  "logo.png": "not really",
  link: { content: "src/cart.ts", mode: "120000" },
  sub: { content: "x", mode: "160000" },
});
const head = memoryTree({
  "src/cart.ts": "export function addToCart(item: Item, count: number) {\n  return totalPrice([item]) * count;\n}\n",
  "src/price.ts": {
    content: "// Sums prices.\nexport const totalPrice = (items: Item[]) => items.reduce((a, b) => a + b.price, 0);\n",
    mode: "100755",
  },
  "src/user.py": { content: "other", mode: "120000" },
  "src/login.py": "class User:\n    def login(self, password):\n        return check(password)\n",
  "README.md": "# Shop\n\nA shop with a cart.\n",
  link: "now a file\n",
});

const build = (dir: string, tree: MemoryTree, headSha: string) =>
  run((index) => index.build({ dir, ...tree, headSha, indexOptions }));
const rowsOf = (dir: string) =>
  run((index) => Stream.runCollect(index.rows(dir)).pipe(Effect.map((rows) => [...rows])));

describe("CodeIndex", () => {
  it("indexes a tree, names what it skipped, and finds chunks by meaning, name and call", async () => {
    const dir = join(temporaryFolder(), "code-index");
    const report = await build(dir, base, "a1");
    expect(report.rows).toBeGreaterThanOrEqual(5);
    expect(report.skipped).toEqual([
      { path: "link", reason: "symlink" },
      { path: "logo.png", reason: "binary" },
      { path: "node_modules/x/index.js", reason: "vendored" },
      { path: "sub", reason: "submodule" },
    ]);
    const hits = await run((index) => index.query({ dir, text: "sum of the prices of items", k: 3, mode: "hybrid" }));
    expect(hits[0]).toMatchObject({ path: "src/price.ts", line_start: 1, line_end: 2, symbol: "totalPrice" });
    expect((await run((index) => index.symbol({ dir, names: ["User.login"] })))[0]).toMatchObject({
      path: "src/user.py",
      source: "symbol",
    });
    const callers = await run((index) => index.callers({ dir, names: ["addToCart"] }));
    expect(callers.map(({ path }) => path)).toEqual(["test/cart.test.ts"]);
    expect(await run((index) => index.health({ dir, headSha: "a1" }))).toMatchObject({
      status: "ok",
      rows: report.rows,
      text_rows: report.rows,
      issues: [],
    });
    expect((await run((index) => index.health({ dir, headSha: "b2" }))).status).toBe("stale");
  });

  it("answers with a glob, in text and in vector mode", async () => {
    const dir = join(temporaryFolder(), "code-index");
    await build(dir, base, "a1");
    for (const mode of ["hybrid", "text", "vector"] as const) {
      const hits = await run((index) => index.query({ dir, text: "add to cart", k: 10, mode, glob: "test/**" }));
      expect(hits.map(({ path }) => path)).toEqual(["test/cart.test.ts"]);
    }
    expect(await run((index) => index.query({ dir, text: "cart", k: 5, mode: "hybrid", glob: "nowhere/**" }))).toEqual(
      [],
    );
  });

  it("brings a seed to the head without touching the base", async () => {
    const folder = temporaryFolder();
    const [from, to, full] = ["base", "seed", "full"].map((name) => join(folder, name)) as [string, string, string];
    await build(from, base, "a1");
    const before = contentsOf(from);
    const meta = await run((index) => index.seed({ from, to }));
    expect(meta).toMatchObject({ head_sha: "a1", seeded_from: "a1" });
    expect(statSync(join(from, "chunks.jsonl")).ino).toBe(statSync(join(to, "chunks.jsonl")).ino);
    const report = await run((index) =>
      index.overlay({ dir: to, changes: changesBetween(base, head), ...head, headSha: "b2", indexOptions }),
    );
    await build(full, head, "b2");
    const key = (row: object): string => JSON.stringify(row);
    expect((await rowsOf(to)).map(key).sort()).toEqual((await rowsOf(full)).map(key).sort());
    const [seeded, whole] = [await run((index) => index.meta(to)), await run((index) => index.meta(full))];
    expect(seeded).toMatchObject({ rows: whole.rows, head_sha: "b2", seeded_from: "a1", skipped: whole.skipped });
    expect(report.rows).toBe(whole.rows);
    expect(contentsOf(from)).toEqual(before);
    expect(await run((index) => index.health({ dir: to, headSha: "b2" }))).toMatchObject({ status: "ok" });
  });

  it("works with nothing to index, and grows from there", async () => {
    const folder = temporaryFolder();
    const dir = join(folder, "code-index");
    const none = memoryTree({ "a.png": "x" });
    expect((await build(dir, none, "a1")).rows).toBe(0);
    expect(await run((index) => index.query({ dir, text: "cart", k: 5, mode: "hybrid" }))).toEqual([]);
    expect(await run((index) => index.symbol({ dir, names: ["cart"] }))).toEqual([]);
    expect((await run((index) => index.health({ dir }))).status).toBe("ok");
    const seed = join(folder, "seed");
    await run((index) => index.seed({ from: dir, to: seed }));
    const changes = changesBetween(none, base);
    await run((index) => index.overlay({ dir: seed, changes, ...base, headSha: "b2", indexOptions }));
    const hits = await run((index) => index.query({ dir: seed, text: "login with password", k: 1, mode: "text" }));
    expect(hits[0]?.path).toBe("src/user.py");
    const back = changesBetween(base, none);
    await run((index) => index.refresh({ dir: seed, changes: back, ...none, headSha: "c3", indexOptions }));
    expect(await run((index) => index.health({ dir: seed }))).toMatchObject({ status: "ok", rows: 0 });
  });

  it("says what is missing, broken or of other options, before anything is changed", async () => {
    const folder = temporaryFolder();
    const dir = join(folder, "code-index");
    expect((await failure((index) => index.seed({ from: dir, to: join(folder, "seed") })))._tag).toBe("IndexMissing");
    expect((await run((index) => index.health({ dir }))).status).toBe("missing");
    await build(dir, base, "a1");
    const before = contentsOf(dir);
    const changed = { dir, changes: changesBetween(base, head), ...head, headSha: "b2" };
    const other = { maxFileKb: 1024, exclude: ["docs/**"] };
    expect((await failure((index) => index.overlay({ ...changed, indexOptions: other })))._tag).toBe("IndexForeign");
    expect((await failure((index) => index.refresh({ ...changed, indexOptions: other })))._tag).toBe("IndexForeign");
    expect(contentsOf(dir)).toEqual(before);
    expect(readdirSync(folder)).toEqual(["code-index"]);
  });

  it("keeps files to the user whatever the umask", async () => {
    const umask = process.umask(0);
    try {
      const dir = join(temporaryFolder(), "deep", "code-index");
      await build(dir, base, "a1");
      for (const path of filesOf(dir)) expect(statSync(path).mode & 0o077, path).toBe(0);
      expect(statSync(dir).mode & 0o777).toBe(0o700);
    } finally {
      process.umask(umask);
    }
  });
});

const filesOf = (dir: string): string[] =>
  readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name);
    return entry.isDirectory() ? [path, ...filesOf(path)] : [path];
  });
const contentsOf = (dir: string): string[] =>
  filesOf(dir).map((path) =>
    statSync(path).isFile() ? `${path}:${statSync(path).ino}:${readFileSync(path).toString("base64")}` : path,
  );
