/** The part of a tree-sitter node that the chunker needs. */
export interface SyntaxNode {
  readonly type: string;
  readonly startIndex: number;
  readonly endIndex: number;
  readonly startPosition: { readonly row: number; readonly column: number };
  readonly endPosition: { readonly row: number; readonly column: number };
  readonly namedChildren: ReadonlyArray<SyntaxNode | null>;
  readonly childForFieldName: (name: string) => SyntaxNode | null;
}

export interface Definition {
  readonly name: string;
  /** Has members with names of their own. */
  readonly container: boolean;
  readonly body: SyntaxNode | null;
}

export const isComment = (node: SyntaxNode): boolean => node.type.includes("comment");

const wrappers = new Set([
  "export_statement",
  "decorated_definition",
  "expression_statement",
  "lexical_declaration",
  "variable_declaration",
  "ambient_declaration",
  "template_declaration",
  "declaration_list",
]);

const containerTypes =
  /class|interface|struct|trait|impl|module|namespace|enum|object_declaration|protocol|extension|contract|library/;

/** Node types that define the name in their `name` field, in any of the grammars. */
const definingTypes =
  /(?:function|method|class|interface|enum|struct|union|trait|impl|module|namespace|type_alias|macro|record|protocol|constructor|contract|modifier|event|mixin|extension).*(?:declaration|definition|item|specifier|signature|statement)$|^(?:method|singleton_method|class|module|function_item|type_spec|impl_item|type_declaration|type_alias_declaration|class_specifier|struct_specifier|function_signature|internal_module)$/;

export const isDefiningType = (type: string): boolean => definingTypes.test(type);

const valueTypes = /function|class|arrow|lambda|closure/;

const nameText = (node: SyntaxNode | null, text: string): string | null => {
  if (node === null) return null;
  const name = text.slice(node.startIndex, Math.min(node.endIndex, node.startIndex + 120)).replaceAll(/\s+/g, " ");
  return name === "" ? null : name;
};

/** C and C++ hide the name inside declarators: `static int *parse(char *s)`. */
const declaratorName = (node: SyntaxNode, text: string): string | null => {
  let current: SyntaxNode | null = node.childForFieldName("declarator");
  for (let depth = 0; current !== null && depth < 8; depth++) {
    const next = current.childForFieldName("declarator");
    if (next === null) return nameText(current.childForFieldName("name") ?? current, text);
    current = next;
  }
  return null;
};

const lastNamed = (node: SyntaxNode): SyntaxNode | null =>
  node.namedChildren.findLast((child) => child !== null && !isComment(child)) ?? null;

/** The assigned name and value of `const f = () => …`, `exports.f = function …`. */
const assigned = (node: SyntaxNode, text: string): Definition | null => {
  const target = node.childForFieldName("name") ?? node.childForFieldName("left");
  const value = node.childForFieldName("value") ?? node.childForFieldName("right");
  const name = nameText(target, text);
  if (name === null || value === null || !valueTypes.test(value.type)) return null;
  const short = /(?<![\w$])[\w$]+$/.exec(name)?.[0];
  if (short === undefined) return null;
  return { name: short, container: value.type.includes("class"), body: value.childForFieldName("body") };
};

/** The named definition that a node is (through `export`, decorators, single assignments), or null. */
export const definitionOf = (node: SyntaxNode, text: string): Definition | null => {
  let current: SyntaxNode | null = node;
  for (let depth = 0; current !== null && depth < 6; depth++) {
    const type = current.type;
    if (!wrappers.has(type)) break;
    if (/declaration$/.test(type) && current.namedChildren.filter((child) => child !== null).length > 1) {
      if (type !== "template_declaration" && type !== "ambient_declaration") return null;
    }
    current = lastNamed(current);
  }
  if (current === null) return null;
  if (/declarator$|assignment/.test(current.type)) return assigned(current, text);
  if (!isDefiningType(current.type)) return null;
  const name =
    nameText(current.childForFieldName("name") ?? current.childForFieldName("type"), text) ??
    declaratorName(current, text);
  const defined = current.type === "function_definition" ? (declaratorName(current, text) ?? name) : name;
  if (defined === null) return null;
  return {
    name: defined,
    container: containerTypes.test(current.type) && !/function|method/.test(current.type),
    body: current.childForFieldName("body"),
  };
};
