import { describe, expect, it } from "vitest";
import { type CallingChunk, type ChangedName, callersOf } from "../../../src/precis/callers.ts";

const changed = (change: Partial<ChangedName> = {}): ChangedName => ({
  name: "parse",
  path: "src/utils/cookie.ts",
  member: false,
  ...change,
});

const chunk = (path: string, text: string, change: Partial<CallingChunk> = {}): CallingChunk => ({
  path,
  line_start: 1,
  symbol: "",
  text,
  defs: [],
  calls: ["parse"],
  ...change,
});

const pathsOf = (names: ReadonlyArray<ChangedName>, chunks: ReadonlyArray<CallingChunk>) =>
  callersOf(names, chunks).map(({ path }) => path);

describe("callersOf", () => {
  it("names the line of the call and the names that are called, not the import and not the definition", () => {
    const text = 'import { parse } from "./utils/cookie";\n\nexport const read = () =>\n  parse("a");\n';
    expect(callersOf([changed()], [chunk("src/a.ts", text, { symbol: "read", line_start: 10 })])).toEqual([
      { path: "src/a.ts", line: 13, symbol: "read", calls: ["parse"] },
    ]);
    const method = "async parse(x) {\n  return parse(this, x);\n}";
    expect(callersOf([changed()], [chunk("src/b.ts", method, { line_start: 216, defs: ["parse"] })])).toEqual([]);
    const imported = chunk("src/b.ts", 'import { parse } from "./utils/cookie";', { calls: [] });
    expect(callersOf([changed()], [imported, chunk("src/b.ts", method, { line_start: 216, defs: ["parse"] })])).toEqual(
      [{ path: "src/b.ts", line: 217, symbol: "", calls: ["parse"] }],
    );
  });

  it.each([
    ["the language's own object", "const a = JSON.parse(text);"],
    ["a definition of the file's own", "const parse = (x) => x;\nparse(text);"],
  ])("leaves out calls of %s", (_, text) => {
    const own = text.includes("const parse") ? ["parse"] : [];
    expect(pathsOf([changed()], [chunk("src/a.ts", text, { defs: own })])).toEqual([]);
  });

  it("leaves out a name that another package gives, unless nothing better is known", () => {
    const other = chunk("bench/a.ts", 'import { parse } from "node-html-parser";\nparse(html);');
    const object = chunk("bench/b.ts", 'import qs from "qs";\nqs.parse(html);');
    const barrel = chunk("src/b.ts", 'import { parse } from "./utils";\nparse(text);');
    expect(pathsOf([changed()], [other, object])).toEqual(["bench/a.ts", "bench/b.ts"]);
    expect(pathsOf([changed()], [other, object, barrel])).toEqual(["src/b.ts"]);
  });

  it("takes a name from a package of the same repository for the changed one", () => {
    const path = "packages/shared/src/cookie.ts";
    const use = chunk("packages/core/src/a.ts", 'import { parse } from "@acme/shared";\nparse(text);');
    const other = chunk("packages/core/src/b.ts", 'import { parse } from "yaml";\nparse(text);');
    expect(pathsOf([changed({ path })], [other, use])).toEqual(["packages/core/src/a.ts"]);
  });

  it.each([
    ['import * as cookie from "../utils/cookie";', "cookie.parse(text)"],
    ['const cookie = require("../utils/cookie.js");', "cookie.parse(text)"],
    ['const { parse } = require("../utils/cookie");', "list.map(parse)"],
    ['import { parse } from "../utils/cookie.js";', "parse<Cookie>(text)"],
  ])("puts files that import the changed one first: %s %s", (imports, use) => {
    const possible = chunk("src/a.ts", "other.parse(text)");
    const sure = chunk("src/z.ts", `${imports}\n${use}`);
    expect(pathsOf([changed()], [possible, sure])).toEqual(["src/z.ts", "src/a.ts"]);
  });

  it("puts tests last, and believes every call of a member and of other languages", () => {
    const test = chunk("src/a.test.ts", 'import { parse } from "./utils/cookie";\nparse("");');
    const member = chunk("src/b.ts", "reader.parse(text)");
    expect(pathsOf([changed({ member: true })], [test, member])).toEqual(["src/b.ts", "src/a.test.ts"]);
    expect(pathsOf([changed()], [chunk("a.py", "json.parse(text)")])).toEqual(["a.py"]);
  });

  it("reads 100 KB of anything in little time", () => {
    const started = performance.now();
    for (const piece of ["import ", "import          ", "parse          ", "parse<", "const {a ", "(parse,"]) {
      callersOf([changed()], [chunk("src/a.ts", piece.repeat(100_000 / piece.length))]);
    }
    expect(performance.now() - started).toBeLessThan(4000);
  });
});
