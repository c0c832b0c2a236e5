// Everything that can be said of the code without running it; each step prints why it failed.
import { spawnSync } from "node:child_process";

const steps = [
  ["types", "npx", ["tsc", "-p", "."]],
  ["lint and format", "npx", ["biome", "check", "--error-on-warnings", "."]],
];
let failed = 0;
for (const [name, command, args] of steps) {
  const { status } = spawnSync(command, args, { stdio: "inherit" });
  process.stdout.write(`check: ${name}: ${status === 0 ? "ok" : "failed"}\n`);
  if (status !== 0) failed += 1;
}
process.exit(failed === 0 ? 0 : 1);
