import * as fs from "node:fs";
import { formatTime } from "../../src/time.ts";
import { currentIdentity, isAlive, type ProcessIdentity } from "../proc/ProcessIdentity.ts";

/** Who holds a lock and since when. For messages only: no decision rests on it. */
export interface LockHolder {
  readonly pid: number;
  readonly host: string;
  /** What the holder was asked to do, such as `adk pr-sync`. */
  readonly verb: string;
  readonly since: string;
}

interface Note extends ProcessIdentity {
  readonly verb: string;
  readonly since: string;
}

/** The note that a holder leaves in the lock file. */
export const noteFor = (verb: string | undefined, nowMs: number): string =>
  `${JSON.stringify({ ...currentIdentity(), verb: verb ?? "adk", since: formatTime(nowMs) } satisfies Note)}\n`;

const isNote = (value: unknown): value is Note =>
  typeof value === "object" &&
  value !== null &&
  ["host", "boot", "start", "verb", "since"].every((key) => typeof Reflect.get(value, key) === "string") &&
  Number.isSafeInteger(Reflect.get(value, "pid"));

export const parseNote = (text: string): Note | null => {
  try {
    const value: unknown = JSON.parse(text);
    return isNote(value) ? value : null;
  } catch {
    return null;
  }
};

/** The holder that a lock file names, null when it names none that may still run. */
export const readHolder = (path: string): LockHolder | null => {
  let text: string;
  try {
    text = fs.readFileSync(path, "utf8");
  } catch {
    return null;
  }
  const note = parseNote(text);
  if (note === null || isAlive(note) === "dead") return null;
  return { pid: note.pid, host: note.host, verb: note.verb, since: note.since };
};
