import * as Either from "effect/Either";
import JSON5 from "json5";
import { parsePrUrl } from "../pr/prUrl.ts";
import { formatTime, parseTime } from "../time.ts";
import { type DecodedQueue, duplicateRow, emptyQueue, type QueueProblem } from "./codec.ts";
import { type CommentsAbove, outlineQueue, type QueueOutline, splitComments } from "./comments.ts";
import { rowFault } from "./queueSchema.ts";
import { newRow, type QueueRow, queueSchemaVersion } from "./row.ts";

type Plain = Readonly<Record<string, unknown>>;

const isPlain = (value: unknown): value is Plain =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const placeOf = (text: string, offset: number): { readonly line: number; readonly column: number } => {
  const before = text.slice(0, offset).split(/\r\n|[\n\r]/);
  return { line: before.length, column: (before.at(-1) ?? "").length + 1 };
};

const lineText = (text: string, line: number): string => text.split(/\r\n|[\n\r]/)[line - 1]?.trim() ?? "";

const refuse = (text: string, message: string, offset: number | null): Either.Either<never, QueueProblem> => {
  if (offset === null) return Either.left({ message, line: null, column: null, near: null });
  const place = placeOf(text, offset);
  return Either.left({ message, ...place, near: lineText(text, place.line) });
};

/** Decay that has a name of its own, before any parser complains about its symptoms. */
const decay = (text: string): Either.Either<null, QueueProblem> => {
  if (/^\0+$/.test(text)) return refuse(text, "the file holds nothing but NUL bytes", 0);
  if (text.trim() === "") return refuse(text, "the file is empty", 0);
  const conflict = /^(?:<{7} |={7}\r?$|>{7} )/m.exec(text);
  if (conflict !== null) return refuse(text, "the file holds merge conflict markers", conflict.index);
  return Either.right(null);
};

const numberField = (error: object, field: string): number | null => {
  const value: unknown = Reflect.get(error, field);
  return typeof value === "number" ? value : null;
};

const parseText = (text: string): Either.Either<unknown, QueueProblem> => {
  try {
    // Written lines are JSON; only what a person added needs the slower grammar.
    return Either.right(JSON.parse(text.replace(/^(?:[ \t]*\/\/[^\n]*\n)*/, "")));
  } catch {
    try {
      return Either.right(JSON5.parse(text));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      const line = numberField(error, "lineNumber");
      return Either.left({
        message: error.message.replace(/^JSON5: /, "").replace(/ at \d+:\d+$/, ""),
        line,
        column: numberField(error, "columnNumber"),
        near: line === null ? null : lineText(text, line),
      });
    }
  }
};

const oldNames = [
  ["pr_link", "pr_url"],
  ["head_oid", "head_sha"],
  ["last_reviewed_head_oid", "last_reviewed_head_sha"],
] as const;
const oldStatuses: Readonly<Record<string, string>> = { declined: "closed", needs_fix: "comments" };

/** The row under today's names; the very object when it has no old ones. Where both are there, today's name wins. */
const renamed = (row: Plain): Plain => {
  const status = typeof row.status === "string" ? oldStatuses[row.status] : undefined;
  const stale = oldNames.filter(([old]) => Object.hasOwn(row, old));
  if (status === undefined && stale.length === 0) return row;
  const next: Record<string, unknown> = { ...row };
  for (const [old, now] of stale) {
    if (!Object.hasOwn(row, now)) next[now] = row[old];
    delete next[old];
  }
  if (status !== undefined) next.status = status;
  return next;
};

const identityFields = ["platform", "host", "owner", "repo", "pr_number"] as const;

const nobody = { platform: "github", host: "", owner: "", repo: "", pr_number: 0, pr_url: "" } as const;

/** Fills what an older adk or a person left out. The identity comes from the address of the PR. */
const completed = (row: Plain): Plain => {
  const url = typeof row.pr_url === "string" ? row.pr_url.replace(/^http:/i, "https:") : "";
  const lacksIdentity = identityFields.some((field) => row[field] === undefined || row[field] === null);
  const parsed = lacksIdentity ? parsePrUrl(url, { githubHosts: [] }) : null;
  const identity = parsed !== null && Either.isRight(parsed) ? parsed.right : null;
  const { platform, host, owner, repo, pr_number, pr_url, ...rest } = newRow(identity ?? nobody);
  const base: Plain = identity === null ? rest : { pr_url, platform, host, owner, repo, pr_number, ...rest };
  // Null says nothing where a row always has a value; an address that had to be parsed is stored in its one form.
  const isGap = ([field, value]: readonly [string, unknown]): boolean =>
    (value === null && base[field] !== null && Object.hasOwn(base, field)) || (field === "pr_url" && identity !== null);
  const given = Object.fromEntries(Object.entries(row).filter((entry) => !isGap(entry)));
  return Object.keys(base).every((field) => Object.hasOwn(given, field)) ? row : { ...base, ...given };
};

const timeField = /_at$/;

/** Times of older files: any zone, and none at all, which was UTC there. */
const modernTimes = (row: Plain): Plain =>
  Object.fromEntries(
    Object.entries(row).map(([field, value]) => {
      if (!timeField.test(field) || typeof value !== "string") return [field, value];
      const ms = parseTime(value) ?? parseTime(`${value.replace(" ", "T")}Z`);
      return [field, ms === null ? value : formatTime(ms)];
    }),
  );

interface Rows {
  readonly rows: ReadonlyArray<QueueRow>;
  /** True where the row means exactly what its text says. */
  readonly verbatim: ReadonlyArray<boolean>;
}

const readRows = (
  text: string,
  outline: QueueOutline,
  list: ReadonlyArray<unknown>,
  version: number,
): Either.Either<Rows, QueueProblem> => {
  const rows: Array<QueueRow> = [];
  const verbatim: Array<boolean> = [];
  for (const [index, item] of list.entries()) {
    const at = outline.rows[index]?.start ?? outline.list?.start ?? 0;
    if (!isPlain(item)) return refuse(text, `row ${index + 1} is not an object`, outline.list?.start ?? 0);
    const named = completed(renamed(item));
    const row = version < queueSchemaVersion ? modernTimes(named) : named;
    const fault = version > queueSchemaVersion ? null : rowFault(row);
    if (fault !== null) {
      const url = typeof row.pr_url === "string" && row.pr_url !== "" ? ` (${row.pr_url})` : "";
      return refuse(text, `row ${index + 1}${url}, field ${fault.field}: ${fault.message}`, at);
    }
    // Checked field by field above; a newer schema is shown as it is and never written.
    rows.push(row as unknown as QueueRow);
    verbatim.push(row === item);
  }
  const twice = duplicateRow(rows);
  if (twice !== null) {
    const url = rows[twice.second]?.pr_url ?? "";
    const message = `rows ${twice.first + 1} and ${twice.second + 1} are the same PR, ${url}`;
    return refuse(text, message, outline.rows[twice.second]?.start ?? 0);
  }
  return Either.right({ rows, verbatim });
};

/** Where the comments before row `index` begin: behind the previous row, its comma and what follows on its line. */
const regionStart = (text: string, outline: QueueOutline, index: number): number => {
  const previous = outline.rows[index - 1];
  if (previous === undefined) return outline.list?.start ?? 0;
  const behind = /^[ \t]*,?(?:[ \t]*(?:\/\*(?:(?!\*\/)[^\n\r])*\*\/|\/\/[^\n\r]*))*/.exec(
    text.slice(previous.end, previous.end + 4096),
  );
  return previous.end + (behind?.[0].length ?? 0);
};

const textsIn = (text: string, outline: QueueOutline, start: number, end: number): ReadonlyArray<string> =>
  outline.comments.filter((c) => c.start >= start && c.end <= end).map((c) => text.slice(c.start, c.end));

/** Comments by row: those above it, inside it and behind it on its line, all of which will stand above it. */
const commentsOf = (text: string, outline: QueueOutline): ReadonlyMap<number, CommentsAbove> => {
  const found = new Map<number, CommentsAbove>();
  const { list } = outline;
  if (outline.comments.length === 0 || list === null) return found;
  for (let index = 0; index <= outline.rows.length; index += 1) {
    const row = outline.rows[index];
    const start = regionStart(text, outline, index);
    const above = splitComments(text.slice(start, Math.max(start, row?.start ?? list.end)), { continues: index === 0 });
    const next = row === undefined ? list.end : regionStart(text, outline, index + 1);
    const inside = row === undefined ? [] : textsIn(text, outline, row.start, Math.min(next, list.end));
    const own = [above.own, ...inside].filter((part) => part !== "").join("\n");
    if (above.apart !== "" || own !== "") found.set(index, { apart: above.apart, own });
  }
  return found;
};

const headerOf = (text: string, outline: QueueOutline): string => {
  const { root, list } = outline;
  const loose = [
    ...textsIn(text, outline, root.start, list?.start ?? root.end),
    ...(list === null ? [] : textsIn(text, outline, list.end, root.end)),
  ];
  const head = text.slice(0, root.start).trim();
  return [...(head === "" ? [] : [head]), ...loose].map((part) => `${part}\n`).join("");
};

const oneLine = (text: string, span: { readonly start: number; readonly end: number } | undefined): string | null => {
  if (span === undefined) return null;
  const line = text.slice(span.start, span.end);
  if (/[\n\r\u2028\u2029]/.test(line)) return null;
  try {
    JSON.parse(line);
    return line;
  } catch {
    return null;
  }
};

const decodeRoot = (text: string, root: Plain, outline: QueueOutline): Either.Either<DecodedQueue, QueueProblem> => {
  const { schema_version: version = 3, rev = 0, prs: list = [], ...extra } = root;
  if (typeof version !== "number" || !Number.isSafeInteger(version) || version < 0)
    return refuse(text, "field schema_version is not a whole number", outline.root.start);
  if (typeof rev !== "number" || !Number.isSafeInteger(rev) || rev < 0)
    return refuse(text, "field rev is not a whole number", outline.root.start);
  if (!Array.isArray(list)) return refuse(text, "field prs is not a list of rows", outline.root.start);
  if (root.prs === undefined && Object.keys(root).length > 0)
    return refuse(text, "field prs, the list of rows, is missing", outline.root.start);
  const read = readRows(text, outline, list, version);
  if (Either.isLeft(read)) return Either.left(read.left);
  const { rows, verbatim } = read.right;
  const older = version < queueSchemaVersion ? version : null;
  const lines = rows.map((_, index) => (verbatim[index] === true ? oneLine(text, outline.rows[index]) : null));
  return Either.right({
    queue: { schema_version: older === null ? version : queueSchemaVersion, rev, prs: rows },
    layout: {
      header: headerOf(text, outline),
      extra,
      lines: () => lines,
      comments: commentsOf(text, outline),
      footer: textsIn(text, outline, outline.root.end, text.length).join("\n"),
    },
    older,
  });
};

/**
 * Reads any queue file with the full check: JSON5 of a person's hand, older schemas (old names, missing fields), decay
 * with a name. The error says line, column and text; for a row its number, address and field (spec 2, protocol 5, 6).
 */
export const decodeQueueText = (bytes: Uint8Array): Either.Either<DecodedQueue, QueueProblem> => {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return refuse("", "the file is not UTF-8 text", null);
  }
  const decayed = decay(text);
  if (Either.isLeft(decayed)) return Either.left(decayed.left);
  const parsed = parseText(text);
  if (Either.isLeft(parsed)) return Either.left(parsed.left);
  const root = parsed.right;
  if (Array.isArray(root)) return refuse(text, "the top level is a list, not an object with the list prs", 0);
  if (!isPlain(root)) return refuse(text, "the top level is not an object", 0);
  const outline = outlineQueue(text);
  if (outline.fault !== null) {
    const { kind, key, offset } = outline.fault;
    const message =
      kind === "duplicate" ? `the key ${key} is there twice in one object` : `the key ${key} is not allowed`;
    return refuse(text, message, offset);
  }
  return Object.keys(root).length === 0 ? Either.right(emptyQueue) : decodeRoot(text, root, outline);
};
