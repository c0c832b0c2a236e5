import { globalFlags } from "./globalFlags.ts";
import { verbAt, verbsUnder } from "./parseLevel.ts";
import type { ArgSpec, FlagSpec, VerbSpec } from "./verb.ts";
import { groupSummaries } from "./verbs.ts";

const argumentText = (arg: ArgSpec): string => {
  const name = arg.multiple ? `${arg.name}…` : arg.name;
  return arg.required ? name : `[${name}]`;
};

const flagText = (flag: FlagSpec): string => {
  const value = flag.choices === undefined ? (flag.value ?? "VALUE") : (flag.value ?? flag.choices.join("|"));
  return `${flag.short === undefined ? "" : `-${flag.short}, `}--${flag.name}${flag.type === "boolean" ? "" : ` ${value}`}`;
};

const columns = (rows: ReadonlyArray<readonly [string, string]>): ReadonlyArray<string> => {
  const width = Math.max(0, ...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`.trimEnd());
};

const described = (spec: ArgSpec | FlagSpec): string =>
  spec.choices === undefined ? spec.describe : `${spec.describe}: ${spec.choices.join(", ")}`;

const section = (title: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length === 0 ? [] : ["", title, ...lines];

const flagRows = (flags: ReadonlyArray<FlagSpec>) => flags.map((flag) => [flagText(flag), described(flag)] as const);

/** `usage: adk pr-queue show [PR…] [flags]` for any level. */
export const usageLine = (path: ReadonlyArray<string>): string => {
  const verb = verbAt(path);
  const words = verb === undefined ? ["<verb>"] : verb.args.map(argumentText);
  return `usage: ${["adk", ...path, ...words, "[flags]"].join(" ")}`;
};

const verbHelp = (verb: VerbSpec): ReadonlyArray<string> => [
  verb.summary,
  "",
  usageLine(verb.path),
  ...section("arguments:", columns(verb.args.map((arg) => [argumentText(arg), described(arg)]))),
  ...section("flags:", columns(flagRows(verb.flags))),
  ...section("flags of every verb:", columns(flagRows(globalFlags))),
  ...section(
    "examples:",
    verb.examples.map((line) => `  ${line}`),
  ),
];

const levelHelp = (path: ReadonlyArray<string>, verbs: ReadonlyArray<VerbSpec>): ReadonlyArray<string> => {
  const examples =
    path.length === 0
      ? ["adk demo", "adk pr-sync", "adk pr-queue list --ready"]
      : verbs.slice(0, 3).flatMap((verb) => verb.examples.slice(0, 1));
  return [
    path.length === 0
      ? 'adk turns "please review my PR" messages into finished reviews, on your own machine'
      : (groupSummaries[path.join(" ")] ?? ""),
    "",
    usageLine(path),
    ...section("verbs:", columns(verbs.map((verb) => [verb.path.slice(path.length).join(" "), verb.summary]))),
    ...section("flags of every verb:", columns(flagRows(globalFlags))),
    ...section(
      "examples:",
      examples.map((line) => `  ${line}`),
    ),
  ];
};

/** Help of a level: everything (`[]`), a group (`["pr-queue"]`) or a verb. No newline at the end. */
export const helpText = (path: ReadonlyArray<string>): string => {
  const verbs = verbsUnder(path);
  const verb = verbAt(path);
  return (verb === undefined ? levelHelp(path, verbs) : verbHelp(verb)).join("\n");
};
