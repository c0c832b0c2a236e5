import { createHash, randomBytes } from "node:crypto";
import { basename, dirname, join } from "node:path";
import * as Effect from "effect/Effect";
import { currentIdentity, startOf } from "../proc/ProcessIdentity.ts";
import { type WriteFailed, writeFailed } from "./errors.ts";
import * as files from "./fileOps.ts";

export interface DurableWrite {
  /** Keep the replaced file as `<path>.bak`. Only for a file that was just read and found good. */
  readonly lastGood?: boolean;
}

const hash8 = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 8);

/** Name of a temp file that tells whose it is: a later writer of its folder sweeps it when that process is provably dead. */
const tempName = (target: string): string => {
  const { host, boot, pid, start } = currentIdentity();
  const owner = `${hash8(host)}-${hash8(boot)}-${pid}-${hash8(start)}`;
  return `.${basename(target)}.${owner}-${randomBytes(4).toString("hex")}.tmp`;
};

const tempShape = /\.([0-9a-f]{8})-([0-9a-f]{8})-(\d+)-([0-9a-f]{8})-[0-9a-f]{8}\.tmp$/;

const isDeadTemp = (name: string): boolean => {
  const match = tempShape.exec(name);
  if (match === null) return false;
  const [, host, boot, pid, start] = match;
  const self = currentIdentity();
  if (host !== hash8(self.host)) return false;
  if (boot !== hash8(self.boot)) return true;
  const found = startOf(Number(pid));
  return found.kind === "gone" || (found.kind === "running" && hash8(found.start) !== start);
};

/** A temp that cannot be removed must neither hide why a write failed nor stop one; a later writer sweeps it. */
const discard = (temp: string): void => {
  try {
    files.remove(temp);
  } catch {
    return;
  }
};

/**
 * Removes the temp files of dead writers, whatever they were to become: a copy whose name tells the second is never
 * written under that name again.
 */
const sweep = (folder: string): void => {
  for (const name of files.list(folder)) if (name.startsWith(".") && isDeadTemp(name)) discard(join(folder, name));
};

const fill = (temp: string, bytes: Uint8Array): void => {
  const fd = files.createExclusive(temp);
  try {
    files.writeAll(fd, bytes, temp);
    const size = files.sizeOf(fd, temp);
    if (size !== bytes.length)
      throw Object.assign(new Error(`${size} of ${bytes.length} bytes arrived in '${temp}'`), { code: "EIO" });
    files.fsync(fd, temp);
  } finally {
    files.close(fd);
  }
};

const noHardLinks = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EXDEV"] as const;

const keepLastGood = (target: string, temp: string): void => {
  try {
    files.link(target, temp);
  } catch (error) {
    if (files.isCode(error, "ENOENT")) return;
    if (!files.isCode(error, ...noHardLinks)) throw error;
    fill(temp, files.readFile(target));
  }
  files.rename(temp, `${target}.bak`);
  // A rename between two names of one file does nothing: so after a write that failed between this step and the last.
  discard(temp);
};

/**
 * Replaces a file so that after any crash it is exactly the old or exactly the new one (spec 2, Store protocol 3):
 * temp in the same folder, all bytes, size checked, fsync, the old file kept as `.bak` on request, rename, fsync of the
 * folder. 0600, folders 0700. A link is written through. Throws the system's error. For use inside a transaction.
 */
export const writeFileDurablySync = (path: string, bytes: Uint8Array, options: DurableWrite = {}): void => {
  files.makeDirs(dirname(path));
  const target = files.realPath(path);
  const folder = dirname(target);
  const temps = [join(folder, tempName(target)), join(folder, tempName(target))] as const;
  sweep(folder);
  try {
    fill(temps[0], bytes);
    if (options.lastGood === true) keepLastGood(target, temps[1]);
    files.rename(temps[0], target);
  } catch (error) {
    for (const temp of temps) discard(temp);
    throw error;
  }
  files.fsyncDir(folder);
};

/** `writeFileDurablySync` as an effect; uninterruptible, because it is one synchronous step. */
export const writeFileDurably = (
  path: string,
  bytes: Uint8Array | string,
  options: DurableWrite = {},
): Effect.Effect<void, WriteFailed> =>
  Effect.try({
    try: () => writeFileDurablySync(path, typeof bytes === "string" ? Buffer.from(bytes, "utf8") : bytes, options),
    catch: (cause) => writeFailed(path, cause),
  });

const appendSync = (path: string, line: string): void => {
  files.makeDirs(dirname(path));
  const fd = files.openAppend(path);
  try {
    const size = files.sizeOf(fd, path);
    // A writer that died in mid-line must not swallow this line into its torn one.
    const torn = size > 0 && files.byteAt(fd, size - 1) !== 0x0a;
    const text = `${torn ? "\n" : ""}${line.endsWith("\n") ? line : `${line}\n`}`;
    files.writeAll(fd, Buffer.from(text, "utf8"), path);
    files.fdatasync(fd, path);
    if (size === 0) files.fsyncDir(dirname(path));
  } finally {
    files.close(fd);
  }
};

/** Appends one line to a journal and makes it durable (spec 2, Store protocol 7). The line end is added when missing. */
export const appendDurably = (path: string, line: string): Effect.Effect<void, WriteFailed> =>
  Effect.try({ try: () => appendSync(path, line), catch: (cause) => writeFailed(path, cause) });

/** Creates a folder and its missing parents, 0700 whatever the umask. */
export const ensureDir = (path: string): Effect.Effect<void, WriteFailed> =>
  Effect.try({ try: () => files.makeDirs(path), catch: (cause) => writeFailed(path, cause) });
