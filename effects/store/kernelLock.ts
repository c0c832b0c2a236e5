import * as fs from "node:fs";
import { createRequire } from "node:module";
import * as files from "./fileOps.ts";

/** A lock that is held; `release` may be called once. */
export interface HeldLock {
  readonly release: () => void;
}

/**
 * One way of locking: `tryLock` returns null while somebody else holds the lock, and throws when it cannot work. The
 * note is made only for a lock that is got: waiters look a hundred times a second.
 */
export interface LockMechanism {
  readonly name: "fs-native-extensions" | "epoch-chain";
  readonly tryLock: (path: string, note: () => string) => HeldLock | null;
}

interface NativeLocks {
  readonly tryLock: (fd: number) => boolean;
}

let native: NativeLocks | undefined;

/** Loads the addon; throws where it has no build for this system. */
export const loadNativeLocks = (): NativeLocks => {
  native ??= createRequire(import.meta.url)("fs-native-extensions") as NativeLocks;
  return native;
};

/** The note is for messages only, so a full disk or a failing one must not cost the lock. */
const leaveNote = (fd: number, note: string): void => {
  try {
    fs.ftruncateSync(fd, 0);
    if (note !== "") fs.writeSync(fd, note, 0, "utf8");
  } catch {
    return;
  }
};

/**
 * Kernel lock on the file's open description: two openings exclude each other, also inside one process; the kernel
 * frees it when the holder dies; children do not inherit it (O_CLOEXEC). The file is never deleted: a lock on a
 * deleted file excludes nobody.
 */
export const kernelLock: LockMechanism = {
  name: "fs-native-extensions",
  tryLock: (path, note) => {
    const locks = loadNativeLocks();
    const fd = files.openLockFile(path);
    try {
      if (!locks.tryLock(fd)) {
        files.close(fd);
        return null;
      }
    } catch (error) {
      files.close(fd);
      throw error;
    }
    leaveNote(fd, note());
    return {
      release: () => {
        leaveNote(fd, "");
        files.close(fd);
      },
    };
  },
};
