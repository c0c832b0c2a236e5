import { globalFlags } from "./globalFlags.ts";
import type { FlagSpec } from "./verb.ts";
import { verbs } from "./verbs.ts";

export type Shell = "bash" | "zsh" | "fish";

interface Level {
  /** Words so far: `pr-queue list`, or nothing. */
  readonly path: string;
  readonly words: ReadonlyArray<string>;
  readonly flags: ReadonlyArray<FlagSpec>;
  readonly isVerb: boolean;
}

const prefixes = (path: ReadonlyArray<string>): ReadonlyArray<string> =>
  path.map((_, index) => path.slice(0, index).join(" "));

const levels = (): ReadonlyArray<Level> => {
  const groups = [...new Set(verbs.flatMap((verb) => prefixes(verb.path)))].map((path) => {
    const depth = path === "" ? 0 : path.split(" ").length;
    const under = verbs.filter((verb) => verb.path.slice(0, depth).join(" ") === path);
    return {
      path,
      words: [...new Set(under.flatMap((verb) => verb.path[depth] ?? []))],
      flags: globalFlags,
      isVerb: false,
    };
  });
  const leaves = verbs.map((verb) => ({
    path: verb.path.join(" "),
    words: verb.args.flatMap((arg) => arg.choices ?? []),
    flags: [...verb.flags, ...globalFlags],
    isVerb: true,
  }));
  return [...groups, ...leaves];
};

const flagWords = (flags: ReadonlyArray<FlagSpec>): ReadonlyArray<string> =>
  flags.flatMap((flag) => [`--${flag.name}`, ...(flag.short === undefined ? [] : [`-${flag.short}`])]);

const casesOf = (indent: string): string =>
  levels()
    .map((level) => `${indent}"${level.path}") offered="${[...level.words, ...flagWords(level.flags)].join(" ")}" ;;`)
    .join("\n");

// The longest level that the words before the cursor spell, flags left out.
const pathLoop = (first: string, words: string): string => `  local level="" word
  for word in ${words}; do
    case "$word" in -*) continue ;; esac
    case "$level\${level:+ }$word" in
      ${levels()
        .filter((level) => level.path !== "")
        .map((level) => `"${level.path}"`)
        .join("|")}) level="$level\${level:+ }$word" ;;
    esac
  done
  local offered=""
  case "$level" in
${casesOf(first)}
  esac`;

const bash = (): string => `# adk completion for bash
_adk() {
  local current="\${COMP_WORDS[COMP_CWORD]}"
${pathLoop("    ", `"\${COMP_WORDS[@]:1:COMP_CWORD-1}"`)}
  COMPREPLY=($(compgen -W "$offered" -- "$current"))
}
complete -o default -F _adk adk`;

const zsh = (): string => `#compdef adk
# adk completion for zsh
_adk() {
  local current="\${words[CURRENT]}"
  local -a typed=("\${(@)words[2,CURRENT-1]}")
  _adk_words "\${typed[@]}"
  compadd -- \${=reply} || _files
}
_adk_words() {
${pathLoop("    ", '"$@"')}
  reply="$offered"
}
if [ "\${funcstack[1]}" = "_adk" ]; then _adk "$@"; else compdef _adk adk; fi`;

const fishQuote = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

const fish = (): string => {
  const condition = (path: string): string => `-n ${fishQuote(`__adk_at ${path}`)}`;
  const lines = levels().flatMap((level) => [
    ...level.words.map((word) => `complete -c adk -f ${condition(level.path)} -a ${fishQuote(word)}`),
    ...level.flags.map((flag) =>
      [
        `complete -c adk ${condition(level.path)} -l ${flag.name}`,
        ...(flag.short === undefined ? [] : [`-s ${flag.short}`]),
        ...(flag.type === "boolean" ? [] : ["-r"]),
        ...(flag.choices === undefined ? [] : ["-f", `-a ${fishQuote(flag.choices.join(" "))}`]),
        `-d ${fishQuote(flag.describe)}`,
      ].join(" "),
    ),
  ]);
  return [
    "# adk completion for fish",
    `set -g __adk_levels ${levels()
      .filter((level) => level.path !== "")
      .map((level) => fishQuote(level.path))
      .join(" ")}`,
    `function __adk_at
  set -l path
  for word in (commandline -opc)[2..]
    string match -q -- '-*' $word; and continue
    contains -- (string join ' ' $path $word) $__adk_levels; and set -a path $word
  end
  test "$path" = "$argv"
end`,
    ...lines,
  ].join("\n");
};

/** The completion script of a shell; constants only, nothing of the user's data. No newline at the end. */
export const completionScript = (shell: Shell): string => ({ bash, zsh, fish })[shell]();
