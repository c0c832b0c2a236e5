// Bundles adk for Node: one chunk per verb, so that a light verb loads nothing it does not use.
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { buildStart, warmCodeCache } from "./startup/bundles.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const dist = join(root, "dist");
// Built beside and swapped in, so that adk can be run while it is built.
const outdir = join(root, `dist.new-${process.pid}`);
const { version, dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

// Native code, WASM and what loads them stay in node_modules; the rest is bundled.
const external = Object.keys(dependencies).filter((name) =>
  /^(@lancedb\/lancedb|apache-arrow|fs-native-extensions|@vscode\/tree-sitter-wasm|@repomix\/tree-sitter-wasms)$/.test(
    name,
  ),
);

const workers = ["effects/index/chunkWorker.ts", "effects/git/gitStarter.ts"];

rmSync(outdir, { recursive: true, force: true });
mkdirSync(outdir, { recursive: true });
const result = await build({
  absWorkingDir: root,
  entryPoints: ["cli/main.ts", ...workers],
  outdir,
  outbase: root,
  entryNames: "[name]",
  chunkNames: "chunks/[name]-[hash]",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20",
  minify: true,
  keepNames: true,
  sourcemap: false,
  metafile: true,
  external,
  define: { ADK_VERSION: JSON.stringify(version) },
  banner: {
    js: 'import { createRequire as __adkRequire } from "node:module"; const require = __adkRequire(import.meta.url);',
  },
  logLevel: "warning",
});
await buildStart({ root, outdir, external, version });
await warmCodeCache({ root, outdir });
writeFileSync(join(outdir, "meta.json"), JSON.stringify(result.metafile));
if (existsSync(join(root, "effects/index/embedder"))) {
  cpSync(join(root, "effects/index/embedder"), join(outdir, "embedder"), { recursive: true });
}
chmodSync(join(root, "bin/adk"), 0o755);
const old = join(root, `dist.old-${process.pid}`);
if (existsSync(dist)) renameSync(dist, old);
renameSync(outdir, dist);
rmSync(old, { recursive: true, force: true });
