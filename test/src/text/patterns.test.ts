import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fence, markdownText } from "../../../src/text/markdown.ts";
import { textPatterns } from "../../../src/text/patterns.ts";
import { makeRedactor } from "../../../src/text/redact.ts";
import { terminalCell, terminalText, truncateCell } from "../../../src/text/sanitize.ts";

const size = 100_000;
const budgetMs = 50;

const units = [
  "a",
  " ",
  "\t",
  "-",
  "_",
  ":",
  "/",
  "@",
  "=",
  "`",
  "0",
  "A",
  "\n",
  "\r",
  "\x1b",
  "\x1b[",
  "\x1b]",
  "\x1b]a",
  "\x9d",
  "\x90a",
  "\x9b0",
  "\u0301",
  "\u200b",
  "\ud800",
  "a://",
  "http://",
  "http://a:",
  "https://a@",
  "a-",
  "a_",
  "A_",
  "A_TOKEN",
  "A_TOKEN=",
  "a\"'",
  "authorization",
  "authorization:",
  "authorization: ",
  "bearer ",
  "Bearer a",
  "ghp_",
  "github_pat_",
  "xoxb-",
  "xox",
  "?token=",
  "&token=a",
  "GH-",
  "www.",
  "--a-",
  "-token",
  " \t",
  "\n \t",
  "9",
  "\\",
  "日",
];
const adversarial = units.flatMap((unit) => {
  const text = unit.repeat(Math.ceil(size / unit.length)).slice(0, size);
  return [text, `${text}!`, `x${text}\x07`];
});

const milliseconds = (run: () => unknown): number => {
  const start = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
};

/** The fastest of up to three runs: what the pattern costs, not what the machine was doing meanwhile. */
const cost = (run: () => unknown): number => {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3 && best >= budgetMs; round += 1) best = Math.min(best, milliseconds(run));
  return best;
};

describe("patterns that see text from outside", () => {
  it.each(Object.entries(textPatterns))("%s takes less than 50 ms on any 100 KB", (_, pattern) => {
    for (const text of adversarial) {
      const ms = cost(() => text.replace(pattern, ""));
      expect(ms, `${pattern} on ${JSON.stringify(text.slice(0, 12))}`).toBeLessThan(budgetMs);
    }
  });

  it.each([
    ["terminalText", terminalText],
    ["terminalCell", terminalCell],
    ["truncateCell", (text: string) => truncateCell(text, 80)],
    ["markdownText", markdownText],
    ["fence", (text: string) => fence(text, "ts")],
    ["a redactor", makeRedactor(["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", "ghp_aaaaaaaaaaaaaaaaaaaa"])],
  ])("%s as a whole stays linear", (_, sanitise) => {
    for (const text of adversarial) {
      const ms = cost(() => sanitise(text));
      expect(ms, JSON.stringify(text.slice(0, 12))).toBeLessThan(4 * budgetMs);
    }
  });

  it("are all on the list: no module of src/text has a pattern of its own elsewhere", () => {
    const folder = join(import.meta.dirname, "../../../src/text");
    const listed = new Set(Object.values(textPatterns).map(String));
    const literal = /(?<![\w)\]/*<])\/(?![/*])(?:\\.|\[(?:\\.|[^\]\n])*\]|[^/\n\\[])+\/[gimsuy]*(?=[\s.,;)])/g;
    const small = new Set(["displayWidth.ts", "redact.ts"]);
    for (const file of readdirSync(folder).filter((name) => !small.has(name))) {
      const source = readFileSync(join(folder, file), "utf8").replaceAll(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, "");
      for (const [found] of source.matchAll(literal)) expect(listed, `${file}: ${found}`).toContain(found);
    }
  });
});
