import type * as TreeSitter from "@vscode/tree-sitter-wasm";
import { isDefiningType } from "../../src/index/definitions.ts";

type Module = typeof TreeSitter;

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

/** Names handed over to be called later: `use(handler)`, `onClick={close}`; they count where the file says that they are functions. */
const handedPatterns = [
  "(arguments (identifier) @handed)",
  "(argument_list (identifier) @handed)",
  "(jsx_expression (identifier) @handed)",
];

/** `@import`: bound by an import. `@bound`: bound by a parameter, so that it may be anything. */
const bindingPatterns = [
  "(formal_parameters (identifier) @bound)",
  "(formal_parameters (assignment_pattern left: (identifier) @bound))",
  "(required_parameter pattern: (identifier) @bound)",
  "(optional_parameter pattern: (identifier) @bound)",
  "(arrow_function parameter: (identifier) @bound)",
  "(parameters (identifier) @bound)",
  "(typed_parameter (identifier) @bound)",
  "(default_parameter name: (identifier) @bound)",
  "(typed_default_parameter name: (identifier) @bound)",
  "(parameter_declaration name: (identifier) @bound)",
  "(import_specifier !alias name: (identifier) @import)",
  "(import_specifier alias: (identifier) @import)",
  "(import_clause (identifier) @import)",
  "(import_from_statement name: (dotted_name (identifier) @import))",
  "(variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @import) value: (call_expression function: (identifier)))",
];

/** `@name` holds code that can be called, `@value` anything. */
const definitionPatterns = [
  "(function_declarator declarator: (_) @name) @function",
  "(program (lexical_declaration (variable_declarator name: (identifier) @value)))",
  "(program (variable_declaration (variable_declarator name: (identifier) @value)))",
  "(program (export_statement (lexical_declaration (variable_declarator name: (identifier) @value))))",
  "(variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression)])",
  "(variable_declarator name: (identifier) @name value: (call_expression function: (identifier) arguments: (arguments . [(arrow_function) (function_expression)])))",
  "(assignment_expression left: (member_expression property: (_) @name) right: [(arrow_function) (function_expression)])",
  "(public_field_definition name: (_) @name value: [(arrow_function) (function_expression)])",
  "(public_field_definition name: (_) @name type: (type_annotation (function_type)))",
  "(field_definition property: (_) @name value: [(arrow_function) (function_expression)])",
  "(pair key: (property_identifier) @name value: [(arrow_function) (function_expression)])",
  "(function_expression name: (identifier) @name)",
  "(module (expression_statement (assignment left: (identifier) @value)))",
  "(source_file (const_declaration (const_spec name: (_) @value)))",
];

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

/** Patterns of one grammar that it knows, one a line: what `syntaxQueries` compiles. */
export interface GrammarPatterns {
  readonly definitions: string;
  readonly bindings: string;
  readonly calls: string;
}

/**
 * Tries every pattern alone, which takes four times as long as compiling those that are known: 0.2 s for TypeScript.
 * That is why the answer for each pinned grammar is a generated file, grammarPatterns.generated.json.
 */
export const knownPatterns = (module: Module, language: TreeSitter.Language): GrammarPatterns => {
  const types = new Set<string>();
  for (let id = 0; id < language.nodeTypeCount; id++) types.add(language.nodeTypeForId(id) ?? "");
  const known = (patterns: ReadonlyArray<string>): string =>
    patterns
      .filter((pattern) => {
        if (!isPlausible(types, pattern)) return false;
        try {
          new module.Query(language, pattern).delete();
          return true;
        } catch {
          return false;
        }
      })
      .join("\n");
  return {
    definitions: known([...definingPatterns(language), ...definitionPatterns]),
    bindings: known(bindingPatterns),
    calls: known([...callPatterns, ...handedPatterns]),
  };
};
