import * as Clock from "effect/Clock";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Either from "effect/Either";
import * as Exit from "effect/Exit";
import * as Layer from "effect/Layer";
import { encodeQueue } from "../../src/queue/codec.ts";
import { type QueueFile, queueSchemaVersion } from "../../src/queue/row.ts";
import { fileTime } from "../../src/time.ts";
import { Home } from "../home/Home.ts";
import { writeFileDurablySync } from "./durableFile.ts";
import { type LockBusy, type LockFailed, QueueReadOnly, QueueUnreadable, WriteFailed, writeFailed } from "./errors.ts";
import * as files from "./fileOps.ts";
import { makeGroupCommit } from "./groupCommit.ts";
import { Locks } from "./Locks.ts";
import { keepBroken, type LoadedQueue, lastGoodPath, loadCopy, loadQueue, resolveQueue } from "./queueFile.ts";
import { queueLockFolder } from "./queueLockFolder.ts";

/** What a transaction makes of the queue: the next one and its answer, or its own failure. */
export type QueueChange<A, E> = (
  queue: QueueFile,
) => Either.Either<{ readonly queue: QueueFile; readonly result: A }, E>;

export type TransactionFailure = QueueUnreadable | QueueReadOnly | LockBusy | LockFailed | WriteFailed;

/** pr-queue.json5 (spec 2, Store protocol). Queues that it gives out are shared and never changed in place. */
export class QueueStore extends Context.Tag("adk/QueueStore")<
  QueueStore,
  {
    /** The queue as it is now; takes no lock. A missing file is an empty queue. */
    readonly read: Effect.Effect<QueueFile, QueueUnreadable>;
    /** As `read`; where that fails, the last-good copy with a banner that says so, if there is one. */
    readonly readOrLastGood: Effect.Effect<
      { readonly queue: QueueFile; readonly banner: string | null },
      QueueUnreadable
    >;
    /**
     * One change under the lock. The function is pure and may run on a queue that other changes of this process have
     * just moved on; the very queue given back means no write. Calls that meet are joined into one write, in order; one
     * that fails changes nothing for the others. `rev` grows by one with each write. When the answer is there, the
     * change is durable.
     */
    readonly transact: <A, E>(change: QueueChange<A, E>) => Effect.Effect<A, E | TransactionFailure>;
    /**
     * Puts the last-good copy, or the file `from`, in the queue's place. A queue that cannot be read is copied aside
     * first: `keptBroken`.
     */
    readonly restore: (options: {
      readonly from?: string;
    }) => Effect.Effect<{ readonly restored: string; readonly keptBroken: string | null }, TransactionFailure>;
  }
>() {}

/** A transaction in the group: gives the queue after it, and later its answer. */
interface Step {
  readonly apply: (queue: QueueFile) => QueueFile;
  readonly done: () => void;
  readonly fail: (failure: WriteFailed | QueueReadOnly) => void;
}

/** The refusal to change a queue of a newer adk. */
export const queueReadOnly = (file: string, schemaVersion: number): QueueReadOnly =>
  new QueueReadOnly({
    message: `${file} was written by a newer adk (schema ${schemaVersion}, this one writes ${queueSchemaVersion})`,
    hint: "update adk; this version can show the queue but not change it",
    file,
    schemaVersion,
  });

const makeStep = <A, E>(
  change: QueueChange<A, E>,
  answer: (exit: Exit.Exit<A, E | TransactionFailure>) => void,
): Step => {
  let outcome: Exit.Exit<A, E | TransactionFailure> = Exit.die(new Error("a transaction was answered before it ran"));
  return {
    apply: (queue) => {
      try {
        const changed = change(queue);
        outcome = Either.isLeft(changed) ? Exit.fail(changed.left) : Exit.succeed(changed.right.result);
        return Either.isLeft(changed) ? queue : changed.right.queue;
      } catch (defect) {
        outcome = Exit.die(defect);
        return queue;
      }
    },
    done: () => answer(outcome),
    fail: (failure) => answer(Exit.isSuccess(outcome) ? Exit.fail(failure) : outcome),
  };
};

/** The first rewrite of an older file keeps the original for good, beside it. */
const keepOlder = (path: string, loaded: LoadedQueue, nowMs: number): void => {
  const { bytes, decoded } = loaded;
  if (decoded.older === null || bytes === null) return;
  const copy = `${path.replace(/\.json5$/, "")}.v${decoded.older}.${fileTime(nowMs)}.json5`;
  if (!files.exists(copy)) writeFileDurablySync(copy, bytes);
};

/** Writes the next queue and gives it as the following read will find it. */
const writeQueue = (
  path: string,
  loaded: LoadedQueue,
  next: QueueFile,
  options: { readonly nowMs: number; readonly lastGood: boolean },
): Either.Either<LoadedQueue, WriteFailed> => {
  const encoded = encodeQueue(loaded.decoded, next);
  if (Either.isLeft(encoded))
    return Either.left(
      new WriteFailed({
        message: `cannot write ${path}: ${encoded.left.message}`,
        hint: "nothing was changed; run the command again with -v and report what the log says",
        path,
        code: null,
      }),
    );
  return Either.try({
    try: () => {
      keepOlder(path, loaded, options.nowMs);
      writeFileDurablySync(path, encoded.right.bytes, { lastGood: options.lastGood });
      return encoded.right;
    },
    catch: (cause) => writeFailed(path, cause),
  });
};

const make = (home: Context.Tag.Service<Home>, locks: Context.Tag.Service<Locks>): Context.Tag.Service<QueueStore> => {
  /** Looked up at every use: another data home may begin to use the file at any time. */
  const withLock = <A, E>(body: Effect.Effect<A, E>) =>
    Effect.suspend(() => locks.withLock("queue", { folder: queueLockFolder(home.queue, home) }, body));
  let cache: LoadedQueue | null = null;

  const path = Effect.suspend(() => resolveQueue(home.queue, home.data));

  const load = Effect.gen(function* () {
    const loaded = yield* loadQueue(yield* path, cache, yield* Clock.currentTimeMillis);
    cache = loaded;
    return loaded;
  });

  /** All that happens between reading and answering is one synchronous step: nothing can interrupt it. */
  const commitNow = (file: string, loaded: LoadedQueue, steps: ReadonlyArray<Step>, nowMs: number): void => {
    const before = loaded.decoded.queue;
    const after = steps.reduce((queue, step) => step.apply(queue), before);
    const refusal = after === before ? null : write(file, loaded, after, nowMs);
    for (const step of steps)
      if (refusal === null) step.done();
      else step.fail(refusal);
  };

  const write = (
    file: string,
    loaded: LoadedQueue,
    after: QueueFile,
    nowMs: number,
  ): WriteFailed | QueueReadOnly | null => {
    const { schema_version, rev } = loaded.decoded.queue;
    if (schema_version > queueSchemaVersion) return queueReadOnly(file, schema_version);
    const next: QueueFile = { schema_version: queueSchemaVersion, rev: rev + 1, prs: after.prs };
    const written = writeQueue(file, loaded, next, { nowMs, lastGood: true });
    if (Either.isLeft(written)) return written.left;
    cache = written.right;
    return null;
  };

  const group = makeGroupCommit<Step, TransactionFailure>((taken) =>
    withLock(
      Effect.gen(function* () {
        const file = yield* path;
        const loaded = yield* load;
        const nowMs = yield* Clock.currentTimeMillis;
        yield* Effect.sync(() => commitNow(file, loaded, taken(), nowMs));
      }),
    ),
  );

  const lastGood = (error: QueueUnreadable) => {
    if (error.lastGood === null) return Effect.fail(error);
    return loadCopy(error.lastGood).pipe(
      Effect.map(({ decoded }) => ({
        queue: decoded.queue,
        banner: `${error.message}; showing the last-good copy ${error.lastGood}`,
      })),
      Effect.mapError(() => error),
    );
  };

  const restore = (options: { readonly from?: string }) =>
    withLock(
      Effect.gen(function* () {
        const file = yield* path;
        const source = options.from ?? lastGoodPath(file);
        const copy = yield* loadCopy(source);
        if (copy.bytes === null) return yield* missingCopy(file, source);
        const nowMs = yield* Clock.currentTimeMillis;
        const current = yield* Effect.either(loadQueue(file, null, nowMs));
        const { schema_version, rev } = copy.decoded.queue;
        if (schema_version > queueSchemaVersion) return yield* queueReadOnly(source, schema_version);
        const newest = Math.max(rev, Either.isRight(current) ? current.right.decoded.queue.rev : 0);
        return yield* Effect.suspend(() => {
          const broken = Either.isRight(current) ? null : files.readFileIfThere(file);
          const keptBroken = broken === null ? null : keepBroken(file, broken, nowMs);
          const next = { ...copy.decoded.queue, rev: newest + 1 };
          const written = writeQueue(file, copy, next, { nowMs, lastGood: Either.isRight(current) });
          if (Either.isRight(written)) cache = written.right;
          return Either.map(written, () => ({ restored: source, keptBroken }));
        });
      }),
    );

  return QueueStore.of({
    read: Effect.map(load, ({ decoded }) => decoded.queue),
    readOrLastGood: load.pipe(
      Effect.map(({ decoded }) => ({ queue: decoded.queue, banner: null })),
      Effect.catchTag("QueueUnreadable", lastGood),
    ),
    transact: <A, E>(change: QueueChange<A, E>) =>
      group.submit<A, E>(
        (answer) => makeStep(change, answer),
        (failure) => Exit.fail(failure),
      ),
    restore,
  });
};

const missingCopy = (file: string, source: string): QueueUnreadable =>
  new QueueUnreadable({
    message: `there is no copy ${source} to restore ${file} from`,
    hint: "name a good file with --from",
    file: source,
    line: null,
    column: null,
    lastGood: null,
  });

export const layer: Layer.Layer<QueueStore, never, Home | Locks> = Layer.effect(
  QueueStore,
  Effect.map(Effect.all([Home, Locks]), ([home, locks]) => make(home, locks)),
);
