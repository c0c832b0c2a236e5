import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { isMinified, skipRule } from "../src/index/skip.ts";

/** Sources of one installed package, by path in the repository that is made of them. */
export interface PackageSources {
  readonly name: string;
  readonly files: ReadonlyMap<string, Buffer>;
}

const wanted = /\.(?:ts|tsx|mts|cts|js|mjs|cjs|jsx|md|css)$/;
/** Long files would make far more than the 20,000 chunks that the figures are about. */
const maxBytes = 20_000;
const rule = skipRule({ maxFileKb: 1024, exclude: [] });

/** `dist` and the like would be skipped as generated: here they stand for somebody's sources. */
const indexedPath = (path: string): string =>
  path
    .split("/")
    .map((part) => (/^(?:dist|build|coverage|out)$/.test(part) ? "lib" : part))
    .join("/");

const filesUnder = (folder: string, prefix = ""): ReadonlyArray<string> =>
  readdirSync(join(folder, prefix), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry): ReadonlyArray<string> => {
      const path = prefix === "" ? entry.name : `${prefix}/${entry.name}`;
      if (entry.isDirectory()) return entry.name === "node_modules" ? [] : filesUnder(folder, path);
      return entry.isFile() && wanted.test(entry.name) ? [path] : [];
    });

const packageNames = (modules: string): ReadonlyArray<string> =>
  readdirSync(modules)
    .sort()
    .flatMap((name) =>
      name.startsWith("@") ? readdirSync(join(modules, name)).map((one) => `${name}/${one}`) : [name],
    )
    .filter((name) => !name.startsWith(".") && statSync(join(modules, name)).isDirectory());

/**
 * Readable source files of the installed packages, largest package first, each content once, until there are `limit`
 * files. The lock file decides what is installed, so every machine measures the same sources.
 */
export const packageSources = (modules: string, limit: number): ReadonlyArray<PackageSources> => {
  const seen = new Set<string>();
  const packages = packageNames(modules)
    .map((name) => ({ name, paths: filesUnder(join(modules, name)) }))
    .sort((a, b) => b.paths.length - a.paths.length || (a.name < b.name ? -1 : 1));
  let left = limit;
  const result: PackageSources[] = [];
  for (const { name, paths } of packages) {
    const files = new Map<string, Buffer>();
    for (const path of paths) {
      if (left === 0) break;
      const content = readFileSync(join(modules, name, path));
      const text = content.toString("latin1");
      const to = `packages/${name.replace("@", "")}/${indexedPath(path)}`;
      const small = content.length > 200 && content.length <= maxBytes;
      if (!small || files.has(to) || seen.has(text) || isMinified(to, text)) continue;
      if (rule({ path: to, mode: "100644", oid: "", size: content.length }) !== null) continue;
      seen.add(text);
      files.set(to, content);
      left -= 1;
    }
    if (files.size > 0) result.push({ name, files });
  }
  return result;
};
