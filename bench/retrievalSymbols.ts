import * as Effect from "effect/Effect";
import { CodeIndex } from "../effects/index/CodeIndex.ts";
import { pathRole } from "../src/index/rank.ts";
import type { Hit } from "../src/index/types.ts";
import type { LabelledPlace, SymbolLabels } from "./retrievalLabels.ts";

/** Counts over all symbols: labelled lines that some hit holds, and hits that hold a labelled line. */
export interface Found {
  readonly labelled: number;
  readonly found: number;
  readonly hits: number;
  readonly right: number;
  /** Labelled lines that no hit holds, and hits without a labelled line: for people to look at. */
  readonly missed: ReadonlyArray<string>;
  readonly wrong: ReadonlyArray<string>;
}

export const recall = ({ found, labelled }: Found): number => (labelled === 0 ? 1 : found / labelled);
export const precision = ({ right, hits }: Found): number => (hits === 0 ? 1 : right / hits);

type Place = Pick<Hit, "path" | "line_start" | "line_end">;

const compared = (name: string, labels: ReadonlyArray<LabelledPlace>, hits: ReadonlyArray<Place>): Found => {
  const lines = labels.flatMap(({ path, lines }) => lines.map((line) => ({ path, line })));
  const holds = (hit: Place, { path, line }: { path: string; line: number }): boolean =>
    hit.path === path && hit.line_start <= line && line <= hit.line_end;
  const missed = lines.filter((line) => !hits.some((hit) => holds(hit, line)));
  const wrong = hits.filter((hit) => !lines.some((line) => holds(hit, line)));
  return {
    labelled: lines.length,
    found: lines.length - missed.length,
    hits: hits.length,
    right: hits.length - wrong.length,
    missed: missed.map(({ path, line }) => `${name} ${path}:${line}`),
    wrong: wrong.map((hit) => `${name} ${hit.path}:${hit.line_start}-${hit.line_end}`),
  };
};

const total = (parts: ReadonlyArray<Found>): Found => ({
  labelled: parts.reduce((sum, part) => sum + part.labelled, 0),
  found: parts.reduce((sum, part) => sum + part.found, 0),
  hits: parts.reduce((sum, part) => sum + part.hits, 0),
  right: parts.reduce((sum, part) => sum + part.right, 0),
  missed: parts.flatMap((part) => part.missed),
  wrong: parts.flatMap((part) => part.wrong),
});

/** `symbol` and `callers` for every label, in the part of the tree that the labels cover. */
export const measureSymbols = (options: { readonly dir: string; readonly labels: SymbolLabels }) =>
  Effect.gen(function* () {
    const index = yield* CodeIndex;
    const covered = ({ path }: Place): boolean => path.startsWith(options.labels.under) && pathRole(path) !== "test";
    const measured = yield* Effect.forEach(options.labels.symbols, ({ name, definitions, callers }) =>
      Effect.gen(function* () {
        const defined = yield* index.symbol({ dir: options.dir, names: [name] });
        const called = yield* index.callers({ dir: options.dir, names: [name] });
        return {
          definitions: compared(name, definitions, defined.filter(covered)),
          callers: compared(name, callers, called.filter(covered)),
        };
      }),
    );
    return {
      definitions: total(measured.map(({ definitions }) => definitions)),
      callers: total(measured.map(({ callers }) => callers)),
    };
  });
