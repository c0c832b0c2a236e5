import { dirname } from "node:path";
import * as Clock from "effect/Clock";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Either from "effect/Either";
import * as Layer from "effect/Layer";
import { sameJson } from "../../src/queue/codecJson.ts";
import { writeFileDurablySync } from "./durableFile.ts";
import {
  DocumentUnreadable,
  type LockBusy,
  type LockFailed,
  maxReason,
  NewerSchema,
  printable,
  WriteFailed,
  writeFailed,
} from "./errors.ts";
import * as files from "./fileOps.ts";
import { type JsonFault, parseJsonText } from "./jsonText.ts";
import { Locks } from "./Locks.ts";
import { keepBroken, lastGoodPath } from "./queueFile.ts";
import { realPause, rereadMs, rereadPauseMs } from "./reread.ts";

/** What a kind of document is and how it is checked. */
export interface DocumentSpec<T> {
  /** Name in messages, such as `repo-meta.json`. */
  readonly name: string;
  /** Highest `schema_version` that this adk knows; a higher one is refused. */
  readonly maxSchema?: number;
  /** Left: what is wrong, for the message. Fields that it leaves out at the top level are kept on disk. */
  readonly check: (value: unknown) => Either.Either<T, string>;
}

export type DocumentWriteFailure = WriteFailed | NewerSchema;

/** What a change makes of a document: the next one, or null to leave it, and its answer; or its own failure. */
export type DocumentChange<T, A, E> = (
  current: T | null,
) => Either.Either<{ readonly next: T | null; readonly result: A }, E>;

/**
 * State files of one object: metas, snapshots, state.json. Same protocol as the queue's (spec 2, Store protocol 7):
 * whole files only, the last good one kept as `.bak`, fsync, read back before the write. Readers take no lock.
 */
export class JsonDocuments extends Context.Tag("adk/JsonDocuments")<
  JsonDocuments,
  {
    /** The document, null when there is none. */
    readonly read: <T>(
      path: string,
      spec: DocumentSpec<T>,
    ) => Effect.Effect<T | null, DocumentUnreadable | NewerSchema>;
    /** Replaces the document, whatever it says now; for documents with one writer. A newer one is refused. */
    readonly write: <T>(
      path: string,
      spec: DocumentSpec<T>,
      value: T,
    ) => Effect.Effect<void, WriteFailed | NewerSchema>;
    /** One pure change under the lock of that name; `next: null` or the very `current` leaves the file as it is. */
    readonly update: <T, A, E>(
      path: string,
      spec: DocumentSpec<T>,
      options: { readonly lock: string },
      change: DocumentChange<T, A, E>,
    ) => Effect.Effect<A, E | DocumentUnreadable | NewerSchema | LockBusy | LockFailed | WriteFailed>;
    /** Removes the document and its last-good copy; a missing one is fine. */
    readonly remove: (path: string) => Effect.Effect<void, WriteFailed>;
  }
>() {}

type Fields = Readonly<Record<string, unknown>>;

interface Loaded<T> {
  readonly value: T;
  /** Top-level fields on disk that the check did not take over. */
  readonly unknown: Fields;
}

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const unreadable = (path: string, name: string, fault: JsonFault, kept: string | null): DocumentUnreadable => {
  const place = fault.line === null ? path : `${path}:${fault.line}:${fault.column ?? 1}`;
  const near = fault.near === null || fault.near === "" ? "" : `, near "${printable(fault.near)}"`;
  const copy = kept === null ? "" : `; a copy of it is ${kept}`;
  const good = files.exists(lastGoodPath(path)) ? `, or put back the last-good copy ${lastGoodPath(path)}` : "";
  return new DocumentUnreadable({
    message: `cannot read ${name}, ${place}: ${printable(fault.message, maxReason)}${near}${copy}`,
    hint: `correct the file by hand${good}`,
    path,
    line: fault.line,
    column: fault.column,
  });
};

const noPlace = (message: string): JsonFault => ({ message, line: null, column: null, near: null });

const checked = <T>(
  path: string,
  spec: DocumentSpec<T>,
  raw: unknown,
): Either.Either<Loaded<T>, JsonFault | NewerSchema> => {
  const version = isFields(raw) ? raw.schema_version : undefined;
  if (spec.maxSchema !== undefined && typeof version === "number" && version > spec.maxSchema)
    return Either.left(
      new NewerSchema({
        message: `${path} was written by a newer adk (schema ${version}, this one knows ${spec.maxSchema})`,
        hint: "update adk",
        path,
        schemaVersion: version,
      }),
    );
  return Either.mapBoth(spec.check(raw), {
    onLeft: noPlace,
    onRight: (value) => ({
      value,
      unknown: Object.fromEntries(
        Object.entries(isFields(raw) ? raw : {}).filter(([key]) => !isFields(value) || !Object.hasOwn(value, key)),
      ),
    }),
  });
};

type Seen<T> = Either.Either<Loaded<T> | null, { readonly bytes: Buffer; readonly fault: JsonFault }>;

const loadOnce = <T>(path: string, spec: DocumentSpec<T>): Effect.Effect<Seen<T>, DocumentUnreadable | NewerSchema> =>
  Effect.gen(function* () {
    const bytes = yield* Effect.try({
      try: () => files.readFileIfThere(path),
      catch: (cause) =>
        unreadable(path, spec.name, noPlace(cause instanceof Error ? cause.message : String(cause)), null),
    });
    if (bytes === null) return Either.right(null);
    const parsed = yield* parseJsonText(bytes);
    const found = Either.flatMap(parsed, (raw) => checked(path, spec, raw));
    if (Either.isRight(found)) return Either.right(found.right);
    if (found.left instanceof NewerSchema) return yield* found.left;
    return Either.left({ bytes, fault: found.left });
  });

const load = <T>(
  path: string,
  spec: DocumentSpec<T>,
): Effect.Effect<Loaded<T> | null, DocumentUnreadable | NewerSchema> =>
  Effect.gen(function* () {
    const start = performance.now();
    while (true) {
      const seen = yield* loadOnce(path, spec);
      if (Either.isRight(seen)) return seen.right;
      if (performance.now() - start >= rereadMs) {
        const kept = keepBroken(path, seen.left.bytes, yield* Clock.currentTimeMillis);
        return yield* unreadable(path, spec.name, seen.left.fault, kept);
      }
      yield* realPause(rereadPauseMs);
    }
  });

/** Bytes that give the same value back and pass its check, or why there are none. */
const encode = <T>(
  path: string,
  spec: DocumentSpec<T>,
  loaded: Loaded<T> | null,
  value: T,
): Either.Either<Buffer, WriteFailed> => {
  const whole = isFields(value) ? { ...loaded?.unknown, ...value } : value;
  const text = JSON.stringify(whole, null, 2);
  const back: unknown = text === undefined ? undefined : JSON.parse(text);
  const fault = sameJson(whole, back) ? Either.flip(spec.check(back)) : Either.right("it is not plain JSON");
  if (Either.isLeft(fault)) return Either.right(Buffer.from(`${text}\n`, "utf8"));
  return Either.left(
    new WriteFailed({
      message: `cannot write ${spec.name}, ${path}: ${fault.right}`,
      hint: "nothing was changed; run the command again with -v and report what the log says",
      path,
      code: null,
    }),
  );
};

const save = <T>(
  path: string,
  spec: DocumentSpec<T>,
  loaded: Loaded<T> | null,
  value: T,
): Either.Either<void, WriteFailed> =>
  Either.flatMap(encode(path, spec, loaded, value), (bytes) =>
    Either.try({
      try: () => writeFileDurablySync(path, bytes, { lastGood: loaded !== null }),
      catch: (cause) => writeFailed(path, cause),
    }),
  );

const write: Context.Tag.Service<JsonDocuments>["write"] = (path, spec, value) =>
  load(path, spec).pipe(
    Effect.catchTag("DocumentUnreadable", () => Effect.succeed(null)),
    Effect.flatMap((loaded) => Effect.suspend(() => save(path, spec, loaded, value))),
  );

const changeLoaded = <T, A, E>(
  path: string,
  spec: DocumentSpec<T>,
  loaded: Loaded<T> | null,
  change: DocumentChange<T, A, E>,
): Effect.Effect<A, E | WriteFailed> =>
  Effect.suspend((): Effect.Effect<A, E | WriteFailed> => {
    const current = loaded?.value ?? null;
    const changed = change(current);
    if (Either.isLeft(changed)) return Effect.fail(changed.left);
    const { next, result } = changed.right;
    if (next === null || next === current) return Effect.succeed(result);
    return Effect.as(save(path, spec, loaded, next), result);
  });

const removeBoth = (path: string): void => {
  for (const file of [path, lastGoodPath(path)]) files.remove(file);
  if (files.exists(dirname(path))) files.fsyncDir(dirname(path));
};

const make = (locks: Context.Tag.Service<Locks>): Context.Tag.Service<JsonDocuments> => ({
  read: (path, spec) => Effect.map(load(path, spec), (loaded) => loaded?.value ?? null),
  write,
  update: (path, spec, options, change) =>
    locks.withLock(
      options.lock,
      {},
      Effect.flatMap(load(path, spec), (loaded) => changeLoaded(path, spec, loaded, change)),
    ),
  remove: (path) => Effect.try({ try: () => removeBoth(path), catch: (cause) => writeFailed(path, cause) }),
});

export const layer: Layer.Layer<JsonDocuments, never, Locks> = Layer.effect(JsonDocuments, Effect.map(Locks, make));
