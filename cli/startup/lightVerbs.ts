/**
 * Verbs that people, skills and cron lines call in a row, by the bundle that holds them: `read` has no machine in it,
 * `write` changes rows through the engine. Every other verb runs from the modules of cli/main.ts.
 */
export const lightVerbs = {
  read: ["pr-queue list", "pr-queue show", "config path", "config show", "config set", "completion"],
  write: ["pr-queue claim", "pr-queue heartbeat", "pr-queue release", "pr-queue set-status"],
} as const;

export type BundleName = keyof typeof lightVerbs;

/** The bundle that holds a verb, by the verb's words; undefined for all that have none. */
export const bundleOf = (verb: string): BundleName | undefined =>
  (Object.keys(lightVerbs) as ReadonlyArray<BundleName>).find((name) =>
    (lightVerbs[name] as ReadonlyArray<string>).includes(verb),
  );
