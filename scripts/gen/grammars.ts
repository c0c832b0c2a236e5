import { loadGrammar } from "../../effects/index/parser.ts";
import { type GrammarPatterns, knownPatterns } from "../../effects/index/syntaxPatterns.ts";
import { allGrammars } from "../../src/index/languages.ts";
import type { GeneratedFile } from "./cliFile.ts";

/** Which patterns each pinned grammar knows. */
export const grammarPatterns = async (): Promise<ReadonlyArray<GeneratedFile>> => {
  const known: Record<string, GrammarPatterns> = {};
  for (const grammar of allGrammars) {
    const { module, language } = await loadGrammar(grammar);
    known[grammar.file] = knownPatterns(module, language);
  }
  return [{ path: "effects/index/grammarPatterns.generated.json", text: `${JSON.stringify(known, null, 2)}\n` }];
};
