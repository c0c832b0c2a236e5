import { basename, dirname, join, sep } from "node:path";
import * as files from "./fileOps.ts";

interface DataHome {
  readonly data: string;
  readonly locks: string;
}

/** Where a file really is, also one that is not there yet. */
const realPlace = (path: string): string => {
  const real = files.realPath(path);
  return real === path ? join(files.realPath(dirname(path)), basename(path)) : real;
};

/** The locks folder of the data home that a folder or one above it is, null when none of them is one. */
const locksAbove = (folder: string): string | null => {
  const locks = join(folder, "locks");
  if (files.exists(join(locks, "mechanism"))) return locks;
  return dirname(folder) === folder ? null : locksAbove(dirname(folder));
};

/**
 * The folder of the lock that guards a queue file. It follows from the file alone, so that processes of different data
 * homes exclude each other on it: the locks of the data home that the file lies in (this one's, or another's that has
 * ever been written), else a hidden folder beside the file, `.<name>.locks`, with its own record of the mechanism.
 */
export const queueLockFolder = (queue: string, home: DataHome): string => {
  if (queue.startsWith(home.data + sep)) return home.locks;
  try {
    const real = realPlace(queue);
    if (real.startsWith(files.realPath(home.data) + sep)) return home.locks;
    return locksAbove(dirname(real)) ?? join(dirname(real), `.${basename(real)}.locks`);
  } catch {
    // A path that leads nowhere cannot be read or written either; that says what is wrong with it.
    return home.locks;
  }
};
