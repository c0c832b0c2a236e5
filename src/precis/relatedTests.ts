import { posix } from "node:path";
import { importsOf } from "./imports.ts";

const testPath = /(^|\/)(__tests__|tests?|spec)\/|[._-](test|spec)\.[a-z]+$|(^|\/)test_[^/]+\.py$/i;

/** True for a path that is a test by the usual conventions. */
export const isTestPath = (path: string): boolean => testPath.test(path);

const stem = (path: string): string =>
  (path.split("/").at(-1) ?? "")
    .replace(/\.[a-z]+$/i, "")
    .replace(/([._-](test|spec))+$/i, "")
    .replace(/^test_/, "")
    .toLowerCase();

/** Says where a file is, not what it is about. */
const commonStems = new Set(["index", "main", "mod", "utils", "util", "types", "helpers", "common", "__init__"]);
const roofFolders = new Set(["src", "lib", "test", "tests", "__tests__", "spec", "specs", "unit"]);

/** The folder without the parts in which a tree of tests differs from the tree it tests. */
const place = (path: string): string =>
  path
    .split("/")
    .slice(0, -1)
    .filter((folder) => !roofFolders.has(folder.toLowerCase()))
    .join("/");

const maxElsewhere = 5;

/** Tests of one file by its name: those of the same folder or its mirror, else those anywhere, when the name says something. */
const testsOf = (byStem: ReadonlyMap<string, ReadonlyArray<string>>, path: string): ReadonlyArray<string> => {
  const name = stem(path);
  const same = byStem.get(name) ?? [];
  const near = same.filter((test) => place(test) === place(path));
  if (near.length > 0) return near;
  return name.length > 2 && !commonStems.has(name) && same.length <= maxElsewhere ? same : [];
};

/** Tests that bear the name of one of the files, in the order of the files, each once. */
export const testsByName = (tree: ReadonlyArray<string>, files: ReadonlyArray<string>): ReadonlyArray<string> => {
  const byStem = new Map<string, Array<string>>();
  for (const path of tree) {
    if (!isTestPath(path)) continue;
    const known = byStem.get(stem(path));
    if (known === undefined) byStem.set(stem(path), [path]);
    else known.push(path);
  }
  return [...new Set(files.filter((path) => !isTestPath(path)).flatMap((path) => testsOf(byStem, path)))];
};

const endings = ["", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", "/index.ts", "/index.tsx", "/index.js"];

/** The file that a relative specifier means, by the endings that people leave out or write for another one. */
const resolved = (files: ReadonlySet<string>, importer: string, from: string): string | undefined => {
  if (!/^\.{1,2}\//.test(from)) return undefined;
  const path = posix.join(posix.dirname(importer), from);
  return [path, path.replace(/\.[cm]?jsx?$/, "")]
    .flatMap((stem) => endings.map((ending) => stem + ending))
    .find((candidate) => files.has(candidate));
};

/**
 * Files of the tests' own that the given tests import: cases and helpers that several tests share
 * (`common.case.test.ts`), in the order of the tests, each once.
 */
export const sharedByTests = (
  tree: ReadonlyArray<string>,
  tests: ReadonlyArray<{ readonly path: string; readonly text: string }>,
): ReadonlyArray<string> => {
  const files = new Set(tree.filter(isTestPath));
  const found = tests.flatMap(({ path, text }) =>
    importsOf(text).flatMap(({ from }) => resolved(files, path, from) ?? []),
  );
  return [...new Set(found)];
};
