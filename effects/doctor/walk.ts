import type { Stats } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

export interface WalkedEntry {
  readonly path: string;
  readonly info: Stats;
}

export interface WalkLimits {
  /** Most entries that are looked at. */
  readonly entries: number;
  /** Names of folders that are listed themselves but not entered. */
  readonly closed?: ReadonlySet<string>;
}

export interface Walked {
  readonly entries: ReadonlyArray<WalkedEntry>;
  /** False when the limit was reached: there is more than what is listed. */
  readonly complete: boolean;
}

const batch = 64;

/** Everything under a folder, the folder included; links are listed, never followed. Nothing for a missing folder. */
export const walk = async (root: string, limits: WalkLimits): Promise<Walked> => {
  const entries: WalkedEntry[] = [];
  let waiting: ReadonlyArray<string> = [root];
  while (waiting.length > 0 && entries.length < limits.entries) {
    const now = waiting.slice(0, batch);
    const found = await Promise.all(now.map((path) => look(path, limits)));
    entries.push(...found.flatMap(({ entry }) => (entry === null ? [] : [entry])));
    waiting = [...waiting.slice(batch), ...found.flatMap(({ children }) => children)];
  }
  return {
    entries: entries.slice(0, limits.entries),
    complete: waiting.length === 0 && entries.length <= limits.entries,
  };
};

const look = async (path: string, limits: WalkLimits) => {
  const info = await lstat(path).catch(() => null);
  if (info === null) return { entry: null, children: [] };
  const name = path.slice(path.lastIndexOf("/") + 1);
  const open = info.isDirectory() && limits.closed?.has(name) !== true;
  const names = open ? await readdir(path).catch(() => []) : [];
  return { entry: { path, info }, children: names.map((child) => join(path, child)) };
};

/** Bytes of all files of a walk. */
export const totalBytes = (walked: Walked): number =>
  walked.entries.reduce((sum, { info }) => sum + (info.isFile() ? info.size : 0), 0);
