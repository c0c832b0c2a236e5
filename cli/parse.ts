import { nearest } from "../src/cli/nearest.ts";
import { globalFlags } from "./globalFlags.ts";
import { argumentsProblem } from "./parseArguments.ts";
import { flagsProblem, makeFlags, type Problem, splitWords } from "./parseFlags.ts";
import { findLevel, type Level, verbAt, wordsAt } from "./parseLevel.ts";
import type { FlagSpec, VerbInput, VerbSpec } from "./verb.ts";

/** What a command line asks for. `path` is the level whose help or usage is shown. */
export type Invocation =
  | { readonly kind: "version"; readonly json: boolean }
  | { readonly kind: "help"; readonly path: ReadonlyArray<string>; readonly json: boolean }
  | {
      readonly kind: "usage";
      readonly path: ReadonlyArray<string>;
      readonly json: boolean;
      readonly message: string;
      readonly hint: string;
    }
  | { readonly kind: "run"; readonly spec: VerbSpec; readonly input: VerbInput };

const versionFlag: FlagSpec = { name: "version", type: "boolean", describe: "print the version" };

const command = (path: ReadonlyArray<string>): string => ["adk", ...path].join(" ");

const unknownVerb = (word: string, path: ReadonlyArray<string>): Problem => {
  const found = nearest(word, wordsAt(path));
  return {
    message: `unknown verb "${word}"`,
    ...(found === undefined ? {} : { hint: `did you mean ${command([...path, found])}?` }),
  };
};

/** `--json` as far as it can be told of a command line that may be wrong elsewhere. */
const wantsJson = (argv: ReadonlyArray<string>): boolean => {
  const end = argv.indexOf("--");
  return (end === -1 ? argv : argv.slice(0, end)).includes("--json");
};

const missingVerb = (level: Level): Problem => ({
  message: level.path.length === 0 ? "no verb given" : `${command(level.path)} needs a verb`,
});

/** Reads a command line against the table of verbs (spec 3, "Rules for every verb"). `env` is handed on as it is. */
export const parse = (argv: ReadonlyArray<string>, env: NodeJS.ProcessEnv): Invocation => {
  const json = wantsJson(argv);
  const level = findLevel(argv);
  const { path } = level;
  const usage = (problem: Problem): Invocation => ({
    kind: "usage",
    path,
    json,
    message: problem.message,
    hint: problem.hint ?? `see ${command(path)} --help`,
  });
  if (level.unknown !== undefined) return usage(unknownVerb(level.unknown, path));
  const spec = verbAt(path);
  const specs = [...globalFlags, versionFlag, ...(spec?.flags ?? [])];
  const { given, args } = splitWords(level.rest, specs);
  if (given.some((flag) => flag.name === "help")) return { kind: "help", path, json };
  if (given.some((flag) => flag.name === "version")) return { kind: "version", json };
  const problem =
    flagsProblem(given, specs) ?? (spec === undefined ? missingVerb(level) : argumentsProblem(spec, args));
  if (problem !== undefined || spec === undefined) return usage(problem ?? missingVerb(level));
  const flags = makeFlags(given);
  const input = { args, flags, json, yes: flags.bool("yes"), verbose: flags.bool("verbose"), argv, env };
  return { kind: "run", spec, input };
};
