import type * as TreeSitter from "@vscode/tree-sitter-wasm";
import grammarPatterns from "./grammarPatterns.generated.json" with { type: "json" };
import type { GrammarPatterns } from "./syntaxPatterns.ts";

type Module = typeof TreeSitter;

/** What a grammar's trees are asked for; null where the grammar has nothing of the kind. */
export interface SyntaxQueries {
  readonly definitions: TreeSitter.Query | null;
  readonly bindings: TreeSitter.Query | null;
  readonly calls: TreeSitter.Query | null;
}

const patternsByFile: Readonly<Record<string, GrammarPatterns>> = grammarPatterns;

/** Compiles the patterns that the grammar in `file` knows. */
export const syntaxQueries = (module: Module, language: TreeSitter.Language, file: string): SyntaxQueries => {
  const patterns = patternsByFile[file];
  if (patterns === undefined) throw new Error(`no patterns of ${file}: npm run gen`);
  const query = (text: string) => (text === "" ? null : new module.Query(language, text));
  return {
    definitions: query(patterns.definitions),
    bindings: query(patterns.bindings),
    calls: query(patterns.calls),
  };
};
