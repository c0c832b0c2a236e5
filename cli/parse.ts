import { parseArgs } from "node:util";
import { nearest } from "../src/cli/nearest.ts";
import { globalFlags } from "./globalFlags.ts";
import { checkArguments } from "./parseArguments.ts";
import { makeFlags } from "./parseFlags.ts";
import type { FlagSpec, VerbInput, VerbSpec } from "./verb.ts";
import { verbs } from "./verbs.ts";

/** What a command line asks for. `usage` carries the level whose usage is shown under the error. */
export type Invocation =
  | { readonly kind: "version"; readonly json: boolean }
  | { readonly kind: "help"; readonly path: ReadonlyArray<string>; readonly json: boolean }
  | {
      readonly kind: "usage";
      readonly path: ReadonlyArray<string>;
      readonly message: string;
      readonly hint: string;
      readonly json: boolean;
    }
  | { readonly kind: "run"; readonly spec: VerbSpec; readonly input: VerbInput };

/** Verbs at or below a level. */
export const verbsUnder = (path: ReadonlyArray<string>): ReadonlyArray<VerbSpec> =>
  verbs.filter((verb) => path.every((word, index) => verb.path[index] === word));

const exactVerb = (path: ReadonlyArray<string>): VerbSpec | undefined =>
  verbs.find((verb) => verb.path.length === path.length && path.every((word, index) => verb.path[index] === word));

interface FlagWord {
  readonly name: string;
  readonly short: boolean;
  readonly inline: boolean;
}

const flagWord = (word: string): FlagWord | undefined => {
  if (!word.startsWith("-") || word === "-") return undefined;
  if (!word.startsWith("--")) return { name: word.at(-1) ?? "", short: true, inline: false };
  const equals = word.indexOf("=");
  return { name: equals === -1 ? word.slice(2) : word.slice(2, equals), short: false, inline: equals !== -1 };
};

/** Whether the word after this flag is its value, judged by every verb that could still be meant. */
const takesNextWord = (flag: FlagWord, candidates: ReadonlyArray<VerbSpec>): boolean => {
  if (flag.inline) return false;
  const specs = [...globalFlags, ...candidates.flatMap((verb) => verb.flags)].filter((spec) =>
    flag.short ? spec.short === flag.name : spec.name === flag.name,
  );
  return specs.length > 0 && specs.every((spec) => spec.type !== "boolean");
};

interface Level {
  readonly path: ReadonlyArray<string>;
  readonly rest: ReadonlyArray<string>;
  /** The first word that is no verb of this level. */
  readonly unknown?: string;
}

/** Takes the words of the verb out of a command line; flags may stand between them. */
const findLevel = (argv: ReadonlyArray<string>): Level => {
  const path: string[] = [];
  const rest: string[] = [];
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] ?? "";
    const level = { path, rest: [...rest, ...argv.slice(index)] };
    if (exactVerb(path) !== undefined || word === "--") return level;
    const flag = flagWord(word);
    if (flag !== undefined) {
      rest.push(word);
      if (takesNextWord(flag, verbsUnder(path)) && index + 1 < argv.length) {
        index += 1;
        rest.push(argv[index] ?? "");
      }
    } else if (verbsUnder([...path, word]).length > 0) path.push(word);
    else return { ...level, unknown: word };
  }
  return { path, rest };
};

const command = (path: ReadonlyArray<string>): string => ["adk", ...path].join(" ");

const wordsAt = (path: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set(verbsUnder(path).flatMap((verb) => verb.path[path.length] ?? [])),
];

const didYouMean = (found: string | undefined, path: ReadonlyArray<string>): string =>
  found === undefined ? `see ${command(path)} --help` : `did you mean ${found}?`;

const beforeDashes = (argv: ReadonlyArray<string>): ReadonlyArray<string> => {
  const end = argv.indexOf("--");
  return end === -1 ? argv : argv.slice(0, end);
};

const problemOf = (
  token: {
    readonly name: string;
    readonly rawName: string;
    readonly value?: string | undefined;
    readonly inlineValue?: boolean | undefined;
  },
  specs: ReadonlyArray<FlagSpec>,
): { readonly message: string; readonly hint?: string } | undefined => {
  const spec = specs.find((candidate) => candidate.name === token.name);
  if (spec === undefined) {
    const found = nearest(token.name, [...specs.map((candidate) => candidate.name), "version"]);
    return {
      message: `unknown flag ${token.rawName}`,
      ...(found === undefined ? {} : { hint: `did you mean --${found}?` }),
    };
  }
  if (spec.type === "boolean") {
    return token.value === undefined
      ? undefined
      : { message: `--${spec.name} takes no value`, hint: `write --${spec.name} alone` };
  }
  const asked = spec.value ?? "VALUE";
  if (token.value === undefined || (token.inlineValue !== true && /^-./.test(token.value))) {
    return { message: `--${spec.name} needs a value`, hint: `write --${spec.name}=${asked}` };
  }
  if (spec.type === "integer" && !/^-?\d{1,15}$/.test(token.value)) {
    return {
      message: `--${spec.name} must be a whole number, not "${token.value}"`,
      hint: `write --${spec.name}=${asked}`,
    };
  }
  if (spec.type === "number" && !/^-?\d{1,15}(\.\d{1,15})?$/.test(token.value)) {
    return { message: `--${spec.name} must be a number, not "${token.value}"`, hint: `write --${spec.name}=${asked}` };
  }
  if (spec.choices !== undefined && !spec.choices.includes(token.value)) {
    return { message: `--${spec.name} cannot be "${token.value}"`, hint: `one of: ${spec.choices.join(", ")}` };
  }
  return undefined;
};

/** Reads a command line. Pure but for nothing: `env` is only handed on. */
export const parse = (argv: ReadonlyArray<string>, env: NodeJS.ProcessEnv): Invocation => {
  const flagWords = beforeDashes(argv);
  const json = flagWords.includes("--json");
  const level = findLevel(argv);
  const usage = (message: string, hint: string): Invocation => ({
    kind: "usage",
    path: level.path,
    message,
    hint,
    json,
  });
  const spec = exactVerb(level.path);
  const specs = [...globalFlags, ...(spec?.flags ?? [])];
  const { tokens } = parseArgs({
    args: [...level.rest],
    options: Object.fromEntries(
      specs.map((flag) => [
        flag.name,
        {
          type: flag.type === "boolean" ? ("boolean" as const) : ("string" as const),
          multiple: true,
          ...(flag.short === undefined ? {} : { short: flag.short }),
        },
      ]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const options = tokens.flatMap((token) => (token.kind === "option" ? [token] : []));
  if (level.unknown === undefined || spec !== undefined) {
    if (options.some((token) => token.name === "help")) return { kind: "help", path: level.path, json };
  } else if (flagWords.some((word) => word === "--help" || word === "-h") && level.path.length > 0) {
    return { kind: "help", path: level.path, json };
  }
  if (level.path.length === 0 && level.unknown === undefined && options.some((token) => token.name === "version")) {
    return { kind: "version", json };
  }
  if (level.unknown !== undefined && spec === undefined) {
    const found = nearest(level.unknown, wordsAt(level.path));
    const meant = found === undefined ? undefined : command([...level.path, found]);
    return usage(`unknown verb "${level.unknown}"`, didYouMean(meant, level.path));
  }
  for (const token of options) {
    const problem = problemOf(token, specs);
    if (problem !== undefined) return usage(problem.message, problem.hint ?? `see ${command(level.path)} --help`);
  }
  if (spec === undefined) {
    return usage(
      level.path.length === 0 ? "no verb given" : `${command(level.path)} needs a verb`,
      `see ${command(level.path)} --help`,
    );
  }
  const args = tokens.flatMap((token) => (token.kind === "positional" ? [token.value] : []));
  const problem = checkArguments(spec, args);
  if (problem !== undefined) return usage(problem.message, problem.hint);
  const repeated = spec.flags.find(
    (flag) =>
      flag.type !== "boolean" &&
      flag.multiple !== true &&
      new Set(options.flatMap((token) => (token.name === flag.name ? [token.value] : []))).size > 1,
  );
  if (repeated !== undefined) return usage(`--${repeated.name} is given twice`, "give it once");
  const flags = makeFlags(options);
  return {
    kind: "run",
    spec,
    input: { args, flags, json, yes: flags.bool("yes"), verbose: flags.bool("verbose"), argv, env },
  };
};
