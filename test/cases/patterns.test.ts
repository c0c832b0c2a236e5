import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");
const longest = 100_000;
/** Files whose patterns see only what is short by itself: node types of grammars, names and lines of indexed chunks. */
const bounded: ReadonlySet<string> = new Set(["src/index/definitions.ts", "src/precis/callers.ts"]);
const longestName = 1_000;
const budgetMs = 50;

interface Pattern {
  readonly file: string;
  readonly pattern: RegExp;
}

/** Every regular expression that stands in the source of what ships, whether or not somebody thought of listing it. */
const patternsOf = (file: string): ReadonlyArray<Pattern> => {
  const source = ts.createSourceFile(file, readFileSync(join(root, file), "utf8"), ts.ScriptTarget.ES2022, true);
  const found: Array<Pattern> = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf("/");
      found.push({ file, pattern: new RegExp(node.text.slice(1, end), node.text.slice(end + 1)) });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
};

const all = ["src", "machines", "effects", "cli"]
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => `${folder}/${name}`),
  )
  .flatMap(patternsOf);

const signs = [
  ..."a0A \t\n\r-_:/@=`.,;\"'\\~<>[](){}|#?&%+*^$!é\0\x1b",
  "\r\n",
  "a ",
  " a",
  "a\n",
  "a.",
  "a-",
  "0:",
  "//",
  "\\\\",
  "日",
];

/** Text made to be slow for this pattern: its own words and every sign over and over, with an end that does not fit. */
const adversarial = ({ file, pattern }: Pattern): ReadonlyArray<string> => {
  const size = bounded.has(file) ? longestName : longest;
  const words = pattern.source.match(/[A-Za-z0-9]{2,}|[^\w\s\\]{2,}/g) ?? [];
  return [...new Set([...signs, ...words])].map(
    (unit) => `${unit.repeat(Math.ceil(size / unit.length)).slice(0, size)}!`,
  );
};

const cpuMs = (run: () => unknown): number => {
  const start = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
};

/** The fastest of up to three runs: what the pattern costs, not what the machine was doing meanwhile. */
const cost = (run: () => unknown): number => {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3 && best >= budgetMs; round += 1) best = Math.min(best, cpuMs(run));
  return best;
};

describe("the regular expressions of the source", () => {
  it("are found", () => {
    expect(all.length).toBeGreaterThan(100);
    expect(all.map(({ file }) => file)).toContain("src/git/changes.ts");
  });

  it("take less than 50 ms each on 100 KB of anything, whoever wrote the text", () => {
    const slow = all.flatMap((one) =>
      adversarial(one).flatMap((text) => {
        const ms = cost(() => text.replace(one.pattern, ""));
        return ms < budgetMs
          ? []
          : [`${one.file}: ${one.pattern} took ${ms} ms on ${JSON.stringify(text.slice(0, 6))}…`];
      }),
    );
    expect(slow).toEqual([]);
  });
});
