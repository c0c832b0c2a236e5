import * as fs from "node:fs";
import { dirname } from "node:path";
import { reportFileUse } from "../log/largeFiles.ts";
import { hit } from "./faults.ts";

/**
 * Every file operation of the store. Synchronous on purpose: between the first read and the rename no other fiber may
 * run and no interruption may land. Each calls the fault hook first, under the name of the operation.
 */
const modes = { file: 0o600, dir: 0o700 } as const;

export const readFile = (path: string): Buffer => {
  hit("read", path);
  const bytes = fs.readFileSync(path);
  reportFileUse({ action: "read", path, bytes: bytes.length });
  return bytes;
};

/** The bytes of a file, null when there is none. */
export const readFileIfThere = (path: string): Buffer | null => {
  try {
    return readFile(path);
  } catch (error) {
    if (isCode(error, "ENOENT")) return null;
    throw error;
  }
};

/** Creates a file that must not exist, 0600 whatever the umask. */
export const createExclusive = (path: string): number => {
  hit("open", path);
  const fd = fs.openSync(path, "wx", modes.file);
  fs.fchmodSync(fd, modes.file);
  return fd;
};

/** Opens for appending, creating the file 0600 whatever the umask and tightening a looser one. */
export const openAppend = (path: string): number => {
  hit("open", path);
  const fd = fs.openSync(path, "a+", modes.file);
  if ((fs.fstatSync(fd).mode & 0o777) !== modes.file) fs.fchmodSync(fd, modes.file);
  return fd;
};

/** Opens a lock file for locking, creating it 0600 whatever the umask. */
export const openLockFile = (path: string): number => {
  hit("openLock", path);
  const fd = fs.openSync(path, "a+", modes.file);
  if ((fs.fstatSync(fd).mode & 0o777) !== modes.file) fs.fchmodSync(fd, modes.file);
  return fd;
};

/** Writes all bytes: a short count is followed by the rest, never taken for success. */
export const writeAll = (fd: number, bytes: Uint8Array, path: string): void => {
  let done = 0;
  while (done < bytes.length) {
    const short = hit("write", path) === "short";
    const length = short ? Math.max(1, Math.floor((bytes.length - done) / 2)) : bytes.length - done;
    const written = fs.writeSync(fd, bytes, done, length);
    if (written <= 0) throw Object.assign(new Error(`EIO: nothing written to '${path}'`), { code: "EIO" });
    done += written;
  }
  reportFileUse({ action: "write", path, bytes: bytes.length });
};

export const sizeOf = (fd: number, path: string): number => {
  hit("fstat", path);
  return fs.fstatSync(fd).size;
};

export const byteAt = (fd: number, offset: number): number | undefined => {
  const buffer = Buffer.alloc(1);
  return fs.readSync(fd, buffer, 0, 1, offset) === 1 ? buffer[0] : undefined;
};

export const fsync = (fd: number, path: string): void => {
  hit("fsync", path);
  fs.fsyncSync(fd);
};

export const fdatasync = (fd: number, path: string): void => {
  hit("fdatasync", path);
  fs.fdatasyncSync(fd);
};

export const close = (fd: number): void => fs.closeSync(fd);

export const link = (from: string, to: string): void => {
  hit("link", to);
  fs.linkSync(from, to);
};

export const rename = (from: string, to: string): void => {
  hit("rename", to);
  fs.renameSync(from, to);
};

/** Removes a file; a missing one is fine. */
export const remove = (path: string): void => {
  hit("unlink", path);
  fs.rmSync(path, { force: true });
};

export const list = (path: string): ReadonlyArray<string> => {
  hit("readdir", path);
  return fs.readdirSync(path);
};

/** Makes the folder's entries durable. File systems that know no such thing answer EINVAL or ENOTSUP. */
export const fsyncDir = (path: string): void => {
  hit("fsyncDir", path);
  const fd = fs.openSync(path, "r");
  try {
    fs.fsyncSync(fd);
  } catch (error) {
    if (!isCode(error, "EINVAL", "ENOTSUP", "ENOSYS")) throw error;
  } finally {
    fs.closeSync(fd);
  }
};

/**
 * Creates a folder and its missing parents, each 0700 whatever the umask. Folders that exist keep their mode. One by
 * one: Node's recursive mkdir never ends where a file system answers ENOENT to the making of a folder (/proc does).
 */
export const makeDirs = (path: string): void => {
  if (fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
  const parent = dirname(path);
  if (parent !== path) makeDirs(parent);
  hit("mkdir", path);
  try {
    fs.mkdirSync(path, { mode: modes.dir });
  } catch (error) {
    // Somebody else made it meanwhile, or a file stands there.
    if (isCode(error, "EEXIST") && fs.statSync(path).isDirectory()) return;
    throw error;
  }
  fs.chmodSync(path, modes.dir);
};

/** Where a path leads when it or its folders are links; the path itself when there is nothing yet. */
export const realPath = (path: string): string => {
  try {
    return fs.realpathSync(path);
  } catch (error) {
    if (isCode(error, "ENOENT")) return path;
    throw error;
  }
};

/** True for a link whose target is not there: not the same as a file that was never made. */
export const isDanglingLink = (path: string): boolean =>
  fs.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true && !fs.existsSync(path);

export const isCode = (error: unknown, ...codes: ReadonlyArray<string>): boolean =>
  typeof error === "object" && error !== null && "code" in error && codes.some((code) => error.code === code);

export const exists = (path: string): boolean => fs.existsSync(path);
