// The checks that look at the code itself: node scripts/runTs.mjs scripts/checks/main.ts
import { cycles, effectRuns, gitStarts, heavyStarts, layers } from "./boundaries.ts";
import { readSources, repositoryFiles, rootOf, textOf } from "./sources.ts";
import { machineTraces, moduleSizes } from "./text.ts";

const root = rootOf(process.argv[1] ?? "");
const files = repositoryFiles(root);
const sources = readSources(root, files);
const texts = files.map((path) => ({ path, text: textOf(root, path) }));
const problems = [
  ...[layers, cycles, effectRuns, gitStarts, heavyStarts].flatMap((check) => check(sources)),
  ...machineTraces(texts, root),
];
for (const problem of problems) process.stderr.write(`${problem}\n`);
const sizes = moduleSizes(sources);
process.stdout.write(`${sizes.modules} modules, median ${sizes.median} lines\n`);
for (const { path, lines } of sizes.large) process.stdout.write(`large: ${path} has ${lines} lines\n`);
process.exitCode = problems.length === 0 ? 0 : 1;
