import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type CaseEntry, caseEntries, isRequired, requiredAreas } from "../../fixtures/cases/caseEntries.ts";
import { caseDocs } from "../../scripts/gen/cases.ts";
import { testNames } from "../cases/support/testNames.ts";

const root = join(import.meta.dirname, "../..");

const namesIn = new Map<string, ReadonlySet<string>>();
const names = (file: string): ReadonlySet<string> => {
  const known = namesIn.get(file);
  if (known !== undefined) return known;
  const path = join(root, file);
  const found = new Set(existsSync(path) ? testNames(readFileSync(path, "utf8")) : []);
  namesIn.set(file, found);
  return found;
};

/** What is wrong with the tests that a case names; nothing when each of them exists. */
const problems = (entry: CaseEntry): ReadonlyArray<string> => {
  const tests = entry.tests ?? [];
  if (tests.length === 0) return isRequired(entry) || entry["not yet"] === undefined ? [`${entry.id} has no test`] : [];
  return tests
    .filter(({ file, name }) => !names(file).has(name))
    .map(({ file, name }) => `${entry.id}: no test "${name}" in ${file}`);
};

describe("the cases", () => {
  it("of the required areas have a test each, and every test that any case names exists", () => {
    expect(caseEntries.flatMap(problems)).toEqual([]);
  });

  it("are each there once, with a sentence and an area that is known", () => {
    const ids = caseEntries.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => /^D-/.test(id))).toHaveLength(139);
    expect(ids.filter((id) => /^F/.test(id))).toHaveLength(24);
    for (const entry of caseEntries) expect(entry.right_behaviour, entry.id).toMatch(/^[A-Za-z].{20,}\.$/);
    const areas = new Set(caseEntries.filter(isRequired).map(({ area }) => area));
    expect([...requiredAreas].filter((area) => !areas.has(area))).toEqual([]);
  });

  it("that lose their test, or name one that is not there or never runs, are found", () => {
    const [first] = caseEntries.filter(isRequired);
    if (first === undefined) throw new Error("no required case");
    const bare: CaseEntry = { id: first.id, area: first.area, kind: first.kind, right_behaviour: "x" };
    expect(problems({ ...bare, "not yet": "later" })).toEqual([`${first.id} has no test`]);
    const wrong = { file: "test/checks/cases.test.ts", name: "no such test" };
    expect(problems({ ...bare, tests: [wrong] })).toHaveLength(1);
    expect(problems({ ...bare, tests: [{ file: "test/nowhere.test.ts", name: "x" }] })).toHaveLength(1);
    const source =
      'it("a", f); it.skip("b", f); test.skipIf(x)("c", f); it.each([1])("%s d", f); it.todo("e"); other("f", f);';
    expect(testNames(source)).toEqual(["a", "c", "%s d"]);
    const hole = "$" + "{rounds}";
    expect(testNames(`it(\`over ${hole} rounds\`, f)`)).toEqual([`over ${hole} rounds`]);
  });

  it("are what docs/internals/cases.md says", () => {
    for (const { path, text } of caseDocs()) expect(readFileSync(join(root, path), "utf8")).toBe(text);
  });
});
