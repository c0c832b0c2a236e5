import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type * as TreeSitter from "@vscode/tree-sitter-wasm";
import type { NamedPlace, Syntax } from "../../src/index/chunkFile.ts";
import { isDefiningType } from "../../src/index/definitions.ts";
import type { Grammar } from "../../src/index/languages.ts";

const require = createRequire(import.meta.url);

interface LoadedLanguage {
  readonly parser: TreeSitter.Parser;
  readonly definitions: TreeSitter.Query | null;
  readonly calls: TreeSitter.Query | null;
}

/** Call forms of all grammars; a language uses those that its grammar knows. */
const callPatterns = [
  "(call_expression function: (_) @name)",
  "(new_expression constructor: (_) @name)",
  "(jsx_opening_element name: (_) @name)",
  "(jsx_self_closing_element name: (_) @name)",
  "(call function: (_) @name)",
  "(call method: (_) @name)",
  "(method_invocation name: (_) @name)",
  "(object_creation_expression type: (_) @name)",
  "(invocation_expression function: (_) @name)",
  "(function_call_expression function: (_) @name)",
  "(member_call_expression name: (_) @name)",
  "(scoped_call_expression name: (_) @name)",
  "(macro_invocation macro: (_) @name)",
  "(call_expression (simple_identifier) @name)",
  "(call_expression (navigation_expression suffix: (_) @name))",
  "(command name: (_) @name)",
];

const definitionPatterns = [
  "(function_declarator declarator: (_) @name) @function",
  "(program (lexical_declaration (variable_declarator name: (identifier) @name)))",
  "(program (variable_declaration (variable_declarator name: (identifier) @name)))",
  "(program (export_statement (lexical_declaration (variable_declarator name: (identifier) @name))))",
  "(variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression)])",
  "(assignment_expression left: (member_expression property: (_) @name) right: [(arrow_function) (function_expression)])",
  "(module (expression_statement (assignment left: (identifier) @name)))",
  "(source_file (const_declaration (const_spec name: (_) @name)))",
];

const maxNames = 20_000;
const lastIdentifier = /([\p{L}_$][\p{L}\p{N}_$]*[?!]?)\s*(?:<[^<>]*>)?\s*$/u;

type Module = typeof TreeSitter;

/**
 * `name` fields of the grammar's own defining node types, type by type: one pattern over all types, `(_ name: (_))`,
 * takes time quadratic in the depth of the tree.
 */
const definingPatterns = (language: TreeSitter.Language): string[] => {
  const types = new Set<string>();
  for (let id = 0; id < language.nodeTypeCount; id++) {
    const type = language.nodeTypeForId(id);
    if (type !== null && language.nodeTypeIsNamed(id) && isDefiningType(type)) types.add(type);
  }
  return [...types].sort().map((type) => `(${type} name: (_) @name)`);
};

/** Whether all node types of a pattern exist; compiling one only to see it fail costs far more. */
const isPlausible = (known: ReadonlySet<string>, pattern: string): boolean =>
  [...pattern.matchAll(/\(([a-z_]+)/g)].every(([, type]) => type === undefined || type === "_" || known.has(type));

const queryOf = (module: Module, language: TreeSitter.Language, patterns: ReadonlyArray<string>) => {
  const types = new Set<string>();
  for (let id = 0; id < language.nodeTypeCount; id++) types.add(language.nodeTypeForId(id) ?? "");
  const known = patterns.filter((pattern) => {
    if (!isPlausible(types, pattern)) return false;
    try {
      new module.Query(language, pattern).delete();
      return true;
    } catch {
      return false;
    }
  });
  return known.length === 0 ? null : new module.Query(language, known.join("\n"));
};

let started: Promise<Module> | null = null;
const languages = new Map<string, Promise<LoadedLanguage>>();

const start = async (): Promise<Module> => {
  const module = require("@vscode/tree-sitter-wasm") as Module;
  const folder = join(packageFolder("@vscode/tree-sitter-wasm"), "wasm");
  await module.Parser.init({ locateFile: (file) => join(folder, file) });
  return module;
};

const packageFolder = (name: string): string => dirname(require.resolve(`${name}/package.json`));

const load = async (grammar: Grammar): Promise<LoadedLanguage> => {
  started ??= start();
  const module = await started;
  const bytes = await readFile(join(packageFolder(grammar.package), grammar.file));
  const language = await module.Language.load(bytes);
  const parser = new module.Parser();
  parser.setLanguage(language);
  return {
    parser,
    definitions: queryOf(module, language, [...definingPatterns(language), ...definitionPatterns]),
    calls: queryOf(module, language, callPatterns),
  };
};

const languageFor = (grammar: Grammar): Promise<LoadedLanguage> => {
  const key = `${grammar.package}/${grammar.file}`;
  const known = languages.get(key);
  if (known !== undefined) return known;
  const loading = load(grammar);
  languages.set(key, loading);
  return loading;
};

const namesFrom = (query: TreeSitter.Query | null, root: TreeSitter.Node, text: string): NamedPlace[] => {
  if (query === null) return [];
  const out: NamedPlace[] = [];
  for (const { name: capture, node } of query.captures(root)) {
    if (capture !== "name") continue;
    const end = node.endIndex;
    const name = lastIdentifier.exec(text.slice(Math.max(node.startIndex, end - 120), end))?.[1];
    if (name !== undefined) out.push({ name, row: node.endPosition.row });
    if (out.length >= maxNames) break;
  }
  return out;
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
    return use({
      root,
      defs: namesFrom(language.definitions, root, text),
      calls: namesFrom(language.calls, root, text),
    });
  } finally {
    tree.delete();
  }
};
