import { parseArgs } from "node:util";
import { nearest } from "../src/cli/nearest.ts";
import type { FlagSpec, Flags } from "./verb.ts";

/** A flag as it stands in a command line. */
export interface GivenFlag {
  readonly name: string;
  /** As typed: `-k`, `--limit`. */
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

export interface Problem {
  readonly message: string;
  readonly hint?: string;
}

/** Splits words into flags and arguments. Nothing is refused here; `flagProblem` does that, in words of our own. */
export const splitWords = (
  words: ReadonlyArray<string>,
  specs: ReadonlyArray<FlagSpec>,
): { readonly given: ReadonlyArray<GivenFlag>; readonly args: ReadonlyArray<string> } => {
  const options = specs.map(({ name, type, short }) => [
    name,
    {
      type: type === "boolean" ? ("boolean" as const) : ("string" as const),
      ...(short === undefined ? {} : { short }),
    },
  ]);
  const { tokens } = parseArgs({
    args: [...words],
    options: Object.fromEntries(options),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  return {
    given: tokens.flatMap((token) => (token.kind === "option" ? [token] : [])),
    args: tokens.flatMap((token) => (token.kind === "positional" ? [token.value] : [])),
  };
};

const number = { integer: /^-?\d{1,15}$/, number: /^-?\d{1,15}(\.\d{1,15})?$/ };

const valueProblem = (spec: FlagSpec, value: string): Problem | undefined => {
  const flag = `--${spec.name}`;
  const hint = `write ${flag}=${spec.value ?? "VALUE"}`;
  if (spec.choices?.includes(value) === false) {
    return { message: `${flag} cannot be "${value}"`, hint: `one of: ${spec.choices.join(", ")}` };
  }
  if (spec.type !== "integer" && spec.type !== "number") return undefined;
  if (!number[spec.type].test(value)) {
    return { message: `${flag} must be a ${spec.type === "integer" ? "whole " : ""}number, not "${value}"`, hint };
  }
  if (spec.min !== undefined && Number(value) < spec.min)
    return { message: `${flag} must be at least ${spec.min}`, hint };
  return undefined;
};

const flagProblem = (given: GivenFlag, specs: ReadonlyArray<FlagSpec>): Problem | undefined => {
  const spec = specs.find((candidate) => candidate.name === given.name);
  if (spec === undefined) {
    const names = specs.map((candidate) => candidate.name);
    const found = nearest(given.name, names);
    return {
      message: `unknown flag ${given.rawName}`,
      ...(found === undefined ? {} : { hint: `did you mean --${found}?` }),
    };
  }
  const flag = `--${spec.name}`;
  if (spec.type === "boolean") {
    return given.value === undefined ? undefined : { message: `${flag} takes no value`, hint: `write ${flag} alone` };
  }
  // `--queue -v` is a value left out more often than a file called -v; whoever means the file writes `=`.
  if (given.value === undefined || given.value === "" || (given.inlineValue !== true && /^-./.test(given.value))) {
    return { message: `${flag} needs a value`, hint: `write ${flag}=${spec.value ?? "VALUE"}` };
  }
  return valueProblem(spec, given.value);
};

const repeatProblem = (given: ReadonlyArray<GivenFlag>, spec: FlagSpec): Problem | undefined => {
  const values = new Set(given.flatMap((flag) => (flag.name === spec.name ? [flag.value] : [])));
  return spec.multiple === true || values.size < 2
    ? undefined
    : { message: `--${spec.name} is given with different values`, hint: "give it once" };
};

/** The first thing wrong with the flags of a call, if any: unknown, no value, wrong type, not a choice, contradicting itself. */
export const flagsProblem = (given: ReadonlyArray<GivenFlag>, specs: ReadonlyArray<FlagSpec>): Problem | undefined => {
  for (const flag of given) {
    const problem = flagProblem(flag, specs);
    if (problem !== undefined) return problem;
  }
  return specs.flatMap((spec) => repeatProblem(given, spec) ?? [])[0];
};

/** Getters over checked flags, in the order they were given. */
export const makeFlags = (all: ReadonlyArray<GivenFlag>): Flags => {
  const given = (name: string) => all.filter((flag) => flag.name === name);
  const flag = (name: string) => given(name).at(-1)?.value;
  const asNumber = (name: string) => {
    const text = flag(name);
    return text === undefined ? undefined : Number(text);
  };
  return {
    flag,
    bool: (name) => given(name).length > 0,
    int: asNumber,
    num: asNumber,
    list: (name) => given(name).flatMap((one) => one.value ?? []),
  };
};
