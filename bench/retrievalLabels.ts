import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Lines, from 1, of one file of the labelled commit. */
export interface LabelledPlace {
  readonly path: string;
  readonly lines: ReadonlyArray<number>;
}

export interface SymbolLabel {
  readonly name: string;
  readonly definitions: ReadonlyArray<LabelledPlace>;
  /** Where the symbol is called, constructed, rendered or handed over to be called. */
  readonly callers: ReadonlyArray<LabelledPlace>;
}

/** What was written down by hand before anything was measured (docs/internals/retrieval.md). */
export interface SymbolLabels {
  readonly repository: string;
  readonly commit: string;
  /** Only paths that begin so, and no tests, are labelled. */
  readonly under: string;
  readonly symbols: ReadonlyArray<SymbolLabel>;
}

export interface RequestLabel {
  readonly head: string;
  readonly base: string;
  /** Names that the change alters. */
  readonly symbols: ReadonlyArray<string>;
  /** Calls of them in files that the change does not touch. */
  readonly callers: ReadonlyArray<LabelledPlace>;
  /** Tests of the changed code and of its callers, changed ones among them. */
  readonly tests: ReadonlyArray<string>;
}

export interface RequestLabels {
  readonly repository: string;
  readonly requests: ReadonlyArray<RequestLabel>;
}

const read = (root: string, name: string): unknown =>
  JSON.parse(readFileSync(join(root, "bench/labels", name), "utf8"));

/** The labels of the repository that the figures are about. */
export const retrievalLabels = (root: string) => ({
  symbols: read(root, "hono.symbols.json") as SymbolLabels,
  requests: read(root, "hono.requests.json") as RequestLabels,
});
