import { createHash } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import * as Effect from "effect/Effect";
import { currentIdentity, isAlive, type ProcessIdentity, startTimeOf } from "../proc/ProcessIdentity.ts";
import { type ChildResult, killGroup } from "./childProcess.ts";
import type { GitError } from "./errors.ts";
import type { GitCall, RunGit } from "./runGit.ts";

/** Name of the kernel lock around everything that writes into a clone (spec 2, "git"). */
export const cloneLockName = (clone: string): string =>
  `clone-${createHash("sha256").update(resolve(clone)).digest("hex").slice(0, 16)}`;

/** Longest wait for that lock: another fetch or checkout of the same repository may be running. */
export const cloneLockDeadlineMs = 15 * 60 * 1000;

const childFile = (clone: string): string => join(clone, "adk-child");

/** Leaves the writer's identity. A disk that is full for this note is full for git, which says so better. */
const noteWriter = (clone: string, pid: number): void => {
  const writer: ProcessIdentity = { ...currentIdentity(), pid, start: startTimeOf(pid) ?? "ended" };
  try {
    writeFileSync(childFile(clone), JSON.stringify(writer), { mode: 0o600 });
  } catch {
    // git reports it.
  }
};

const readNote = (clone: string): string | null => {
  try {
    return readFileSync(childFile(clone), "utf8");
  } catch {
    return null;
  }
};

const readWriter = (clone: string): ProcessIdentity | null => {
  try {
    const value: unknown = JSON.parse(readNote(clone) ?? "null");
    return typeof value === "object" && value !== null && "pid" in value && "start" in value && "boot" in value
      ? (value as ProcessIdentity)
      : null;
  } catch {
    return null;
  }
};

/** True unless the last git that wrote into this clone has provably ended (it may outlive a killed adk). */
const writerMayLive = (clone: string): boolean => {
  if (readNote(clone) === null) return false;
  const writer = readWriter(clone);
  return writer === null || isAlive(writer) !== "dead";
};

/**
 * Ends a git that a killed adk left running in this clone, before anything else is done there: the lock was its
 * parent's, so it has no right to write any more. Proof is process id, start time and boot.
 */
export const endOrphan = (clone: string): Effect.Effect<void> =>
  Effect.promise(async () => {
    const writer = readWriter(clone);
    if (writer === null || isAlive(writer) !== "alive") return;
    killGroup(writer.pid);
    for (let tries = 0; tries < 250 && isAlive(writer) === "alive"; tries += 1)
      await new Promise((done) => setTimeout(done, 20));
  });

/** Path of the lock file that a failed call met, when it lies inside the clone. */
const leftLock = (clone: string, stderr: string): string | null => {
  const path = /Unable to create '([^'\n]+\.lock)': File exists/.exec(stderr)?.[1];
  if (path === undefined) return null;
  const inside = relative(resolve(clone), resolve(clone, path));
  return inside !== "" && !inside.startsWith("..") ? resolve(clone, path) : null;
};

/**
 * Runs a call that writes into a clone; the caller holds the clone's lock. A lock file of git that a killed process
 * left behind is removed once, and only when its writer is dead: adk's lock says that nobody else of adk is at work.
 */
export const runWriter = (run: RunGit, clone: string, call: GitCall): Effect.Effect<ChildResult, GitError> => {
  const once = Effect.ensuring(
    run({ ...call, onStart: (pid) => noteWriter(clone, pid) }),
    Effect.sync(() => rmSync(childFile(clone), { force: true })),
  );
  return Effect.suspend(() => {
    const mayLive = writerMayLive(clone);
    return Effect.catchTag(once, "GitFailed", (error) => {
      const lock = leftLock(clone, error.stderr);
      if (lock === null || mayLive) return Effect.fail(error);
      return Effect.zipRight(
        Effect.sync(() => rmSync(lock, { force: true })),
        once,
      );
    });
  });
};
