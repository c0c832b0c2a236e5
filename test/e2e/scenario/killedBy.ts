import { chapters } from "./chapters.ts";
import { type MachineTransition, mutantName } from "./mutants.ts";

/**
 * Runs the scenario over a build whose machines lack one transition, the chapters about that machine first, and gives
 * the first chapter that notices; null when none does. `program` must be a build with the `mutable` plugin.
 */
export const killedBy = async (
  mutant: MachineTransition,
  program: string,
): Promise<{ readonly chapter: string; readonly why: string } | null> => {
  const before = process.env.ADK_TEST_MUTANT;
  process.env.ADK_TEST_MUTANT = mutantName(mutant);
  const mine = chapters.filter((chapter) => chapter.machine === mutant.machine);
  const others = chapters.filter((chapter) => chapter.machine !== mutant.machine);
  try {
    for (const chapter of [...mine, ...others]) {
      const why = await chapter.run(program).then(
        () => null,
        (error: unknown) => (error instanceof Error ? error.message : String(error)).split("\n")[0] ?? "",
      );
      if (why !== null) return { chapter: chapter.name, why: why.slice(0, 160) };
    }
    return null;
  } finally {
    if (before === undefined) delete process.env.ADK_TEST_MUTANT;
    else process.env.ADK_TEST_MUTANT = before;
  }
};
