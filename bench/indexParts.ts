import { join } from "node:path";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { Git, layer as gitLayer } from "../effects/git/Git.ts";
import { layer as homeLayer } from "../effects/home/Home.ts";
import { CodeIndex, layer as codeIndexLayer } from "../effects/index/CodeIndex.ts";
import { silent } from "../effects/log/Log.ts";
import { layer as locksLayer } from "../effects/store/Locks.ts";
import { defaultConfig } from "../src/config/config.ts";

interface Place {
  readonly root: string;
  readonly home: string;
}

export interface FullInput extends Place {
  /** The bare clone of a registered repository. */
  readonly clone: string;
  readonly sha: string;
  readonly dir: string;
  /** Worker threads; 0: everything in one thread. */
  readonly threads: number;
}

export interface FullResult {
  readonly rows: number;
  readonly files: number;
  readonly skipped: number;
  readonly seconds: number;
}

const layers = ({ root, home }: Place) =>
  Layer.merge(
    gitLayer,
    codeIndexLayer({
      provider: "builtin",
      model: null,
      ollamaHost: null,
      cacheDir: join(home, "cache/embeddings"),
      workerFile: join(root, "dist/chunkWorker.js"),
    }),
  ).pipe(Layer.provide(locksLayer), Layer.provide(silent), Layer.provide(homeLayer({ env: { ADK_DATA_HOME: home } })));

const indexOptions = { maxFileKb: defaultConfig.index.max_file_kb, exclude: defaultConfig.index.exclude };

/** One full index with a given number of threads, as a base build makes it; from the list of files to the last rename. */
export const fullIndex = (input: FullInput): Promise<FullResult> => {
  const program = Effect.scoped(
    Effect.gen(function* () {
      const git = yield* Git;
      const index = yield* CodeIndex;
      const started = performance.now();
      const entries = yield* git.listTree({ clone: input.clone, sha: input.sha });
      const blobs = yield* git.blobs({ clone: input.clone });
      const { dir, sha: headSha, threads } = input;
      const report = yield* index.build({ dir, entries, blobs, headSha, indexOptions, threads });
      const seconds = (performance.now() - started) / 1000;
      const skipped = report.skipped.length;
      return { rows: report.rows, files: entries.length - skipped, skipped, seconds };
    }),
  );
  return Effect.runPromise(Effect.provide(program, layers(input)));
};

export interface QueryInput extends Place {
  readonly dir: string;
  readonly texts: ReadonlyArray<string>;
}

export interface QueryResult {
  readonly rows: number;
  readonly openMs: number;
  readonly firstMs: number;
  readonly millis: ReadonlyArray<number>;
  readonly found: number;
}

/** Searches of one open index, one after the other. */
export const queries = (input: QueryInput): Promise<QueryResult> => {
  const program = Effect.scoped(
    Effect.gen(function* () {
      const index = yield* CodeIndex;
      const { rows } = yield* index.meta(input.dir);
      const opening = performance.now();
      const search = yield* index.searcher(input.dir);
      const openMs = performance.now() - opening;
      const millis: number[] = [];
      let found = 0;
      for (const text of input.texts) {
        const started = performance.now();
        const hits = yield* search({ text, k: 10, mode: "hybrid" });
        millis.push(performance.now() - started);
        found += hits.length;
      }
      return { rows, openMs, firstMs: millis[0] ?? Number.NaN, millis: millis.slice(1), found };
    }),
  );
  return Effect.runPromise(Effect.provide(program, layers(input)));
};
