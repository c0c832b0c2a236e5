import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type * as TreeSitter from "@vscode/tree-sitter-wasm";
import type { NamedPlace, Syntax } from "../../src/index/chunkFile.ts";
import type { Grammar } from "../../src/index/languages.ts";
import { type SyntaxQueries, syntaxQueries } from "./syntaxQueries.ts";

const require = createRequire(import.meta.url);

interface LoadedLanguage extends SyntaxQueries {
  readonly parser: TreeSitter.Parser;
}

const maxNames = 20_000;
const lastIdentifier = /([\p{L}_$][\p{L}\p{N}_$]*[?!]?)\s*(?:<[^<>]*>)?\s*$/u;

type Module = typeof TreeSitter;

let started: Promise<Module> | null = null;
const languages = new Map<string, Promise<LoadedLanguage>>();

const start = async (): Promise<Module> => {
  const module = require("@vscode/tree-sitter-wasm") as Module;
  const folder = join(packageFolder("@vscode/tree-sitter-wasm"), "wasm");
  await module.Parser.init({ locateFile: (file) => join(folder, file) });
  return module;
};

const packageFolder = (name: string): string => dirname(require.resolve(`${name}/package.json`));

/** The parser's module and one of its grammars. */
export const loadGrammar = async (grammar: Grammar): Promise<{ module: Module; language: TreeSitter.Language }> => {
  started ??= start();
  const module = await started;
  const bytes = await readFile(join(packageFolder(grammar.package), grammar.file));
  return { module, language: await module.Language.load(bytes) };
};

const load = async (grammar: Grammar): Promise<LoadedLanguage> => {
  const { module, language } = await loadGrammar(grammar);
  const parser = new module.Parser();
  parser.setLanguage(language);
  return { parser, ...syntaxQueries(module, language, grammar.file) };
};

const languageFor = (grammar: Grammar): Promise<LoadedLanguage> => {
  const key = `${grammar.package}/${grammar.file}`;
  const known = languages.get(key);
  if (known !== undefined) return known;
  const loading = load(grammar);
  languages.set(key, loading);
  return loading;
};

interface CapturedName extends NamedPlace {
  /** The capture of its pattern. */
  readonly as: string;
}

const captureNames = ["name", "value", "import", "bound", "handed"];

const namesFrom = (query: TreeSitter.Query | null, root: TreeSitter.Node, text: string): CapturedName[] => {
  if (query === null) return [];
  const out: CapturedName[] = [];
  for (const { name: as, node } of query.captures(root)) {
    if (!captureNames.includes(as)) continue;
    const end = node.endIndex;
    const name = lastIdentifier.exec(text.slice(Math.max(node.startIndex, end - 120), end))?.[1];
    if (name !== undefined) out.push({ name, row: node.endPosition.row, as });
    if (out.length >= maxNames) break;
  }
  return out;
};

/** By convention a constant, which nobody calls. */
const constantName = /^[A-Z][A-Z0-9_]+$/;

/**
 * Definitions and calls of a file. A name that is only handed over counts as called when it is imported or is a function
 * of this file, and no parameter in the file has the same name.
 */
const namesOf = (language: LoadedLanguage, root: TreeSitter.Node, text: string) => {
  const defs = namesFrom(language.definitions, root, text);
  const called = namesFrom(language.calls, root, text);
  if (!called.some(({ as }) => as === "handed")) return { defs, calls: called };
  const bindings = namesFrom(language.bindings, root, text);
  const functions = new Set([...defs, ...bindings].flatMap(({ as, name }) => (/name|import/.test(as) ? [name] : [])));
  for (const { as, name } of bindings) if (as === "bound") functions.delete(name);
  const calls = called.filter(({ as, name }) => as === "name" || (functions.has(name) && !constantName.test(name)));
  return { defs, calls };
};

/**
 * Parses, but gives up on texts made to be slow. The bound is in steps of the parser (100 operations each), not in time:
 * the same text is given up or not on every machine. Ordinary code takes 0.02 to 0.06 steps a character.
 */
const parseBounded = (parser: TreeSitter.Parser, text: string): TreeSitter.Tree | null => {
  const limit = 2000 + text.length * 0.25;
  let steps = 0;
  const tree = parser.parse(text, null, {
    progressCallback: () => {
      steps += 1;
      return steps > limit;
    },
  });
  if (tree === null) parser.reset();
  return tree;
};

/**
 * Parses a text with its grammar and hands the tree to `use`, then frees it; null to `use` where the grammar cannot
 * read the text at all (the file is then cut without a tree, the same way every time).
 */
export const withSyntax = async <A>(
  grammar: Grammar | null,
  text: string,
  use: (syntax: Syntax | null) => A,
): Promise<A> => {
  if (grammar === null) return use(null);
  const language = await languageFor(grammar);
  const tree = parseBounded(language.parser, text);
  if (tree === null) return use(null);
  try {
    const root = tree.rootNode;
    if (root.type === "ERROR") return use(null);
    return use({ root, ...namesOf(language, root, text) });
  } finally {
    tree.delete();
  }
};
