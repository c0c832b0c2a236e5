import { createHash } from "node:crypto";
import { basename, dirname, join, sep } from "node:path";
import * as Effect from "effect/Effect";
import * as Either from "effect/Either";
import { type DecodedQueue, decodeSealedQueue, emptyQueue, type QueueProblem } from "../../src/queue/codec.ts";
import { fileTime } from "../../src/time.ts";
import { writeFileDurablySync } from "./durableFile.ts";
import { maxReason, printable, QueueUnreadable } from "./errors.ts";
import * as files from "./fileOps.ts";
import { realPause, rereadMs, rereadPauseMs } from "./reread.ts";

/** A queue file as it stands on disk; `bytes` is null for a missing one, which is an empty queue. */
export interface LoadedQueue {
  readonly bytes: Buffer | null;
  readonly decoded: DecodedQueue;
}

export const lastGoodPath = (path: string): string => `${path}.bak`;

const unreadable = (path: string, problem: QueueProblem, kept: string | null): QueueUnreadable => {
  const lastGood = files.exists(lastGoodPath(path)) ? lastGoodPath(path) : null;
  const place = problem.line === null ? path : `${path}:${problem.line}:${problem.column ?? 1}`;
  const near = problem.near === null || problem.near === "" ? "" : `, near "${printable(problem.near)}"`;
  const copy = kept === null ? "" : `; a copy of it is ${kept}`;
  return new QueueUnreadable({
    message: `cannot read ${place}: ${printable(problem.message, maxReason)}${near}${copy}`,
    hint:
      lastGood === null
        ? "correct the file by hand; there is no last-good copy yet"
        : `correct the file by hand, or take the last-good copy ${lastGood} with \`adk pr-queue restore\``,
    file: path,
    line: problem.line,
    column: problem.column,
    lastGood,
  });
};

/**
 * Copies the bytes of a broken file aside, once for the same bytes, so that no repair can lose them. Null when the
 * folder cannot be written: the broken file itself is still there.
 */
export const keepBroken = (path: string, bytes: Buffer, nowMs: number): string | null => {
  const digest = createHash("sha256").update(bytes).digest("hex").slice(0, 8);
  const prefix = `${basename(path)}.corrupt-`;
  try {
    const copies = () =>
      files
        .list(dirname(path))
        .filter((name) => name.startsWith(prefix) && name.endsWith(`-${digest}`))
        .sort();
    const [known] = copies();
    if (known !== undefined) return join(dirname(path), known);
    const mine = `${prefix}${fileTime(nowMs)}-${digest}`;
    writeFileDurablySync(join(dirname(path), mine), bytes);
    // Processes that met the file in the same moment each wrote one: the oldest name stays.
    const [first = mine] = copies();
    if (first !== mine) files.remove(join(dirname(path), mine));
    return join(dirname(path), first);
  } catch {
    return null;
  }
};

const notReadable = (path: string, cause: unknown): QueueUnreadable =>
  new QueueUnreadable({
    message: `cannot read ${path}: ${cause instanceof Error ? cause.message : String(cause)}`,
    hint: "check that this user may read the file and its folder",
    file: path,
    line: null,
    column: null,
    lastGood: null,
    cause,
  });

const inside = (folder: string, path: string): boolean => path.startsWith(folder + sep);

/**
 * The file that the queue's path leads to. A link is followed only while it stays in the data home or in the queue's
 * own folder: otherwise whoever may place a link there decides what adk overwrites.
 */
export const resolveQueue = (path: string, data: string): Either.Either<string, QueueUnreadable> =>
  Either.flatMap(
    Either.try({
      try: () => ({ real: files.realPath(path), folder: files.realPath(dirname(path)), home: files.realPath(data) }),
      catch: (cause) => notReadable(path, cause),
    }),
    ({ real, folder, home }) => {
      if (files.isDanglingLink(path)) {
        return Either.left(
          new QueueUnreadable({
            message: `${path} is a link to a file that is not there`,
            hint: "mount or bring back what it points to, or remove the link to begin a new queue",
            file: path,
            line: null,
            column: null,
            lastGood: null,
          }),
        );
      }
      if (real === path || inside(folder, real) || inside(home, real)) return Either.right(real);
      return Either.left(
        new QueueUnreadable({
          message: `${path} is a link that leaves the data home, to ${real}`,
          hint: `remove the link, or name the file itself with --queue ${real}`,
          file: path,
          line: null,
          column: null,
          lastGood: null,
        }),
      );
    },
  );

const readBytes = (path: string): Either.Either<Buffer | null, QueueUnreadable> =>
  Either.try({ try: () => files.readFileIfThere(path), catch: (cause) => notReadable(path, cause) });

/** The full reader, with json5 and the schema behind it; loaded only for a file that adk did not write itself. */
const fullReader = Effect.promise(() => import("../../src/queue/codecText.ts"));

const decode = (bytes: Buffer): Effect.Effect<Either.Either<DecodedQueue, QueueProblem>> => {
  const sealed = decodeSealedQueue(bytes);
  if (sealed !== null) return Effect.succeed(Either.right(sealed));
  return Effect.map(fullReader, ({ decodeQueueText }) => decodeQueueText(bytes));
};

/** Reads a queue file once. `cached` is returned when it still has the bytes of the file. */
const loadOnce = (
  path: string,
  cached: LoadedQueue | null,
): Effect.Effect<
  Either.Either<LoadedQueue, { readonly bytes: Buffer; readonly problem: QueueProblem }>,
  QueueUnreadable
> =>
  Effect.gen(function* () {
    const bytes = yield* readBytes(path);
    if (bytes === null) return Either.right({ bytes, decoded: emptyQueue });
    if (cached?.bytes?.equals(bytes)) return Either.right(cached);
    const decoded = yield* decode(bytes);
    return Either.mapBoth(decoded, {
      onLeft: (problem) => ({ bytes, problem }),
      onRight: (right) => ({ bytes, decoded: right }),
    });
  });

/**
 * Reads a queue file. One that cannot be parsed is read again for half a second, because an editor may be saving it;
 * then its bytes are copied aside and the error names place, text and last-good copy (spec 2, Store protocol 6).
 */
export const loadQueue = (
  path: string,
  cached: LoadedQueue | null,
  nowMs: number,
): Effect.Effect<LoadedQueue, QueueUnreadable> =>
  Effect.gen(function* () {
    const start = performance.now();
    while (true) {
      const loaded = yield* loadOnce(path, cached);
      if (Either.isRight(loaded)) return loaded.right;
      if (performance.now() - start >= rereadMs) {
        const { bytes, problem } = loaded.left;
        return yield* unreadable(path, problem, keepBroken(path, bytes, nowMs));
      }
      yield* realPause(rereadPauseMs);
    }
  });

/** Reads another queue file, such as a last-good copy, once and without a trace. */
export const loadCopy = (path: string): Effect.Effect<LoadedQueue, QueueUnreadable> =>
  Effect.flatMap(loadOnce(path, null), (loaded) =>
    Either.isRight(loaded) ? Effect.succeed(loaded.right) : Effect.fail(unreadable(path, loaded.left.problem, null)),
  );
