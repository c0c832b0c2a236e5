import { fileURLToPath } from "node:url";
import type { Bench } from "./Bench.ts";
import { type Ended, runNode } from "./program.ts";

/**
 * Runs a part of the benchmarks as a process of its own, so that its memory is its own and its modules load cold. The
 * part prints one JSON document.
 */
export const runChild = async <A>(
  bench: Bench,
  name: string,
  input: unknown,
  flags: ReadonlyArray<string> = [],
): Promise<{ readonly ended: Ended; readonly result: A }> => {
  // This module is part of the script that the child has to run.
  const script = fileURLToPath(import.meta.url);
  const ended = await runNode(bench, [...flags, script, "--child", name, JSON.stringify(input)]);
  return { ended, result: JSON.parse(ended.stdout) as A };
};
