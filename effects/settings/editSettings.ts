import { readFile } from "node:fs/promises";
import * as Effect from "effect/Effect";
import { type Document, isCollection, isMap, isNode, isScalar, parseDocument, stringify } from "yaml";
import { checkConfig, fieldOfKey, nearestKey } from "../../src/config/check.ts";
import { configValue, describeKind } from "../../src/config/schema.ts";
import { UsageError } from "../../src/errors.ts";
import { Home } from "../home/Home.ts";
import { writeFileDurably } from "../store/durableFile.ts";
import type { LockBusy, LockFailed, WriteFailed } from "../store/errors.ts";
import { Locks } from "../store/Locks.ts";
import { queueLockFolder } from "../store/queueLockFolder.ts";
import { ConfigUnreadable } from "./errors.ts";
import { parseSettings } from "./parseSettings.ts";

type FieldOfKey = NonNullable<ReturnType<typeof fieldOfKey>>;

/** A word of the command line as the value of a key: text stays text where text is wanted, the rest is read as YAML. */
const readValue = (field: FieldOfKey, word: string): Effect.Effect<unknown, UsageError> =>
  Effect.suspend(() => {
    const { kind } = field.kind;
    if (kind === "choice" || (kind === "text" && !("nullable" in field.kind && word === "null"))) {
      return Effect.succeed(word);
    }
    const document = parseDocument(word.length > 65_536 ? "{" : word, { prettyErrors: false });
    const wrong = document.errors.length > 0;
    const value: unknown = wrong ? undefined : document.toJS({ maxAliasCount: 0 });
    if (wrong)
      return new UsageError({
        message: `${field.key} must be ${describeKind(field.kind)}`,
        hint: kind === "list" ? "give a list as '[a, b]'" : "see docs/config.md",
      });
    return Effect.succeed(value);
  });

const nested = (key: ReadonlyArray<string>, value: unknown): unknown =>
  key.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);

/** One line of flow YAML, so that it can stand where another value stood. */
const flow = (value: unknown): string =>
  stringify(value, { collectionStyle: "flow", lineWidth: 0, flowCollectionPadding: false }).trimEnd();

/** The text with the value of a key that is already there replaced in place; null when there is none to replace. */
const replaceInPlace = (text: string, document: Document.Parsed, path: ReadonlyArray<string>, value: unknown) => {
  const node = document.getIn(path, true);
  if (!isNode(node) || !node.range || node.range[1] <= node.range[0]) return null;
  const inline = isScalar(node)
    ? node.type === "PLAIN" || /^QUOTE_/.test(String(node.type))
    : isCollection(node) && node.flow === true;
  if (!inline || node.anchor !== undefined || node.tag?.startsWith("!")) return null;
  return text.slice(0, node.range[0]) + flow(value) + text.slice(node.range[1]);
};

/** The text with a key added or its block replaced; the parser's own writer keeps comments. */
const rewrite = (document: Document.Parsed, path: ReadonlyArray<string>, value: unknown): string => {
  for (let length = 1; length < path.length; length += 1) {
    const parent = path.slice(0, length);
    if (!isMap(document.getIn(parent, true)) && document.hasIn(parent)) document.deleteIn(parent);
  }
  document.setIn(path, document.createNode(value));
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
};

/**
 * The text of core.yaml with one key set; comments, order and the other lines stay. Pure but for its failures:
 * UsageError for an unknown key or a value that the key cannot hold, ConfigUnreadable when the text is not usable.
 */
export const setInText = (
  path: string,
  text: string,
  key: string,
  word: string,
): Effect.Effect<{ readonly text: string; readonly value: unknown }, UsageError | ConfigUnreadable> =>
  Effect.gen(function* () {
    const field = fieldOfKey(key);
    if (field === null) {
      const meant = nearestKey(key);
      return yield* new UsageError({
        message: `unknown key ${key}`,
        hint: meant === undefined ? "docs/config.md lists every key" : `did you mean ${meant}?`,
      });
    }
    const value = yield* readValue(field, word);
    const names = key.split(".");
    const wrong = checkConfig(nested(names, value)).errors[0];
    if (wrong !== undefined)
      return yield* new UsageError({ message: wrong.message, hint: "docs/config.md lists every key and its values" });
    const { document } = yield* parseSettings(path, text);
    const inPlace = replaceInPlace(text, document, names, value);
    const next = inPlace ?? rewrite(document, names, value);
    // What is written is what was asked for, or nothing is written.
    const after = yield* parseSettings(path, next);
    const got = configValue(after.config, key);
    if (JSON.stringify(got) !== JSON.stringify(value))
      return yield* new ConfigUnreadable({
        message: `cannot set ${key} in ${path} without changing something else`,
        hint: "edit the file by hand",
        path,
        line: null,
        key,
      });
    return { text: next, value };
  });

const readText = (path: string): Effect.Effect<string, ConfigUnreadable> =>
  Effect.tryPromise({ try: () => readFile(path, "utf8"), catch: (error) => error as NodeJS.ErrnoException }).pipe(
    Effect.catchAll((error) =>
      error.code === "ENOENT"
        ? Effect.succeed("")
        : new ConfigUnreadable({
            message: `cannot read ${path}: ${error.message}`,
            hint: "check that this user may read it",
            path,
            line: null,
            key: null,
          }),
    ),
  );

/**
 * Sets one key of core.yaml and writes the file durably; creates it when it is missing. Reads and writes under one
 * lock, whatever the data home, so that of two who set something at once neither loses it.
 */
export const setConfig = (
  path: string,
  key: string,
  word: string,
): Effect.Effect<
  { readonly value: unknown },
  UsageError | ConfigUnreadable | WriteFailed | LockBusy | LockFailed,
  Locks | Home
> =>
  Effect.gen(function* () {
    const locks = yield* Locks;
    const folder = queueLockFolder(path, yield* Home);
    const edit = Effect.gen(function* () {
      const before = yield* readText(path);
      const { text, value } = yield* setInText(path, before, key, word);
      if (text !== before) yield* writeFileDurably(path, text);
      return { value };
    });
    return yield* locks.withLock("config", { folder }, edit);
  });
