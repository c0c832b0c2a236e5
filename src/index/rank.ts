import { languageOf } from "./languages.ts";

/** What a path is for; everything but source is weighed down in answers unless asked for. */
export type PathRole = "source" | "test" | "docs" | "config";

const testFolders = new Set([
  "test",
  "tests",
  "__tests__",
  "spec",
  "specs",
  "e2e",
  "__mocks__",
  "testdata",
  "fixtures",
]);
const testNames =
  /(?:[._-](?:test|tests|spec|e2e|bench)\.[a-z]+$|^test_|_test\.[a-z]+$|Tests?\.[a-z]+$|^conftest\.py$)/;
const docFolders = new Set(["docs", "doc", "documentation", "examples", "example", "samples"]);
const configLanguages = new Set(["json", "yaml", "toml", "ini", "xml"]);
const configNames = /(?:^\.|\.config\.[a-z]+$|^dockerfile|^makefile$|rc$|^go\.mod$|\.lock$)/i;

export const pathRole = (path: string): PathRole => {
  const folders = path.split("/");
  const name = folders.pop() ?? "";
  if (folders.some((folder) => testFolders.has(folder.toLowerCase())) || testNames.test(name)) return "test";
  const language = languageOf(path).name;
  if (folders.some((folder) => docFolders.has(folder.toLowerCase())) || language === "markdown") return "docs";
  if (language === "text" && /\.(?:txt|rst|adoc)$/i.test(name)) return "docs";
  return configLanguages.has(language) || configNames.test(name) ? "config" : "source";
};

const secondaryWeight = 0.5;
const askedFor: Readonly<Record<Exclude<PathRole, "source">, RegExp>> = {
  test: /\b(?:tests?|specs?|fixtures?|mocks?)\b/i,
  docs: /\b(?:docs?|documentation|readme|changelog|guide)\b/i,
  config: /\b(?:config files?|ya?ml|json|toml|workflows?|ci)\b/i,
};

/** Weight of a path in the answer to a query: 0.5 for tests, documents and configuration unless the query asks for them (facts 1.3). */
export const pathWeight = (query: string): ((path: string) => number) => {
  const asked = new Map<PathRole, boolean>([
    ["source", true],
    ["test", askedFor.test.test(query)],
    ["docs", askedFor.docs.test(query)],
    ["config", askedFor.config.test(query)],
  ]);
  return (path) => (asked.get(pathRole(path)) === true ? 1 : secondaryWeight);
};

export interface Candidate {
  readonly id: string;
  readonly path: string;
  /** Cosine similarity, or null where vectors were not asked. */
  readonly vector: number | null;
  /** Full-text score, 0 where the text does not match; null where text was not asked. */
  readonly text: number | null;
}

export interface Ranked {
  readonly id: string;
  readonly score: number;
}

const scaler = (values: ReadonlyArray<number>): ((value: number) => number) => {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return high > low ? (value) => (value - low) / (high - low) : () => (values.length > 0 && high > 0 ? 1 : 0);
};

const present = (values: ReadonlyArray<number | null>): number[] => values.filter((value) => value !== null);

/** To the digits that a seeded and a full index share. */
const rounded = (score: number): number => Math.round(score * 1e6) / 1e6;

/**
 * Fuses scores half and half after min-max scaling over the candidates; from one source only, the similarity itself or
 * the text score as a share of the best one. All between 0 and 1, higher first, equal scores by chunk id.
 */
export const rank = (candidates: ReadonlyArray<Candidate>, weight: (path: string) => number): Ranked[] => {
  const vectors = present(candidates.map(({ vector }) => vector));
  const texts = present(candidates.map(({ text }) => text));
  const both = vectors.length > 0 && texts.length > 0;
  const scaleVector = both ? scaler(vectors) : (value: number) => Math.max(0, value);
  const scaleText = scaler([0, ...texts]);
  const share = both ? 0.5 : 1;
  return candidates
    .map(({ id, path, vector, text }) => {
      const sum = (vector === null ? 0 : scaleVector(vector)) + (text === null ? 0 : scaleText(text));
      return { id, score: rounded(sum * share * weight(path)) };
    })
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
};

/**
 * The results above the last one's score, when there may be more of that score than were fetched: which of them came is
 * chance, and the answer must not depend on it. `complete` says that nothing was left out.
 */
export const aboveCut = <T extends { readonly score: number }>(
  results: ReadonlyArray<T>,
  options: { readonly limit: number },
): { readonly kept: ReadonlyArray<T>; readonly complete: boolean } => {
  if (results.length < options.limit) return { kept: results, complete: true };
  let last = Number.POSITIVE_INFINITY;
  for (const { score } of results) last = Math.min(last, score);
  const margin = Math.abs(last) * 1e-6 + 1e-9;
  return { kept: results.filter(({ score }) => score > last + margin), complete: false };
};
