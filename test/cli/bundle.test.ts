import { describe, expect, it } from "vitest";
import { verbs } from "../../cli/verbs.ts";
import { loadedBy, packagesOf, readMetafile } from "./support/metafile.ts";

const metafile = readMetafile();

const moduleOf = (path: ReadonlyArray<string>): string => {
  const [first = "", ...rest] = path.join("-").split("-");
  return `cli/commands/${first}${rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("")}.ts`;
};

const heavy =
  /^(@lancedb\/lancedb|apache-arrow|@vscode\/tree-sitter-wasm|@repomix\/tree-sitter-wasms|ollama|@octokit\/.*)$/;
const indexing = /^(index .*|pr-task prepare|pr-sync|demo|repo (add|update|rebuild-index|branch add))$/;
const hosted = /^(pr-queue (add|update|get-next|claim)|pr-task prepare|pr-sync|demo)$/;

describe("what a call loads", () => {
  it("is nothing but the table for --help and --version", () => {
    const main = loadedBy(metafile, ["cli/main.ts"]);
    expect(packagesOf(main)).toEqual([]);
    expect(main.modules).toContain("cli/verbs.ts");
    expect(main.bytes).toBeLessThan(60_000);
  });

  it("is a small part of effect before the verb's own module", () => {
    const run = loadedBy(metafile, ["cli/main.ts", "cli/run.ts"]);
    expect(packagesOf(run)).toEqual(["effect"]);
    expect(
      run.modules.filter((path) => /effect\/dist\/esm\/(index|Schema|ParseResult|Stream|STM)\.js$/.test(path)),
    ).toEqual([]);
    expect(run.bytes).toBeLessThan(450_000);
  });

  it.each(verbs.map((verb) => [verb.path.join(" "), verb] as const))(
    "adk %s loads what it uses alone",
    (name, verb) => {
      const loaded = loadedBy(metafile, ["cli/main.ts", "cli/run.ts", moduleOf(verb.path)]);
      const unexpected = packagesOf(loaded)
        .filter((one) => heavy.test(one))
        .filter((one) => !(one.startsWith("@octokit/") ? hosted : indexing).test(name));
      expect(unexpected).toEqual([]);
    },
  );
});
