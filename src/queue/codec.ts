import { createHash } from "node:crypto";
import * as Either from "effect/Either";
import { identityKey } from "../names.ts";
import { sameJson } from "./codecJson.ts";
import { type CommentsAbove, noComments, renderComments, splitComments } from "./comments.ts";
import { type QueueFile, type QueueRow, queueSchemaVersion } from "./row.ts";

/** Why a queue file cannot be read or a queue not be written. Lines and columns count from one. */
export interface QueueProblem {
  readonly message: string;
  readonly line: number | null;
  readonly column: number | null;
  /** The offending text as it stands in the file; not safe to print as it is. */
  readonly near: string | null;
}

/** How a file stands on disk besides its data, so that the next write keeps what it does not change. */
export interface QueueLayout {
  /** Everything before the opening brace. */
  readonly header: string;
  /** Top-level fields that this adk does not know. */
  readonly extra: Readonly<Record<string, unknown>>;
  /** The line of each row, without its comma; null where the text is not one line of JSON that means the row. */
  readonly lines: () => ReadonlyArray<string | null>;
  /** Comments before a row, by its place; the place behind the last row holds those before the closing bracket. */
  readonly comments: ReadonlyMap<number, CommentsAbove>;
  /** Comments behind the closing brace. */
  readonly footer: string;
}

export interface DecodedQueue {
  readonly queue: QueueFile;
  readonly layout: QueueLayout;
  /** Version of an older file, whose first rewrite keeps the original; null otherwise. */
  readonly older: number | null;
}

const about =
  "// The queue of pull requests, one row a line. Any JSON5 may be written here; a comment stays with the row below it.";
const seal = "// written by adk, sha256 ";
const hashLength = 64;
const blankSeal = `${seal}${"0".repeat(hashLength)}`;
const sealLine = /^\/\/ written by adk, sha256 [0-9a-f]{64}$/m;
const emptyLayout: QueueLayout = {
  header: "",
  extra: {},
  lines: () => [],
  comments: new Map(),
  footer: "",
};

/** The queue of a missing file. */
export const emptyQueue: DecodedQueue = {
  queue: { schema_version: queueSchemaVersion, rev: 0, prs: [] },
  layout: emptyLayout,
  older: null,
};

const hashAround = (bytes: Buffer, at: number): string =>
  createHash("sha256")
    .update(bytes.subarray(0, at))
    .update(bytes.subarray(at + hashLength))
    .digest("hex");

/** Offset of the hash in the header, -1 when the file carries none or another. */
const sealedAt = (bytes: Buffer): number => {
  const found = bytes.indexOf(seal);
  if (found < 0 || (found > 0 && bytes[found - 1] !== 0x0a)) return -1;
  const at = found + seal.length;
  return bytes.subarray(at, at + hashLength).toString("latin1") === hashAround(bytes, at) ? at : -1;
};

interface Body {
  readonly lines: ReadonlyArray<string>;
  readonly comments: ReadonlyMap<number, CommentsAbove>;
}

/** True when a line leaves a block comment open. */
const leavesOpen = (line: string, open: boolean): boolean => {
  let inside = open;
  for (const [word] of line.matchAll(/\/\/|\/\*|\*\//g)) {
    if (inside) inside = word !== "*/";
    else if (word === "//") return false;
    else inside = word === "/*";
  }
  return inside;
};

/** Lines between the opening and the closing one of a file that adk wrote: a row's begins with `{`. */
const readBody = (text: string): Body => {
  const lines: Array<string> = [];
  const comments = new Map<number, CommentsAbove>();
  let region = "";
  let open = false;
  const settle = (): void => {
    if (region !== "") comments.set(lines.length, splitComments(region, { continues: false }));
    region = "";
  };
  for (const line of text === "" ? [] : text.split("\n")) {
    if (!open && line.startsWith("{")) {
      settle();
      lines.push(line.endsWith(",") ? line.slice(0, -1) : line);
    } else {
      region += `${line}\n`;
      open = leavesOpen(line, open);
    }
  }
  settle();
  return { lines, comments };
};

interface Root {
  readonly schema_version: number;
  readonly rev: number;
  readonly prs: ReadonlyArray<QueueRow>;
}

const parseRoot = (json: string): Root | null => {
  try {
    return JSON.parse(json) as Root;
  } catch {
    return null;
  }
};

/**
 * Reads a file that adk itself wrote and nobody changed since: its hash says so, which spares the full check (spec 2,
 * Store protocol 5). Null for any other file and for older schemas; those are for `decodeQueueText`.
 */
export const decodeSealedQueue = (bytes: Buffer): DecodedQueue | null => {
  const at = sealedAt(bytes);
  if (at < 0) return null;
  const text = bytes.toString("utf8");
  const start = text.indexOf('\n{"schema_version":') + 1;
  const opened = text.indexOf("\n", start);
  const end = text.lastIndexOf("\n]}");
  if (start === 0 || end < opened) return null;
  const inner = text.slice(opened + 1, Math.max(end, opened + 1));
  const commented = /\n(?:\/|\n|\s)/.test(`\n${inner}`);
  let body: Body | undefined = commented ? readBody(inner) : undefined;
  const json =
    body === undefined ? text.slice(start, end + 3) : `${text.slice(start, opened)}${body.lines.join(",")}]}`;
  const root = parseRoot(json);
  if (root === null || root.schema_version < queueSchemaVersion) return null;
  const { schema_version, rev, prs, ...extra } = root;
  return {
    queue: { schema_version, rev, prs },
    layout: {
      header: text.slice(0, start),
      extra,
      lines: () => {
        body ??= readBody(inner);
        return body.lines;
      },
      comments: body?.comments ?? new Map(),
      footer: text.slice(end + 3).trim(),
    },
    older: null,
  };
};

const problem = (message: string): QueueProblem => ({ message, line: null, column: null, near: null });

/** One line of strict JSON that gives the row back, or why there is none. JSON5 warns of raw U+2028 and U+2029. */
const lineOf = (row: QueueRow): Either.Either<string, QueueProblem> => {
  const line = JSON.stringify(row).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
  const back: unknown = JSON.parse(line);
  return sameJson(row, back)
    ? Either.right(line)
    : Either.left(problem(`row ${row.pr_url} holds a value or a key that a queue file cannot hold`));
};

/** First row that names the same PR as an earlier one, null when there is none. */
export const duplicateRow = (
  rows: ReadonlyArray<QueueRow>,
): { readonly first: number; readonly second: number } | null => {
  const seen = new Map<string, number>();
  for (const [second, row] of rows.entries()) {
    const key = identityKey(row);
    const first = seen.get(key);
    if (first !== undefined) return { first, second };
    seen.set(key, second);
  }
  return null;
};

interface Written {
  readonly lines: ReadonlyArray<string>;
  /** Place of each row in the previous queue, -1 for a new one. */
  readonly origins: ReadonlyArray<number>;
}

/** Lines of the next queue: rows that are the same objects as before keep their bytes. */
const writeRows = (previous: DecodedQueue, rows: ReadonlyArray<QueueRow>): Either.Either<Written, QueueProblem> => {
  const before = previous.queue.prs;
  const oldLines = previous.layout.lines();
  const lines: Array<string> = [];
  const origins: Array<number> = [];
  let places: Map<QueueRow, number> | undefined;
  let byKey: Map<string, number> | undefined;
  let identityMayClash = rows.length > before.length;
  for (const [index, row] of rows.entries()) {
    let origin = index;
    if (before[index] !== row) {
      places ??= new Map(before.map((old, place) => [old, place]));
      origin = places.get(row) ?? -1;
    }
    const kept = origin < 0 ? undefined : oldLines[origin];
    if (typeof kept === "string") lines.push(kept);
    else {
      const line = lineOf(row);
      if (Either.isLeft(line)) return Either.left(line.left);
      lines.push(line.right);
    }
    if (origin < 0) {
      const old = before[index];
      byKey ??= new Map(before.map((other, place) => [identityKey(other), place]));
      origin = byKey.get(identityKey(row)) ?? -1;
      identityMayClash ||= old === undefined || origin !== index;
    } else identityMayClash ||= origin !== index;
    origins.push(origin);
  }
  const twice = identityMayClash ? duplicateRow(rows) : null;
  if (twice !== null)
    return Either.left(
      problem(`rows ${twice.first + 1} and ${twice.second + 1} are both ${rows[twice.second]?.pr_url}`),
    );
  return Either.right({ lines, origins });
};

/** Comments of the previous file at the places of the next: own ones with their row, the others before what follows. */
const moveComments = (previous: DecodedQueue, origins: ReadonlyArray<number>): ReadonlyMap<number, CommentsAbove> => {
  const { comments } = previous.layout;
  if (comments.size === 0) return comments;
  const placeOf = new Map(origins.map((origin, place) => [origin, place]));
  const moved = new Map<number, CommentsAbove>();
  const add = (place: number, { apart, own }: CommentsAbove): void => {
    const there = moved.get(place) ?? noComments;
    const join = (a: string, b: string, between: string): string => (a === "" || b === "" ? a + b : a + between + b);
    moved.set(place, { apart: join(there.apart, apart, "\n\n"), own: join(there.own, own, "\n") });
  };
  const last = previous.queue.prs.length;
  for (const [old, { apart, own }] of [...comments].sort(([a], [b]) => a - b)) {
    const place = old === last ? origins.length : placeOf.get(old);
    if (place !== undefined) add(place, { apart, own });
    else if (apart !== "") {
      let next = old + 1;
      while (next < last && !placeOf.has(next)) next += 1;
      add(placeOf.get(next) ?? origins.length, { apart, own: "" });
    }
  }
  return moved;
};

const sealedHeader = (header: string): string => {
  const text = header.replaceAll("\r\n", "\n");
  if (sealLine.test(text)) return text.replace(sealLine, blankSeal);
  const above = text
    .split("\n")
    .filter((line) => line !== about)
    .join("\n")
    .trimEnd();
  return `${above === "" ? "" : `${above}\n`}${about}\n${blankSeal}\n`;
};

const render = (layout: QueueLayout, queue: QueueFile, lines: ReadonlyArray<string>): string => {
  const head = JSON.stringify({ schema_version: queue.schema_version, rev: queue.rev, ...layout.extra });
  const opening = `${sealedHeader(layout.header)}${head.slice(0, -1)},"prs":[\n`;
  const tail = layout.comments.get(lines.length);
  const rows =
    layout.comments.size === 0
      ? lines.join(",\n")
      : lines.map((line, place) => `${renderComments(layout.comments.get(place) ?? noComments)}${line}`).join(",\n");
  const closing = `${rows === "" ? "" : "\n"}${tail === undefined ? "" : renderComments(tail)}]}\n`;
  return `${opening}${rows}${closing}${layout.footer === "" ? "" : `${layout.footer}\n`}`;
};

/**
 * The bytes of the next queue after `previous`, and that queue as the next read will find it. Rows that are the very
 * objects of `previous` keep their bytes; every other line is parsed again and compared. Refused: two rows of one PR, a
 * value that JSON cannot hold, a key that must not be there.
 */
export const encodeQueue = (
  previous: DecodedQueue,
  queue: QueueFile,
): Either.Either<{ readonly bytes: Buffer; readonly decoded: DecodedQueue }, QueueProblem> => {
  const written = writeRows(previous, queue.prs);
  if (Either.isLeft(written)) return Either.left(written.left);
  const { lines, origins } = written.right;
  const layout = { ...previous.layout, comments: moveComments(previous, origins), lines: () => lines };
  const bytes = Buffer.from(render(layout, queue, lines), "utf8");
  const at = bytes.indexOf(blankSeal) + seal.length;
  bytes.write(hashAround(bytes, at), at, "latin1");
  const header = bytes.subarray(0, bytes.indexOf('\n{"schema_version":') + 1).toString("utf8");
  return Either.right({ bytes, decoded: { queue, layout: { ...layout, header }, older: null } });
};
