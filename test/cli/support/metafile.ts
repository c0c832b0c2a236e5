import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Metafile } from "esbuild";
import { root } from "./program.ts";

/** What esbuild says of dist: which file holds which module, and which file loads which. */
export const readMetafile = (): Metafile => JSON.parse(readFileSync(join(root, "dist/meta.json"), "utf8")) as Metafile;

export interface Loaded {
  readonly bytes: number;
  /** Modules of the repository and of bundled packages, by path; external packages by name. */
  readonly modules: ReadonlyArray<string>;
}

/** Everything that is loaded when these entry modules are imported, `import()` in them left alone. */
export const loadedBy = (metafile: Metafile, entries: ReadonlyArray<string>): Loaded => {
  const outputs = Object.entries(metafile.outputs);
  const queue = entries.map((entry) => {
    const found = outputs.find(([, output]) => output.entryPoint === entry);
    if (found === undefined) throw new Error(`dist holds no ${entry}: run npm run build`);
    return found[0];
  });
  const seen = new Set<string>();
  const modules = new Set<string>();
  let bytes = 0;
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    const output = metafile.outputs[path];
    if (output === undefined || seen.has(path)) continue;
    seen.add(path);
    bytes += output.bytes;
    for (const input of Object.keys(output.inputs)) modules.add(input);
    for (const one of output.imports) {
      if (one.external === true) modules.add(one.path);
      else if (one.kind !== "dynamic-import") queue.push(one.path);
    }
  }
  return { bytes, modules: [...modules] };
};

/** npm packages among loaded modules. */
export const packagesOf = (loaded: Loaded): ReadonlyArray<string> => [
  ...new Set(
    loaded.modules.flatMap((path) => {
      const inside = path.split("node_modules/").at(-1) ?? path;
      if (!path.includes("node_modules/") && (path.includes(".ts") || path.startsWith("node:"))) return [];
      return inside.match(/^(?:@[^/]+\/)?[^/]+/)?.[0] ?? [];
    }),
  ),
];
