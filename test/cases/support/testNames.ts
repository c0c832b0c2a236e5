import ts from "typescript";

/** The words of a call's function, outermost last: `it.skipIf(x)("…")` → it, skipIf; null when it is no plain chain. */
const chain = (node: ts.Expression): ReadonlyArray<string> | null => {
  if (ts.isIdentifier(node)) return [node.text];
  if (ts.isPropertyAccessExpression(node)) {
    const inner = chain(node.expression);
    return inner === null ? null : [...inner, node.name.text];
  }
  return ts.isCallExpression(node) || ts.isTaggedTemplateExpression(node)
    ? chain(ts.isCallExpression(node) ? node.expression : node.tag)
    : null;
};

/** A name as it stands in the source: text of a string, or of a template with its `${…}`. */
const nameOf = (node: ts.Expression | undefined, file: ts.SourceFile): string | null => {
  if (node === undefined) return null;
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  return ts.isTemplateExpression(node) ? node.getText(file).slice(1, -1) : null;
};

/**
 * Names of the tests that a file holds, as its source writes them; `%s` and `${…}` are not filled in. Tests that never
 * run (`skip`, `todo`) are none; those that run where the machine allows it (`skipIf`, `runIf`) are.
 */
export const testNames = (source: string): ReadonlyArray<string> => {
  const file = ts.createSourceFile("test.ts", source, ts.ScriptTarget.ES2022, true);
  const names: Array<string> = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const words = chain(node.expression) ?? [];
      const name = nameOf(node.arguments[0], file);
      const runs = !words.includes("skip") && !words.includes("todo");
      if (name !== null && runs && (words[0] === "it" || words[0] === "test")) names.push(name);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return names;
};
