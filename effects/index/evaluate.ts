import * as Effect from "effect/Effect";
import { filesOf, type Localisation, type Scores, scoresOf } from "../../src/index/evaluate.ts";
import type { QueryMode } from "../../src/index/types.ts";
import { CodeIndex } from "./CodeIndex.ts";
import type { IndexError } from "./errors.ts";

export interface EvaluationCommit {
  readonly subject: string;
  /** Paths that the commit changed. */
  readonly files: ReadonlyArray<string>;
}

export interface Evaluation {
  /** Commits with at least one file that the index holds; the others say nothing about it. */
  readonly commits: number;
  readonly hybrid: Scores;
  readonly vector: Scores;
  readonly text: Scores;
}

const chunksPerQuery = 100;

/**
 * Finds the files of commits from their subjects: MRR and recall@10 of hybrid, vector and text search (facts 1.3). A
 * commit's tests and documents are wanted like its source, so nothing is weighed down by what its path is for.
 */
export const evaluateIndex = (options: {
  readonly dir: string;
  readonly commits: ReadonlyArray<EvaluationCommit>;
}): Effect.Effect<Evaluation, IndexError, CodeIndex> =>
  Effect.scoped(
    Effect.gen(function* () {
      const index = yield* CodeIndex;
      const search = yield* index.searcher(options.dir);
      const paths = [...new Set(options.commits.flatMap(({ files }) => files))];
      const held = new Set((yield* index.chunksOfPaths({ dir: options.dir, paths })).map(({ path }) => path));
      const usable = options.commits
        .map(({ subject, files }) => ({ subject, wanted: files.filter((path) => held.has(path)) }))
        .filter(({ wanted }) => wanted.length > 0);
      const scores = (mode: QueryMode) =>
        Effect.map(
          Effect.forEach(usable, ({ subject, wanted }) =>
            Effect.map(
              search({ text: subject, k: chunksPerQuery, mode, includeTests: true }),
              (hits): Localisation => ({ ranked: filesOf(hits), wanted }),
            ),
          ),
          scoresOf,
        );
      const result: Evaluation = {
        commits: usable.length,
        hybrid: yield* scores("hybrid"),
        vector: yield* scores("vector"),
        text: yield* scores("text"),
      };
      return result;
    }),
  );
