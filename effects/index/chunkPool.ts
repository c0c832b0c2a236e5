import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import { type EmbedFailed, embedFailed } from "./errors.ts";
import { type FileInput, type Prepared, prepareFiles } from "./fileJob.ts";

export interface ChunkPool {
  readonly threads: number;
  readonly run: (files: ReadonlyArray<FileInput>) => Effect.Effect<Prepared, EmbedFailed>;
}

interface Reply {
  readonly id: number;
  readonly prepared?: Prepared;
  readonly error?: string;
}

/** The bundled worker beside this bundle; null when adk runs from its sources (threads cannot load TypeScript on Node 20). */
const builtWorker = (): string | null => {
  for (const place of ["./chunkWorker.js", "../chunkWorker.js"]) {
    const file = fileURLToPath(new URL(place, import.meta.url));
    if (existsSync(file)) return file;
  }
  return null;
};

const inProcess = (embed: boolean): ChunkPool => ({
  threads: 0,
  run: (files) =>
    Effect.tryPromise({
      try: () => prepareFiles({ files, embed }),
      catch: (cause) => embedFailed("the built-in embedder or a grammar could not be loaded", cause),
    }),
});

class Thread {
  readonly worker: Worker;
  readonly waiting = new Map<number, (reply: Reply) => void>();
  dead: string | null = null;

  constructor(file: string) {
    this.worker = new Worker(file, { resourceLimits: { maxOldGenerationSizeMb: 1024 } });
    this.worker.unref();
    this.worker.on("message", (reply: Reply) => this.settle(reply));
    this.worker.on("error", (error) => this.fail(error.message));
    this.worker.on("exit", (code) => this.fail(`a chunking thread ended (code ${code})`));
  }

  settle(reply: Reply): void {
    const resume = this.waiting.get(reply.id);
    this.waiting.delete(reply.id);
    if (this.waiting.size === 0) this.worker.unref();
    resume?.(reply);
  }

  fail(error: string): void {
    this.dead ??= error;
    for (const id of [...this.waiting.keys()]) this.settle({ id, error });
  }

  send(id: number, job: { files: ReadonlyArray<FileInput>; embed: boolean }, done: (reply: Reply) => void): void {
    if (this.dead !== null) {
      done({ id, error: this.dead });
      return;
    }
    this.waiting.set(id, done);
    this.worker.ref();
    this.worker.postMessage({ id, ...job });
  }
}

export interface PoolOptions {
  /** Worker threads; 0 chunks in this thread. Default: the cores, at most 4, and none for a few files. */
  readonly threads?: number | undefined;
  /** How many files there are to chunk. */
  readonly files: number;
  /** Whether the built-in embedder's vectors are wanted. */
  readonly embed: boolean;
  /** The built worker, for programs that are bundled elsewhere. */
  readonly workerFile?: string | undefined;
}

/** So many are cut sooner here than in a thread, which must load its grammars and the embedder first: 0.13 s. */
const fewFiles = 40;

/** Threads that chunk and embed, ended with the scope. Each job goes to the thread with the fewest in hand. */
export const makeChunkPool = (options: PoolOptions): Effect.Effect<ChunkPool, never, Scope.Scope> => {
  const file = options.workerFile ?? builtWorker();
  const threads = options.threads ?? (options.files <= fewFiles ? 0 : Math.min(availableParallelism(), 4));
  if (file === null || threads < 1) return Effect.succeed(inProcess(options.embed));
  return Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => Array.from({ length: threads }, () => new Thread(file))),
      (all) => Effect.promise(() => Promise.all(all.map((thread) => thread.worker.terminate()))),
    ),
    (all) => threadPool(all, options.embed),
  );
};

const threadPool = (all: ReadonlyArray<Thread>, embed: boolean): ChunkPool => {
  let next = 0;
  return {
    threads: all.length,
    run: (files) =>
      Effect.async<Prepared, EmbedFailed>((resume) => {
        const thread = all.reduce((least, one) => (one.waiting.size < least.waiting.size ? one : least));
        thread.send(next++, { files, embed }, ({ prepared, error }) => {
          if (prepared !== undefined) resume(Effect.succeed(prepared));
          else resume(Effect.fail(embedFailed(`chunking stopped: ${error ?? "no answer"}`)));
        });
      }),
  };
};
