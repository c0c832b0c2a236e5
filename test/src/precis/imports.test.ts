import { describe, expect, it } from "vitest";
import { importsOf, withoutImports } from "../../../src/precis/imports.ts";

const found = (text: string) => importsOf(text).map(({ names, from }) => [names.trim(), from]);

describe("imports of a module", () => {
  it("are read in every form that binds names", () => {
    const text = `import a from "./a"
import { b, c as d } from './b';
import * as e from "e";
import type { F } from "./f.ts";
export { g } from "./g";
export * from "./h";
const i = require("i");
const { j, k: l } = await import("./j.ts");
let m = await import( "m" );
`;
    expect(found(text)).toEqual([
      ["a", "./a"],
      ["{ b, c as d }", "./b"],
      ["* as e", "e"],
      ["type { F }", "./f.ts"],
      ["{ g }", "./g"],
      ["*", "./h"],
      ["i", "i"],
      ["{ j, k: l }", "./j.ts"],
      ["m", "m"],
    ]);
  });

  it("span lines, and are blanked without moving any line", () => {
    const text = 'import {\n  a,\n  b,\n} from "./a";\na(b);\n';
    expect(found(text)).toEqual([["{\n  a,\n  b,\n}", "./a"]]);
    expect(withoutImports(text)).toBe(`${" ".repeat(8)}\n    \n    \n${" ".repeat(12)};\na(b);\n`);
  });

  it("are no sentences and no calls", () => {
    expect(found('say("import that from \\"here\\"");\nimportant(from("x"));\nload(require("y"));\n')).toEqual([]);
  });

  it.each([
    ["import", "import ".repeat(15_000)],
    ["import and names", `import ${"a, ".repeat(33_000)}`],
    ["from", 'from "'.repeat(17_000)],
    ["const", "const a = ".repeat(10_000)],
    ["whole statements", 'import a from "b" '.repeat(6_000)],
    ["blanks", `import${" ".repeat(100_000)}from "x"`],
  ])("take 50 ms at most on 100 KB of %s", (_, text) => {
    importsOf(text.slice(0, 1000));
    const from = performance.now();
    importsOf(text);
    expect(performance.now() - from).toBeLessThan(50);
  });
});
