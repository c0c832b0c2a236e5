// Everything that can be said of the code without running it; each step prints why it failed. `check.mjs NAME` runs one.
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const steps = [
  ["types", "npx", ["tsc", "-p", "."]],
  ["lint", "npx", ["biome", "check", "--error-on-warnings", "."]],
  ["boundaries", process.execPath, ["scripts/runTs.mjs", "scripts/checks/main.ts"]],
  ["generated", process.execPath, ["scripts/runTs.mjs", "scripts/gen.ts", "--check"]],
  ["unused", "npx", ["knip"]],
];
const [only] = process.argv.slice(2);
const chosen = steps.filter(([name]) => only === undefined || name === only);
if (chosen.length === 0) {
  process.stderr.write(`usage: check.mjs [${steps.map(([name]) => name).join("|")}]\n`);
  process.exit(2);
}
const failed = [];
for (const [name, command, args] of chosen) {
  const { status } = spawnSync(command, args, { stdio: "inherit", cwd: root });
  process.stdout.write(`check: ${name}: ${status === 0 ? "ok" : "failed"}\n`);
  if (status !== 0) failed.push(name);
}
process.exit(failed.length === 0 ? 0 : 1);
