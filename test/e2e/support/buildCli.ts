import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build, type Plugin } from "esbuild";

/** The repository, from wherever this code was bundled to. */
const rootFrom = (folder: string): string =>
  existsSync(join(folder, "machines/prep.ts")) ? folder : rootFrom(dirname(folder));
const root = rootFrom(import.meta.dirname);

export interface BuiltCli {
  /** The program to give to node. */
  readonly program: string;
  readonly remove: () => void;
}

const packageFile = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
};

/** Native code, WASM and what loads them; everything else is bundled, as in dist. */
const external = Object.keys(packageFile.dependencies).filter((name) =>
  /^(@lancedb\/lancedb|apache-arrow|fs-native-extensions|@vscode\/tree-sitter-wasm|@repomix\/tree-sitter-wasms)$/.test(
    name,
  ),
);

/** Builds the whole CLI like dist, in a folder of its own below node_modules, with a change to its sources. */
export const buildCli = async (plugin: Plugin): Promise<BuiltCli> => {
  const folder = mkdtempSync(join(root, "node_modules", ".adk-cli-"));
  await build({
    absWorkingDir: root,
    entryPoints: ["cli/main.ts", "effects/index/chunkWorker.ts", "effects/git/gitStarter.ts"],
    outdir: folder,
    outbase: root,
    entryNames: "[name]",
    chunkNames: "chunks/[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    external,
    plugins: [plugin],
    define: { ADK_VERSION: JSON.stringify(packageFile.version) },
    banner: {
      js: 'import { createRequire as __adkRequire } from "node:module"; const require = __adkRequire(import.meta.url);',
    },
    logLevel: "warning",
  });
  // Below node_modules the type of the repository's package does not count.
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  cpSync(join(root, "effects/index/embedder"), join(folder, "embedder"), { recursive: true });
  return { program: join(folder, "main.js"), remove: () => rmSync(folder, { recursive: true, force: true }) };
};
