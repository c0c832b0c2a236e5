import { globalFlags } from "./globalFlags.ts";
import type { VerbSpec } from "./verb.ts";
import { verbs } from "./verbs.ts";

/** Verbs at or below a level: all for `[]`, those of a group for `["pr-queue"]`. */
export const verbsUnder = (path: ReadonlyArray<string>): ReadonlyArray<VerbSpec> =>
  verbs.filter((verb) => path.every((word, index) => verb.path[index] === word));

/** The verb that is exactly these words. */
export const verbAt = (path: ReadonlyArray<string>): VerbSpec | undefined =>
  verbsUnder(path).find((verb) => verb.path.length === path.length);

/** Words that may follow at a level. */
export const wordsAt = (path: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set(verbsUnder(path).flatMap((verb) => verb.path[path.length] ?? [])),
];

/** Whether the word behind this flag is its value, judged by every verb that can still be meant. */
const takesNextWord = (word: string, candidates: ReadonlyArray<VerbSpec>): boolean => {
  if (word.includes("=")) return false;
  const long = word.startsWith("--");
  const name = long ? word.slice(2) : (word.at(-1) ?? "");
  const specs = [...globalFlags, ...candidates.flatMap((verb) => verb.flags)].filter((spec) =>
    long ? spec.name === name : spec.short === name,
  );
  return specs.length > 0 && specs.every((spec) => spec.type !== "boolean");
};

export interface Level {
  readonly path: ReadonlyArray<string>;
  /** The command line without the words of the verb. */
  readonly rest: ReadonlyArray<string>;
  /** The first word that is no verb of this level. */
  readonly unknown?: string;
}

/** Takes the words of the verb out of a command line; flags and their values may stand before and between them. */
export const findLevel = (argv: ReadonlyArray<string>): Level => {
  const path: string[] = [];
  const rest: string[] = [];
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] ?? "";
    const level = { path, rest: [...rest, ...argv.slice(index)] };
    if (verbAt(path) !== undefined || word === "--") return level;
    if (word.startsWith("-") && word !== "-") {
      const taken = takesNextWord(word, verbsUnder(path)) ? 2 : 1;
      rest.push(...argv.slice(index, index + taken));
      index += taken - 1;
    } else if (verbsUnder([...path, word]).length > 0) path.push(word);
    else return { ...level, unknown: word };
  }
  return { path, rest };
};
