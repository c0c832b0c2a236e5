import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withSyntax } from "../../../effects/index/parser.ts";
import { chunkFile } from "../../../src/index/chunkFile.ts";
import { languageOf } from "../../../src/index/languages.ts";
import { isMinified } from "../../../src/index/skip.ts";
import type { Chunk } from "../../../src/index/types.ts";

const chunksOf = (path: string, text: string): Promise<Chunk[]> => {
  const { name: lang, grammar } = languageOf(path);
  return withSyntax(grammar, text, (syntax) => chunkFile({ path, text, lang, syntax }));
};

const shape = (chunks: ReadonlyArray<Chunk>) =>
  chunks.map(({ line_start, line_end, kind, symbol }) => `${line_start}-${line_end} ${kind} ${symbol}`.trim());

const longBody = (n: number): string =>
  Array.from({ length: n }, (_, i) => `    const value${i} = compute(${i}, "some text that takes room");`).join("\n");

describe("chunkFile", () => {
  it("keeps definitions whole, with the comments before them", async () => {
    const text =
      'import a from "a";\n\n// Adds.\n// Really.\nexport function add(a, b) {\n  return sum(a, b);\n}\n\nconst two = () => add(1, 1);\n';
    const chunks = await chunksOf("m.ts", text);
    expect(shape(chunks)).toEqual(["1-1 code", "3-7 definition add", "9-9 definition two"]);
    expect(chunks[1]).toMatchObject({ defs: ["add"], calls: ["sum"], lang: "typescript" });
    expect(chunks[2]).toMatchObject({ defs: ["two"], calls: ["add"] });
  });

  it("cuts a large class into shell and members, a large function into parts of its own name", async () => {
    const text = `export class Cart {\n  total = 0;\n  add(item) {\n${longBody(10)}\n  }\n  clear() {\n${longBody(70)}\n  }\n}\n`;
    const chunks = await chunksOf("cart.ts", text);
    expect(shape(chunks).slice(0, 3)).toEqual(["1-1 container Cart", "2-2 code Cart", "3-14 definition Cart.add"]);
    const clear = chunks.filter(({ symbol }) => symbol === "Cart.clear");
    expect(clear.length).toBeGreaterThan(2);
    expect(clear.at(-1)?.line_end).toBe(text.split("\n").length - 1);
  });

  it.each([
    ["a.py", "class A:\n    def m(self):\n        return f(1)\n", "A", "f"],
    ["a.go", "package a\n\nfunc Run(x int) int {\n\treturn helper(x)\n}\n", "Run", "helper"],
    ["A.java", "class A {\n  int run() { return this.go(1); }\n}\n", "run", "go"],
    ["a.rs", "fn run() -> i32 {\n    go(1)\n}\n", "run", "go"],
    ["a.rb", "class A\n  def run\n    go(1)\n  end\nend\n", "run", "go"],
    ["a.php", "<?php\nfunction run() { return go(1); }\n", "run", "go"],
    ["a.c", "static int *run(char *s) {\n  return go(s);\n}\n", "run", "go"],
    ["a.cpp", "int A::run(int x) {\n  return go(x);\n}\n", "run", "go"],
    ["a.cs", "class A { int Run() { return Go(1); } }\n", "Run", "Go"],
    ["a.swift", "func run() -> Int {\n  return go(1)\n}\n", "run", "go"],
    ["a.sh", "run() {\n  go 1\n}\n", "run", "go"],
    ["a.jsx", "const Page = () => <Menu />;\n", "Page", "Menu"],
  ])("finds what %s defines and calls", async (path, text, defined, called) => {
    const chunks = await chunksOf(path, text);
    expect(chunks.flatMap(({ defs }) => defs)).toContain(defined);
    expect(chunks.flatMap(({ calls }) => calls)).toContain(called);
  });

  it.each([
    ["a class field that holds a function", "class A {\n  #run = () => go();\n}\n", "run"],
    ["a class field of a function's type", "class A {\n  declare run: (x: string) => void;\n}\n", "run"],
    ["a named function expression", "export const make = (x: string) => {\n  return function run() {};\n};\n", "run"],
    ["a function in an object", "export const api = {\n  run: async () => 1,\n};\n", "run"],
    ["a wrapped function", "export const A = () => {\n  const run = useCallback(() => 1, []);\n};\n", "run"],
  ])("finds %s", async (_, text, defined) => {
    const chunks = await chunksOf("a.ts", text);
    expect(chunks.flatMap(({ defs }) => defs)).toContain(defined);
  });

  it("takes no value for a function: neither a field of data nor the result of a method", async () => {
    const text = "class A {\n  total = 0;\n  m() {\n    const names = list.map((x) => x.name);\n  }\n}\n";
    const chunks = await chunksOf("a.ts", text);
    expect(chunks.flatMap(({ defs }) => defs)).toEqual(["A", "m"]);
  });

  it.each([
    ["a.ts", 'import { auth as check } from "./auth";\napp.use(check);\n', "check"],
    ["a.js", 'const { auth } = require("./auth");\napp.use(auth);\n', "auth"],
    ["a.ts", "function byName(a, b) {\n  return 0;\n}\nlist.sort(byName);\n", "byName"],
    ["a.tsx", "const close = () => 1;\nconst A = () => <Menu onClick={close} />;\n", "close"],
    ["a.py", "from auth import check\nuse(check)\n", "check"],
  ])("counts a function that %s hands over as called", async (path, text, called) => {
    const chunks = await chunksOf(path, text);
    expect(chunks.flatMap(({ calls }) => calls)).toContain(called);
  });

  it.each([
    ["a parameter of the same name", 'import { auth } from "./auth";\nconst f = (auth) => use(auth);\n'],
    ["a value that the file does not know", "use(auth);\n"],
    ["a local value", "const auth = 1;\nuse(auth);\n"],
  ])("does not count %s as called", async (_, text) => {
    const chunks = await chunksOf("a.ts", text);
    expect(chunks.flatMap(({ calls }) => calls)).toEqual(["use"]);
  });

  it("does not count a constant that is handed over as called", async () => {
    const chunks = await chunksOf("a.ts", 'import { METHOD_ALL } from "./methods";\nuse(METHOD_ALL);\n');
    expect(chunks.flatMap(({ calls }) => calls)).toEqual(["use"]);
  });

  it.each(["a.dart", "a.sol", "a.vue", "a.css", "a.ps1", "a.tsx"])("has a grammar for %s", async (path) => {
    const found = await withSyntax(languageOf(path).grammar, "class A {}\n", (syntax) => syntax !== null);
    expect(found).toBe(true);
  });

  it("cuts Markdown at headings, not at signs inside fences", async () => {
    const text = "# Title\n\nIntro.\n\n## One\n\n```sh\n# not a heading\n```\n\n### Deep\n\nx\n\n## Two\n\ny\n";
    expect(shape(await chunksOf("a.md", text))).toEqual([
      "1-3 section Title",
      "5-13 section Title > One",
      "15-17 section Title > Two",
    ]);
  });

  it("keeps ids of code that only moved, and most windows when a line is added at the top", async () => {
    const code = `function a() {\n  return b();\n}\n\nfunction c() {\n  return d();\n}\n`;
    const ids = (chunks: ReadonlyArray<Chunk>): string[] => chunks.map(({ id }) => id);
    expect(ids(await chunksOf("a.js", `\n\n${code}`))).toEqual(ids(await chunksOf("a.js", code)));
    const log = Array.from(
      { length: 600 },
      (_, i) => `- fixed number ${i * 7919} in ${i % 7}${i % 9 === 0 ? "\n" : ""}`,
    ).join("\n");
    const before = new Set(ids(await chunksOf("log.txt", log)));
    const after = ids(await chunksOf("log.txt", `- a new line\n${log}`));
    expect(after.length).toBeGreaterThan(10);
    expect(after.filter((id) => !before.has(id)).length).toBeLessThanOrEqual(3);
  });

  it("makes one stub of a minified file and tells equal texts apart", async () => {
    const minified = await chunksOf("a.js", `a(${"1,".repeat(20_000)}1)`);
    expect(shape(minified)).toEqual(["1-1 stub"]);
    const twins = await chunksOf("a.txt", `${"same\n".repeat(400)}`);
    expect(new Set(twins.map(({ id }) => id)).size).toBe(twins.length);
  });

  it.each([
    ["deep", `x = ${"[".repeat(900)}${"]".repeat(900)}\n`.repeat(12)],
    ["a long chain", `x = ${"a +\n".repeat(8000)}b;\n`],
    ["a long list", `x = [${"1,\n".repeat(30_000)}1];\n`],
    ["errors all over", "{(['`${\n".repeat(4000)],
  ])("cuts %s in little time", async (_what, text) => {
    const started = performance.now();
    for (const path of ["a.ts", "a.py"]) expect((await chunksOf(path, text)).length).toBeGreaterThan(0);
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it("covers every line that is not blank, in chunks of at most 8,000 characters, the same each time", async () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "class A {",
        "}",
        "function f(x) {",
        "  def g(self):",
        "# Head",
        "```",
        "/* open",
        "*/",
        "",
        "  ",
        "('",
        "`${",
        "{[(",
        "\u2028",
        "x".repeat(9000),
      ),
      fc.string({ unit: "grapheme", maxLength: 60 }),
      fc.string({ unit: "binary", maxLength: 20 }),
    );
    const path = fc.constantFrom(
      "a.ts",
      "a.py",
      "a.md",
      "a.json",
      "a.vue",
      "a.cpp",
      "a.go",
      "a.php",
      "a.css",
      "unknown",
    );
    await fc.assert(
      fc.asyncProperty(path, fc.array(piece, { maxLength: 60 }), async (name, pieces) => {
        const text = pieces.join("\n").replaceAll("\r", " ");
        fc.pre(!isMinified(name, text));
        const chunks = await chunksOf(name, text);
        const covered = new Set<number>();
        for (const chunk of chunks) {
          expect(chunk.text.length).toBeLessThanOrEqual(8000);
          for (let line = chunk.line_start; line <= chunk.line_end; line++) covered.add(line);
        }
        text.split("\n").forEach((line, i) => {
          if (/[^\x00-\x20]/.test(line)) expect(covered.has(i + 1), `${name}:${i + 1}`).toBe(true);
        });
        const joined = chunks.map((chunk) => chunk.text).join("\n");
        expect(joined.replaceAll(/[\x00-\x20]/g, "")).toBe(text.replaceAll(/[\x00-\x20]/g, ""));
        expect(new Set(chunks.map(({ id }) => id)).size).toBe(chunks.length);
        expect(await chunksOf(name, text)).toEqual(chunks);
      }),
      { numRuns: 150 },
    );
  });
});
