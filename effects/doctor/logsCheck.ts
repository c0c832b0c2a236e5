import { unlink } from "node:fs/promises";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import { type Check, count, type Finding, megabytes, pass, warn } from "./finding.ts";
import { type WalkedEntry, walk } from "./walk.ts";

const dayMs = 86_400_000;

export interface LogLimits {
  readonly maxBytes: number;
  readonly keepDays: number;
}

/** The logs to delete: all that are too old, then the oldest until the rest fits. Pure; `now` in ms. */
export const logsToPrune = (
  logs: ReadonlyArray<WalkedEntry>,
  limits: LogLimits,
  now: number,
): ReadonlyArray<WalkedEntry> => {
  const newestFirst = [...logs].sort((a, b) => b.info.mtimeMs - a.info.mtimeMs);
  let kept = 0;
  return newestFirst.filter(({ info }) => {
    kept += info.size;
    return kept > limits.maxBytes || now - info.mtimeMs > limits.keepDays * dayMs;
  });
};

const remove = async (logs: ReadonlyArray<WalkedEntry>): Promise<number> => {
  const done = await Promise.all(
    logs.map(({ path }) =>
      unlink(path).then(
        () => true,
        () => false,
      ),
    ),
  );
  return done.filter(Boolean).length;
};

const inspect = async (
  options: { readonly folder: string; readonly own: string | null; readonly fix: boolean } & LogLimits,
  now: number,
): Promise<Finding> => {
  const { entries } = await walk(options.folder, { entries: 100_000 });
  const logs = entries.filter(({ path, info }) => info.isFile() && path.endsWith(".log") && path !== options.own);
  const bytes = logs.reduce((sum, { info }) => sum + info.size, 0);
  const old = logsToPrune(logs, options, now);
  if (old.length === 0) return pass("logs", `${count(logs.length, "log")}, ${megabytes(bytes)}`);
  if (options.fix) {
    const removed = await remove(old);
    if (removed === old.length)
      return pass("logs", `${count(removed, "old log")} deleted, ${logs.length - removed} kept`);
    return warn("logs", `${old.length - removed} old logs cannot be deleted`, `look at ${options.folder}`);
  }
  return warn(
    "logs",
    `${count(old.length, "log")} of ${logs.length} too old or too many (${megabytes(bytes)})`,
    "adk doctor --fix",
  );
};

/** Old logs by `logs.max_mb` and `logs.keep_days`; only `--fix` deletes, and never the log of this call. */
export const logsCheck: Check = {
  name: "logs",
  run: ({ home, config, log, fix }) =>
    Effect.gen(function* () {
      const limits = { maxBytes: config.logs.max_mb * 1_000_000, keepDays: config.logs.keep_days };
      const now = yield* Clock.currentTimeMillis;
      return [yield* Effect.promise(() => inspect({ folder: home.logs, own: log.file, fix, ...limits }, now))];
    }),
};
