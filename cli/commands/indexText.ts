import { globMatcher } from "../../src/index/glob.ts";
import type { Hit, IndexMeta } from "../../src/index/types.ts";
import { terminalCell } from "../../src/text/sanitize.ts";
import type { IndexTarget } from "../indexTarget.ts";
import type { VerbInput } from "../verb.ts";

/** What `index query --json` says of the index it searched (spec 3). */
export const indexFacts = (target: IndexTarget, meta: IndexMeta) => ({
  ...(target.pr === null ? {} : { pr: target.pr }),
  repo: target.repo,
  branch: target.branch,
  head_sha: meta.head_sha,
  rows: meta.rows,
  provider: meta.provider,
  model: meta.model,
});

const firstLines = (snippet: string): string =>
  snippet
    .split("\n")
    .filter((line) => line.trim() !== "")
    .slice(0, 3)
    .map((line) => `    ${terminalCell(line).slice(0, 110)}`)
    .join("\n");

/** Hits for people: place, symbol, score, and the first lines. */
export const hitLines = (hits: ReadonlyArray<Hit>): string =>
  hits
    .map(
      (hit) =>
        `${terminalCell(hit.path)}:${hit.line_start}-${hit.line_end}  ${terminalCell(hit.symbol)}  ${hit.score.toFixed(3)}\n${firstLines(hit.snippet)}`,
    )
    .join("\n");

/** The hits that `--glob` and `-k` leave. */
export const chosenHits = (hits: ReadonlyArray<Hit>, input: VerbInput): ReadonlyArray<Hit> => {
  const glob = input.flags.flag("glob");
  const matches = glob === undefined ? () => true : globMatcher(glob);
  return hits.filter((hit) => matches(hit.path)).slice(0, input.flags.int("limit") ?? 10);
};
