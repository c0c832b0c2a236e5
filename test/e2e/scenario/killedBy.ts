import { type Chapter, chapters } from "./chapters.ts";
import { type MachineTransition, mutantName } from "./mutants.ts";

/** The transitions that each chapter takes, by its name; each as `machine state event target`. */
type Taken = ReadonlyMap<string, ReadonlySet<string>>;

/** Runs every chapter once over a whole build, to learn what each takes. Throws when one fails. */
export const learn = async (program: string): Promise<Taken> => {
  const taken = new Map<string, ReadonlySet<string>>();
  for (const chapter of chapters) {
    const events = await chapter.run(program);
    taken.set(chapter.name, new Set(events.map((one) => `${one.machine} ${one.from} ${one.event} ${one.to}`)));
  }
  return taken;
};

const withMutant = async <A>(name: string, body: () => Promise<A>): Promise<A> => {
  process.env.ADK_TEST_MUTANT = name;
  try {
    return await body();
  } finally {
    delete process.env.ADK_TEST_MUTANT;
  }
};

/** Why the chapter fails, in one line; null when it passes. */
const failureOf = (chapter: Chapter, program: string): Promise<string | null> =>
  chapter.run(program).then(
    () => null,
    (error: unknown) => (error instanceof Error ? error.message : String(error)).split("\n")[0]?.slice(0, 160) ?? "",
  );

/**
 * Runs the scenario over a build whose machines lack one transition and gives the first chapter that notices; null when
 * none does. Chapters that take the transition go first, where that is known, then those about its machine. `program`
 * must be a build with the `mutable` plugin.
 */
export const killedBy = async (
  mutant: MachineTransition,
  program: string,
  taken: Taken = new Map(),
): Promise<{ readonly chapter: string; readonly why: string } | null> => {
  const step = `${mutant.machine} ${mutant.state} ${mutant.event} ${mutant.target}`;
  const rank = (chapter: Chapter): number =>
    taken.get(chapter.name)?.has(step) === true ? 0 : chapter.machine === mutant.machine ? 1 : 2;
  return withMutant(mutantName(mutant), async () => {
    for (const chapter of [...chapters].sort((a, b) => rank(a) - rank(b))) {
      const why = await failureOf(chapter, program);
      if (why !== null) return { chapter: chapter.name, why };
    }
    return null;
  });
};
