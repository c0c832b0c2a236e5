import { type CaseEntry, caseEntries, isRequired } from "../../fixtures/cases/caseEntries.ts";

const intro = `<!-- Made by \`npm run gen\` from fixtures/cases/cases.json. Do not edit. -->

# Cases

What went wrong in tools of this kind, and what was thought out to go wrong: reports (D-…) and faults and attacks (F…).
Each has the behaviour that is right for adk and the tests that fail when it is not so.
\`test/checks/cases.test.ts\` holds every case of the required areas to at least one test that exists under that name.
Series that take long run in full with \`npm run test:long\`; what needs root and mounts is skipped, and shown as skipped,
where there are none.
`;

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("<", "&lt;");

const testsOf = (entry: CaseEntry): string =>
  (entry.tests ?? []).map(({ file, name }) => `\`${file}\`: ${cell(name)}`).join("<br>");

const row = (entry: CaseEntry): string => {
  const later = entry["not yet"];
  return `| ${entry.id} | ${entry.area} | ${cell(entry.right_behaviour)} | ${testsOf(entry)} | ${later === undefined ? "" : cell(later)} |`;
};

const section = (title: string, text: string, entries: ReadonlyArray<CaseEntry>): string =>
  [
    `## ${title}`,
    "",
    text,
    "",
    "| case | area | right behaviour | tests | not yet |",
    "| --- | --- | --- | --- | --- |",
    ...entries.map(row),
    "",
  ].join("\n");

const counted = (entries: ReadonlyArray<CaseEntry>): string => {
  const covered = entries.filter(({ tests }) => tests !== undefined).length;
  return `${entries.length} cases, ${covered} of them with tests.`;
};

/** docs/internals/cases.md: case → right behaviour → tests, or why there is none yet. */
export const caseDocs = (): ReadonlyArray<{ readonly path: string; readonly text: string }> => {
  const required = caseEntries.filter(isRequired);
  const others = caseEntries.filter((entry) => !isRequired(entry));
  const text = [
    intro,
    section("Required", counted(required), required),
    section("With the capabilities that follow", counted(others), others),
  ].join("\n");
  return [{ path: "docs/internals/cases.md", text }];
};
