import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { isAlive, startOf } from "../proc/ProcessIdentity.ts";
import * as files from "./fileOps.ts";
import type { HeldLock, LockMechanism } from "./kernelLock.ts";
import { parseNote } from "./lockInfo.ts";

/** Old epochs kept behind the newest, so that a listing that is not atomic cannot hide two hand-overs. */
const kept = 64;

interface Chain {
  readonly newest: number;
  readonly names: ReadonlySet<string>;
}

const read = (folder: string): Chain => {
  const names = new Set(files.list(folder));
  let newest = 0;
  for (const name of names) {
    const match = /^e(\d+)$/.exec(name);
    if (match !== null) newest = Math.max(newest, Number(match[1]));
  }
  return { newest, names };
};

/** True when the newest epoch was released or its owner is proven dead. What cannot be read is held. */
const isFree = (folder: string, { newest, names }: Chain): boolean => {
  if (newest === 0 || names.has(`e${newest}.free`)) return true;
  const bytes = files.readFileIfThere(join(folder, `e${newest}`));
  const note = bytes === null ? null : parseNote(bytes.toString("utf8"));
  return note !== null && isAlive(note) === "dead";
};

/** Creates `path` whole or not at all; false when it exists. */
const createWhole = (folder: string, path: string, text: string): boolean => {
  const temp = join(folder, `.t-${process.pid}-${randomBytes(6).toString("hex")}`);
  const fd = files.createExclusive(temp);
  try {
    files.writeAll(fd, Buffer.from(text, "utf8"), temp);
    files.fdatasync(fd, temp);
  } finally {
    files.close(fd);
  }
  try {
    files.link(temp, path);
    return true;
  } catch (error) {
    if (files.isCode(error, "EEXIST")) return false;
    throw error;
  } finally {
    files.remove(temp);
  }
};

/** Removes what lies far below the newest epoch, and temps of the dead; never a lock that may live. */
const prune = (folder: string, chain: Chain): void => {
  for (const name of chain.names) {
    const epoch = /^e(\d+)(?:\.free)?$/.exec(name);
    if (epoch !== null && Number(epoch[1]) < chain.newest - kept) files.remove(join(folder, name));
    const temp = /^\.t-(\d+)-/.exec(name);
    if (temp !== null && Number(temp[1]) !== process.pid && startOf(Number(temp[1])).kind === "gone")
      files.remove(join(folder, name));
  }
};

const held = (folder: string, epoch: number): HeldLock => ({
  release: () => {
    // Released by adding, never by removing: there is nothing that a contender could steal.
    files.close(files.createExclusive(join(folder, `e${epoch}.free`)));
  },
});

/**
 * Lock without native code, for systems that the addon has no build for. The holder of epoch N+1 is who links that
 * name first, and N+1 may be linked only when N is released or its owner provably dead (boot, pid, start time).
 */
export const epochChain: LockMechanism = {
  name: "epoch-chain",
  tryLock: (path, note) => {
    const folder = `${path.replace(/\.lock$/, "")}.epochs`;
    files.makeDirs(folder);
    const chain = read(folder);
    if (!isFree(folder, chain)) return null;
    const epoch = chain.newest + 1;
    const own = join(folder, `e${epoch}`);
    if (!createWhole(folder, own, note())) return null;
    const after = read(folder);
    if (after.newest !== epoch) {
      files.remove(own);
      return null;
    }
    prune(folder, after);
    return held(folder, epoch);
  },
};

/** File of the newest epoch, where the holder's note stands; null when the lock is free or was never taken. */
export const epochNotePath = (path: string): string | null => {
  const folder = `${path.replace(/\.lock$/, "")}.epochs`;
  try {
    const chain = read(folder);
    return chain.newest === 0 || chain.names.has(`e${chain.newest}.free`) ? null : join(folder, `e${chain.newest}`);
  } catch {
    return null;
  }
};
