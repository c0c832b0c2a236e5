// Runs a TypeScript script of this repository: node scripts/runTs.mjs FILE [args…]
import { mkdtempSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const [, , file, ...rest] = process.argv;
if (!file) {
  process.stderr.write("usage: node scripts/runTs.mjs FILE [args…]\n");
  process.exit(2);
}
// Inside the repository, so that the bundle finds node_modules.
const folder = mkdtempSync(join(root, "node_modules", ".adk-script-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const out = join(folder, "script.mjs");
await build({
  entryPoints: [resolve(file)],
  outfile: out,
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20",
  packages: "external",
  define: { ADK_VERSION: JSON.stringify("script") },
  logLevel: "warning",
});
process.argv = [process.argv[0], resolve(file), ...rest];
await import(pathToFileURL(out).href);
