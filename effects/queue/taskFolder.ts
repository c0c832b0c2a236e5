import { lstat, readdir, realpath, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import type { WriteFailed } from "../store/errors.ts";
import { writeFailed } from "../store/errors.ts";

/** A task folder on its way out: hidden, so that nothing takes it for a task, and swept by the next clean-up. */
const leavingPrefix = ".removing-";

const io = <A>(path: string, run: () => Promise<A>): Effect.Effect<A, WriteFailed> =>
  Effect.uninterruptible(Effect.tryPromise({ try: run, catch: (cause) => writeFailed(path, cause) }));

/**
 * Whether `<tasks>/<name>` may be deleted: a real folder that lies directly in the tasks folder. A symbolic link, also
 * one that leads back in, and a name that is more than one path step are none (threat T8). Null when nothing is there.
 */
const inspect = (tasks: string, name: string): Effect.Effect<"folder" | "foreign" | null> =>
  Effect.promise(async () => {
    if (name === "" || name === "." || name === ".." || /[/\\\0]/.test(name)) return "foreign" as const;
    const path = join(tasks, name);
    const info = await lstat(path).catch(() => null);
    if (info === null) return null;
    if (!info.isDirectory()) return "foreign" as const;
    const [root, real] = await Promise.all([realpath(tasks), realpath(path)]);
    return real === join(root, name) ? ("folder" as const) : ("foreign" as const);
  });

/** What became of a folder that was to be deleted. */
export type Removal = "removed" | "absent" | "foreign";

/**
 * Deletes `<tasks>/<name>` and everything in it, following no link. The folder first takes a hidden name, so that an
 * interrupted deletion never leaves half a task under a task's name. The caller holds the task's lock.
 */
export const removeTaskFolder = (tasks: string, name: string): Effect.Effect<Removal, WriteFailed> =>
  Effect.gen(function* () {
    const found = yield* inspect(tasks, name);
    if (found === null) return "absent";
    if (found === "foreign") return "foreign";
    const from = join(tasks, name);
    const leaving = join(tasks, `${leavingPrefix}${name}-${process.pid}`);
    yield* io(leaving, () => rm(leaving, { recursive: true, force: true }));
    yield* io(from, () => rename(from, leaving));
    yield* io(leaving, () => rm(leaving, { recursive: true, force: true }));
    return "removed" as const;
  });

/** Whether a task folder stands there that could be deleted. */
export const hasTaskFolder = (tasks: string, name: string): Effect.Effect<boolean> =>
  Effect.map(inspect(tasks, name), (found) => found === "folder");

/** Names in the tasks folder, sorted, hidden ones left out; empty when there is no such folder. */
export const taskFolderNames = (tasks: string): Effect.Effect<ReadonlyArray<string>> =>
  Effect.promise(async () => {
    const names = await readdir(tasks).catch(() => [] as Array<string>);
    return names.filter((name) => !name.startsWith(".")).sort();
  });

/** Finishes deletions that an earlier process began and did not end. */
export const sweepLeftovers = (tasks: string): Effect.Effect<void> =>
  Effect.promise(async () => {
    const names = await readdir(tasks).catch(() => [] as Array<string>);
    for (const name of names.filter((each) => each.startsWith(leavingPrefix))) {
      const info = await lstat(join(tasks, name)).catch(() => null);
      if (info?.isDirectory()) await rm(join(tasks, name), { recursive: true, force: true }).catch(() => undefined);
    }
  });
