import type { Problem } from "./parseFlags.ts";
import type { ArgSpec, VerbSpec } from "./verb.ts";

/** Which words belong to which argument: from the front up to the repeated one, then from the end. */
const assign = (
  specs: ReadonlyArray<ArgSpec>,
  words: ReadonlyArray<string>,
): ReadonlyArray<readonly [ArgSpec, ReadonlyArray<string>]> => {
  const repeated = specs.findIndex((spec) => spec.multiple);
  if (repeated === -1) return specs.map((spec, index) => [spec, words.slice(index, index + 1)]);
  const behind = specs.length - repeated - 1;
  const end = Math.max(repeated, words.length - behind);
  return specs.map((spec, index) => {
    if (index < repeated) return [spec, words.slice(index, index + 1)];
    if (index === repeated) return [spec, words.slice(repeated, end)];
    return [spec, words.slice(end + index - repeated - 1, end + index - repeated)];
  });
};

/** The first thing wrong with the positional arguments of a verb, if any: one missing, too many, or not a choice. */
export const argumentsProblem = (verb: VerbSpec, words: ReadonlyArray<string>): Problem | undefined => {
  const help = `see adk ${verb.path.join(" ")} --help`;
  for (const [spec, taken] of assign(verb.args, words)) {
    if (spec.required && taken.length === 0) {
      return {
        message: `${spec.name} is missing`,
        hint: verb.examples[0] === undefined ? help : `like: ${verb.examples[0]}`,
      };
    }
    const wrong = spec.choices === undefined ? undefined : taken.find((word) => spec.choices?.includes(word) === false);
    if (wrong !== undefined) {
      return { message: `${spec.name} cannot be "${wrong}"`, hint: `one of: ${spec.choices?.join(", ") ?? ""}` };
    }
  }
  if (!verb.args.some((spec) => spec.multiple) && words.length > verb.args.length) {
    return { message: `unexpected argument "${words[verb.args.length] ?? ""}"`, hint: help };
  }
  return undefined;
};
