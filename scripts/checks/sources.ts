import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import ts from "typescript";

/** One import of a module: by whom, of what, whether at run time, whether only when called. */
export interface Import {
  readonly of: string;
  readonly typeOnly: boolean;
  readonly dynamic: boolean;
  readonly line: number;
}

/** A source file with what it imports; `path` is relative to the repository, with slashes. */
export interface Source {
  readonly path: string;
  readonly text: string;
  readonly tree: ts.SourceFile;
  readonly imports: ReadonlyArray<Import>;
}

const isTypeOnly = (statement: ts.ImportDeclaration | ts.ExportDeclaration): boolean => {
  if (ts.isExportDeclaration(statement)) return statement.isTypeOnly;
  const clause = statement.importClause;
  if (clause === undefined) return false;
  if (clause.isTypeOnly) return true;
  const names = clause.namedBindings;
  return (
    clause.name === undefined &&
    names !== undefined &&
    ts.isNamedImports(names) &&
    names.elements.length > 0 &&
    names.elements.every((element) => element.isTypeOnly)
  );
};

/** Reads one file. Relative imports come out as paths of the repository, packages as they are written. */
export const readSource = (path: string, text: string): Source => {
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true);
  const imports: Import[] = [];
  const add = (
    specifier: ts.Node | undefined,
    node: ts.Node,
    kind: { readonly typeOnly: boolean; readonly dynamic: boolean },
  ) => {
    if (specifier === undefined || !ts.isStringLiteralLike(specifier)) return;
    const of = specifier.text.startsWith(".") ? posix.join(posix.dirname(path), specifier.text) : specifier.text;
    imports.push({ of, line: tree.getLineAndCharacterOfPosition(node.getStart()).line + 1, ...kind });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) {
      add(node.moduleSpecifier, node, { typeOnly: isTypeOnly(node), dynamic: false });
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      add(node.arguments[0], node, { typeOnly: false, dynamic: true });
    } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      add(node.argument.literal, node, { typeOnly: true, dynamic: false });
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return { path, text, tree, imports };
};

/** Files of the repository: tracked ones and new ones that are not ignored. */
export const repositoryFiles = (root: string): ReadonlyArray<string> => {
  const { stdout, status } = spawnSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error("not a git repository: the files to check are unknown");
  return stdout.split("\0").filter((path) => path !== "");
};

/** Every TypeScript source of a repository, read. A file that git knows and that is gone is left out. */
export const readSources = (root: string, files: ReadonlyArray<string>): ReadonlyArray<Source> =>
  files
    .filter((path) => path.endsWith(".ts") || path.endsWith(".tsx"))
    .flatMap((path) => {
      const text = ts.sys.readFile(join(root, path));
      return text === undefined ? [] : [readSource(path, text)];
    });

/** The repository this script belongs to. */
export const rootOf = (script: string): string => {
  for (let folder = dirname(script); folder !== dirname(folder); folder = dirname(folder)) {
    if (ts.sys.fileExists(join(folder, "package.json"))) return folder;
  }
  throw new Error(`no package.json above ${script}`);
};

/** Text of a file, or an empty text for one that is gone or holds NULs. */
export const textOf = (root: string, path: string): string => {
  if (!ts.sys.fileExists(join(root, path))) return "";
  const bytes = readFileSync(join(root, path));
  return bytes.includes(0) ? "" : bytes.toString("utf8");
};
