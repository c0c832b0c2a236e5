// The bundles behind bin/adk: a start that answers help and usage, and light verbs as CommonJS, which V8 can cache.
import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

/** The table of verbs without the verbs: a light one is in its bundle's own table, the others run from main.js. */
const bareTable = {
  name: "bare table",
  setup: ({ onResolve }) =>
    onResolve({ filter: /\/commands\/\w+\.ts$/ }, ({ path, importer }) =>
      /[\\/]cli[\\/]verbs[\\/]\w+\.ts$/.test(importer) ? { path, external: true } : undefined,
    ),
};

/** Builds start.cjs, read.cjs and write.cjs, and meta.start.json, which says what is in each. */
export const buildStart = async ({ root, outdir, external, version }) => {
  const common = {
    absWorkingDir: root,
    outdir,
    bundle: true,
    format: "cjs",
    outExtension: { ".js": ".cjs" },
    platform: "node",
    target: "node20",
    // Names stay without a call for each function that gives them back; only the size of the text suffers.
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: "none",
    charset: "ascii",
    metafile: true,
    plugins: [bareTable],
    external: [...external, "./main.js"],
    // Light verbs ask for it only to make a `require`, which takes a path as well; a URL would load node:url.
    define: { ADK_VERSION: JSON.stringify(version), "import.meta.url": "__filename" },
    logLevel: "warning",
  };
  const start = await build({ ...common, entryPoints: { start: "cli/startup/start.ts" } });
  const verbs = await build({
    ...common,
    entryPoints: { read: "cli/startup/readVerbs.ts", write: "cli/startup/writeVerbs.ts" },
    banner: { js: "(function(exports,require,module,__filename){" },
    footer: { js: "})" },
  });
  const outputs = { ...start.metafile.outputs, ...verbs.metafile.outputs };
  writeFileSync(join(outdir, "meta.start.json"), JSON.stringify({ inputs: {}, outputs }));
};

/**
 * Leaves a code cache beside each bundle, made by the Node that runs this. Without one adk does the same, later: a
 * failure is said and is none of the build.
 */
export const warmCodeCache = async ({ root, outdir }) => {
  const script = join(outdir, "warm.mjs");
  await build({
    absWorkingDir: root,
    entryPoints: ["scripts/startup/warm.ts"],
    outfile: script,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    plugins: [bareTable],
    logLevel: "warning",
  });
  // Other flags than those of a plain call would make a cache that no plain call takes.
  const { NODE_OPTIONS: _, ...env } = process.env;
  const { status, stderr } = spawnSync(process.execPath, [script, outdir], { encoding: "utf8", env });
  rmSync(script);
  if (status !== 0) process.stderr.write(`warning: no code cache, adk will start slower: ${stderr.trim()}\n`);
};
