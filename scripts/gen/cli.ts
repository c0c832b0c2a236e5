import { globalFlags } from "../../cli/globalFlags.ts";
import { helpText } from "../../cli/help.ts";
import { groupSummaries, verbs } from "../../cli/verbs.ts";
import type { GeneratedFile } from "./cliFile.ts";

const intro = `<!-- Made by \`npm run gen\` from cli/verbs.ts. Do not edit. -->

# The command line

\`adk <verb>\` is adk's only public API: what is written here keeps working.

- Flags stand anywhere: \`adk -v pr-task prepare X\`, \`adk pr-task -v prepare X\` and \`adk pr-task prepare X -v\` are one call.
  \`--flag=value\` and \`--flag value\` are equal; a value that begins with \`-\` needs \`=\`; \`--\` ends the flags.
- \`--json\` prints exactly one JSON document on stdout and nothing else there. Progress, warnings and errors go to stderr.
- Exit codes: 0 done · 1 failed or partly failed · 2 bad usage, or refused by a guard · 3 queue or configuration unreadable · 130 interrupted.
- An error is one line on stderr, \`error: <what> — <what to do next>\`; with \`--json\` also \`{"error":{"tag","message","hint"}}\` on stdout.
- A PR is named by its URL, \`owner/repo#N\`, \`owner/repo N\`, \`--repo owner/repo --pr N\`, \`#N\` or \`N\` (with \`defaults.repo\`).

Flags of every verb: ${globalFlags.map((flag) => `\`${flag.short === undefined ? "" : `-${flag.short}/`}--${flag.name}\``).join(" ")}.
`;

// The same for every verb, and said once above.
const withoutGlobalFlags = (text: string): string => text.replace(/\n\nflags of every verb:\n(?: {2}.*\n?)*/, "\n");

const section = (path: ReadonlyArray<string>, level: number): string =>
  `${"#".repeat(level)} adk ${path.join(" ")}\n\n\`\`\`text\n${withoutGlobalFlags(helpText(path)).trimEnd()}\n\`\`\`\n`;

/** docs/cli.md: help of every verb, in the order of the table. */
export const cliDocs = (): ReadonlyArray<GeneratedFile> => {
  const groups = [...new Set(verbs.map((verb) => verb.path[0] ?? ""))];
  const parts = groups.map((group) => {
    const members = verbs.filter((verb) => verb.path[0] === group);
    if (members.length === 1 && members[0]?.path.length === 1) return section([group], 2);
    const heading = `## adk ${group}\n\n${groupSummaries[group] ?? ""}.\n`;
    return [heading, ...members.map((verb) => section(verb.path, 3))].join("\n");
  });
  return [{ path: "docs/cli.md", text: [intro, ...parts].join("\n") }];
};
