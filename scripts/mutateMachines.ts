// Takes every transition out of the preparation, base and sync machines, one at a time, and runs the whole-CLI scenario
// over the built program: a mutant that no chapter notices survives.
// node scripts/runTs.mjs scripts/mutateMachines.ts [--machine prep|base|sync] [--only NAME]

import { killedBy, learn } from "../test/e2e/scenario/killedBy.ts";
import { mutable, mutantName, transitionsOf } from "../test/e2e/scenario/mutants.ts";
import { buildCli } from "../test/e2e/support/buildCli.ts";

const flagValue = (flag: string): string | undefined => {
  const at = process.argv.indexOf(flag);
  return at < 0 ? undefined : process.argv[at + 1];
};
const machine = flagValue("--machine");
const only = flagValue("--only");
const mutants = transitionsOf().filter(
  (one) => (machine === undefined || one.machine === machine) && (only === undefined || mutantName(one) === only),
);
const cli = await buildCli(mutable);
const survivors: Array<string> = [];
try {
  const taken = await learn(cli.program);
  for (const mutant of mutants) {
    const name = mutantName(mutant);
    const killer = await killedBy(mutant, cli.program, taken);
    if (killer === null) survivors.push(name);
    process.stdout.write(`${name}\t${killer === null ? "SURVIVES" : `killed by "${killer.chapter}": ${killer.why}`}\n`);
  }
} finally {
  cli.remove();
}
process.stdout.write(`${mutants.length} mutants, ${survivors.length} survive\n`);
process.exitCode = survivors.length > 0 ? 1 : 0;
