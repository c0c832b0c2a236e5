import { createReadStream } from "node:fs";
import {
  chmod,
  constants,
  copyFile,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
} from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import * as Effect from "effect/Effect";
import type { ChunkRow, IndexMeta } from "../../src/index/types.ts";
import {
  IndexBroken,
  type IndexMissing,
  type IndexWriteFailed,
  indexBroken,
  indexMissing,
  writeFailed,
} from "./errors.ts";

export const chunksFile = (dir: string): string => join(dir, "chunks.jsonl");
export const metaFile = (dir: string): string => join(dir, "meta.json");

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException | null)?.code;

/**
 * Runs a file operation on an index folder; its failure names the folder. An interruption waits for it: a write that
 * outlived it would put files into a folder that has been cleared away.
 */
export const writing = <A>(dir: string, work: () => Promise<A>): Effect.Effect<A, IndexWriteFailed> =>
  Effect.uninterruptible(Effect.tryPromise({ try: work, catch: (cause) => writeFailed(dir, cause) }));

let counter = 0;
/** Suffix of a folder or file in the making; starts with the process id, so that leftovers can be told. */
const unique = (): string => `${process.pid}-${Date.now().toString(36)}-${(counter++).toString(36)}`;

export const buildingDir = (dir: string): string => `${dir}.building-${unique()}`;

const syncFolder = async (dir: string): Promise<void> => {
  const handle = await open(dir, "r");
  await handle.sync().finally(() => handle.close());
};

/** New content beside, fsynced, renamed into place: hard-linked copies of the old file keep the old content. */
export const replaceFile = async (path: string, pieces: Iterable<string | Uint8Array>): Promise<void> => {
  const temporary = `${path}.tmp-${unique()}`;
  const handle = await open(temporary, "wx", 0o600);
  try {
    for (const piece of pieces) await writeFully(handle, typeof piece === "string" ? Buffer.from(piece) : piece);
    await handle.sync();
    await handle.close();
    await rename(temporary, path);
    await syncFolder(dirname(path));
  } catch (error) {
    await handle.close().catch(() => undefined);
    await rm(temporary, { force: true });
    throw error;
  }
};

const writeFully = async (handle: Awaited<ReturnType<typeof open>>, bytes: Uint8Array): Promise<void> => {
  for (let at = 0; at < bytes.length; ) at += (await handle.write(bytes, at)).bytesWritten;
};

/** Folders 0700 and files 0600, whatever LanceDB and the umask made of them. */
export const restrict = async (dir: string): Promise<void> => {
  await chmod(dir, 0o700);
  for (const entry of await readdir(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) await restrict(path);
    else if (((await lstat(path)).mode & 0o077) !== 0) await chmod(path, 0o600);
  }
};

export const makeFolder = async (dir: string): Promise<void> => {
  await mkdir(dir, { recursive: true, mode: 0o700 });
};

const leftoversOf = async (dir: string): Promise<string[]> => {
  const entries = await readdir(dirname(dir)).catch(() => []);
  const name = basename(dir);
  return entries.filter((entry) => entry.startsWith(`${name}.building-`) || entry.startsWith(`${name}.old-`));
};

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/**
 * Cleans up after killed runs: an index caught between the two renames of a swap comes back, everything half made goes.
 * The caller holds the lock of the base or task, so nothing found here belongs to a live run.
 */
export const recoverLeftovers = async (dir: string): Promise<void> => {
  const leftovers = await leftoversOf(dir);
  const old = leftovers.filter((entry) => entry.includes(".old-")).sort();
  const last = old.at(-1);
  if (last !== undefined && !(await exists(dir))) await rename(join(dirname(dir), last), dir);
  for (const entry of leftovers) await rm(join(dirname(dir), entry), { recursive: true, force: true });
};

/** Puts a complete folder in the place of another: two renames, and whoever looks in between tries again. */
export const swapIn = async (from: string, to: string): Promise<void> => {
  const old = `${to}.old-${unique()}`;
  const had = await rename(to, old).then(
    () => true,
    (error: unknown) => {
      if (codeOf(error) === "ENOENT") return false;
      throw error;
    },
  );
  await rename(from, to);
  await syncFolder(dirname(to));
  if (had) await rm(old, { recursive: true, force: true });
};

const linkOrCopy = async (from: string, to: string): Promise<void> => {
  try {
    await link(from, to);
  } catch (error) {
    if (!["EXDEV", "EPERM", "EMLINK", "ENOTSUP", "ENOSYS"].includes(codeOf(error) ?? "")) throw error;
    await copyFile(from, to, constants.COPYFILE_FICLONE);
  }
};

/** Versions before data: a version linked after its data could name files that a clean-up has taken since. */
const inOrder = (names: ReadonlyArray<string>): string[] =>
  [...names].sort((a, b) => Number(b === "_versions") - Number(a === "_versions") || (a < b ? -1 : 1));

const linkTree = async (from: string, to: string): Promise<void> => {
  await mkdir(to, { mode: 0o700 });
  const entries = new Map((await readdir(from, { withFileTypes: true })).map((entry) => [entry.name, entry]));
  for (const name of inOrder([...entries.keys()])) {
    const entry = entries.get(name);
    if (name.includes(".tmp-")) continue;
    if (entry?.isDirectory()) await linkTree(join(from, name), join(to, name));
    else if (entry?.isFile()) await linkOrCopy(join(from, name), join(to, name));
  }
};

const identity = async (dir: string): Promise<string> => {
  const [folder, meta] = await Promise.all([stat(dir), stat(metaFile(dir))]);
  return `${folder.dev}:${folder.ino}:${meta.ino}:${meta.mtimeMs}`;
};

const attempts = 40;

/** Hard-links a complete index; begins again when the index was swapped or cleaned meanwhile. */
export const linkIndex = async (from: string, to: string): Promise<void> => {
  for (let attempt = 1; ; attempt++) {
    await rm(to, { recursive: true, force: true });
    try {
      const before = await identity(from);
      await linkTree(from, to);
      if ((await identity(from)) === before) return;
    } catch (error) {
      if (codeOf(error) !== "ENOENT" || attempt >= attempts) throw error;
    }
    if (attempt >= attempts) throw new Error(`${from} changed ${attempts} times while it was being linked`);
    await pause(Math.min(5 * attempt, 100));
  }
};

const isMeta = (value: unknown): value is IndexMeta => {
  if (typeof value !== "object" || value === null) return false;
  const meta = value as Record<string, unknown>;
  const texts = ["table", "provider", "model", "head_sha", "built_at"].every((key) => typeof meta[key] === "string");
  const numbers = ["dim", "chunker_version", "rows"].every((key) => Number.isInteger(meta[key]));
  return texts && numbers && Array.isArray(meta.skipped);
};

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Between the two renames of a swap there is no folder for a moment; the old one beside it tells. */
const readMetaText = async (dir: string): Promise<string> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await readFile(metaFile(dir), "utf8");
    } catch (error) {
      const swapping = codeOf(error) === "ENOENT" && (await leftoversOf(dir)).some((name) => name.includes(".old-"));
      if (!swapping || attempt >= attempts) throw error;
      await pause(5);
    }
  }
};

/** meta.json of an index folder. */
export const readMeta = (dir: string): Effect.Effect<IndexMeta, IndexMissing | IndexBroken> =>
  Effect.tryPromise({
    try: async () => {
      const value: unknown = JSON.parse(await readMetaText(dir));
      if (!isMeta(value)) throw indexBroken(dir, "meta.json lacks fields");
      return value;
    },
    catch: (cause) => {
      if (cause instanceof IndexBroken) return cause;
      return codeOf(cause) === "ENOENT" ? indexMissing(dir) : indexBroken(dir, "meta.json cannot be read", cause);
    },
  });

export const writeMeta = (dir: string, meta: IndexMeta): Promise<void> =>
  replaceFile(metaFile(dir), [`${JSON.stringify(meta)}\n`]);

/** One line of chunks.jsonl. `path` comes first, so that lines of a path are told apart without parsing them. */
export const chunkLine = (row: ChunkRow): string =>
  `${JSON.stringify({
    path: row.path,
    id: row.id,
    line_start: row.line_start,
    line_end: row.line_end,
    symbol: row.symbol,
    kind: row.kind,
    lang: row.lang,
    oid: row.oid,
    defs: row.defs,
    calls: row.calls,
    text: row.text,
  })}\n`;

const linePrefix = (path: string): string => `{"path":${JSON.stringify(path)},"id":`;
const idMark = Buffer.from(',"id":');

/** Bytes of chunks.jsonl without the lines of `paths`, as views into the file's bytes: nothing is parsed or copied. */
export const linesWithout = (bytes: Buffer, paths: ReadonlySet<string>): Uint8Array[] => {
  const prefixes = new Set([...paths].map(linePrefix));
  const kept: Uint8Array[] = [];
  let from = 0;
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(10, start);
    const end = found < 0 ? bytes.length : found + 1;
    const mark = bytes.indexOf(idMark, start);
    const prefix = mark < 0 || mark > end ? "" : bytes.toString("utf8", start, mark + idMark.length);
    if (prefixes.has(prefix)) {
      if (start > from) kept.push(bytes.subarray(from, start));
      from = end;
    }
    start = end;
  }
  if (from < bytes.length) kept.push(bytes.subarray(from));
  return kept;
};

/** Streams the rows of chunks.jsonl. Throws on a line that is not a row. */
export async function* readChunkLines(dir: string): AsyncGenerator<ChunkRow> {
  let rest = "";
  for await (const piece of createReadStream(chunksFile(dir), { encoding: "utf8", highWaterMark: 1 << 20 })) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield JSON.parse(line) as ChunkRow;
  }
  if (rest !== "") throw new Error("chunks.jsonl ends in the middle of a line");
}
