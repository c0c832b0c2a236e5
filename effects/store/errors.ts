import { failure } from "../../src/errors.ts";

/** The queue cannot be read: torn, edited into something invalid, or held by a link that leaves the data home. */
export class QueueUnreadable extends failure("QueueUnreadable", 3)<{
  readonly file: string;
  readonly line: number | null;
  readonly column: number | null;
  /** Path of the last-good copy, null when there is none. */
  readonly lastGood: string | null;
}> {}

/** The queue was written by a newer adk: it can be read, not changed. */
export class QueueReadOnly extends failure("QueueReadOnly", 3)<{
  readonly file: string;
  readonly schemaVersion: number;
}> {}

/** Another process holds the lock and kept it for the whole wait. */
export class LockBusy extends failure("LockBusy", 3)<{ readonly lock: string; readonly pid: number | null }> {}

/** The lock cannot be used at all: no right to its file, another mechanism in use, the native part missing. */
export class LockFailed extends failure("LockFailed", 3)<{ readonly lock: string }> {}

/** A file could not be written; the file is as it was before, or complete. */
export class WriteFailed extends failure("WriteFailed", 1)<{
  readonly path: string;
  /** Code of the system, such as ENOSPC; null when the system was not the reason. */
  readonly code: string | null;
}> {}

/** A state file (meta, snapshot) cannot be read. */
export class DocumentUnreadable extends failure("DocumentUnreadable", 3)<{
  readonly path: string;
  readonly line: number | null;
  readonly column: number | null;
}> {}

/** A state file was written by a newer adk. */
export class NewerSchema extends failure("NewerSchema", 3)<{ readonly path: string; readonly schemaVersion: number }> {}

/** Code of a system error (`ENOSPC`, `EACCES` …), null for anything else. */
export const systemCode = (error: unknown): string | null =>
  typeof error === "object" && error !== null && "code" in error && typeof error.code === "string" ? error.code : null;

const reasons: Readonly<Record<string, readonly [message: string, hint: string]>> = {
  ENOSPC: ["disk full", "free some space and run the command again; nothing was changed"],
  EDQUOT: ["disk quota used up", "free some space and run the command again; nothing was changed"],
  EIO: ["input/output error", "check the disk; `adk doctor` names the file system"],
  EACCES: ["no permission", "give this user the right to write there"],
  EPERM: ["not permitted", "give this user the right to write there"],
  EROFS: ["read-only file system", "mount it writable or set ADK_DATA_HOME to another folder"],
};

/** Why the system refused, in the user's words, and what to do; null for what is no such refusal. */
export const systemReason = (cause: unknown): readonly [message: string, hint: string] | null =>
  reasons[systemCode(cause) ?? ""] ?? null;

/** A failed write as the user sees it. */
export const writeFailed = (path: string, cause: unknown): WriteFailed => {
  const [reason, hint] = systemReason(cause) ?? [
    cause instanceof Error ? cause.message : String(cause),
    "run the command again with -v and look at the log",
  ];
  return new WriteFailed({ message: `cannot write ${path}: ${reason}`, hint, path, code: systemCode(cause), cause });
};

/** Text of a file as it may stand in a message: no control, bidi or separator characters, at most `max` characters. */
export const printable = (text: string, max = 80): string => {
  const plain = text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, "·").trim();
  return plain.length > max ? `${plain.slice(0, max - 1)}…` : plain;
};

/** Longest reason why a file cannot be read: it may list every allowed word. */
export const maxReason = 300;
