import { lstat, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";

/** One worktree that a clone knows of: its administrative folder and where it says the checkout stands. */
export interface KnownWorktree {
  readonly admin: string;
  readonly path: string;
}

const textOf = (path: string): Promise<string | null> =>
  readFile(path, "utf8").then(
    (text) => text.replace(/\r?\n$/, ""),
    () => null,
  );

/** `path` with its folder resolved: the last component itself is not followed. */
export const realParent = async (path: string): Promise<string> => {
  const absolute = resolve(path);
  const parent = await realpath(dirname(absolute)).catch(() => dirname(absolute));
  return join(parent, basename(absolute));
};

/** All worktrees of a clone, from its administrative files; complete or not. */
export const knownWorktrees = async (clone: string): Promise<ReadonlyArray<KnownWorktree>> => {
  const folder = join(clone, "worktrees");
  const names = await readdir(folder).catch(() => []);
  const all = await Promise.all(
    names.map(async (name) => {
      const admin = join(folder, name);
      const gitFile = await textOf(join(admin, "gitdir"));
      return gitFile === null ? [] : [{ admin, path: await realParent(dirname(gitFile)) }];
    }),
  );
  return all.flat();
};

/** The administrative folder inside `clone` that the `.git` file of a checkout names; null when it names none of it. */
export const adminOf = async (clone: string, path: string): Promise<string | null> => {
  const target = /^gitdir: (.+)$/.exec((await textOf(join(path, ".git"))) ?? "")?.[1];
  if (target === undefined) return null;
  const admin = await realpath(resolve(path, target)).catch(() => null);
  const folder = await realpath(join(clone, "worktrees")).catch(() => null);
  return admin !== null && dirname(admin) === folder ? admin : null;
};

const markerName = "adk-complete";

/** What a complete checkout was made from; the version grows when checkouts are made differently. */
const markerText = (sha: string): string => `2 ${sha}\n`;

/** Written last, beside git's own files of the worktree, so that no file of a change request can pose as it. */
export const markComplete = (admin: string, sha: string): Promise<void> =>
  writeFile(join(admin, markerName), markerText(sha), { mode: 0o600 });

/** True for a worktree whose making ended; with `sha`, at that commit. */
export const isComplete = async (admin: string, sha?: string): Promise<boolean> => {
  const text = await readFile(join(admin, markerName), "utf8").catch(() => "");
  return sha === undefined ? /^2 [0-9a-f]{40,64}\n$/.test(text) : text === markerText(sha);
};

export type Occupant = "nothing" | "worktree" | "foreign";

/**
 * What stands at `path`. `worktree` only with proof that this clone made it: its `.git` file names the clone, or the
 * clone's files name it (a killed git leaves either). Everything else that is there is somebody else's.
 */
export const occupantOf = async (clone: string, path: string): Promise<Occupant> => {
  const own = await realParent(path);
  const known = (await knownWorktrees(clone)).some((each) => each.path === own);
  const there = await lstat(path).catch(() => null);
  if (there === null) return known ? "worktree" : "nothing";
  if (known || (there.isDirectory() && (await adminOf(clone, path)) !== null)) return "worktree";
  if (there.isDirectory() && (await readdir(path)).length === 0) return "nothing";
  return "foreign";
};

/** Removes a checkout's files and its administrative folder, also half-made ones; links are not followed. */
export const eraseWorktree = async (clone: string, path: string): Promise<void> => {
  const own = await realParent(path);
  const admins = (await knownWorktrees(clone)).flatMap((each) => (each.path === own ? [each.admin] : []));
  const named = await adminOf(clone, path);
  await rm(path, { recursive: true, force: true });
  for (const admin of new Set([...admins, ...(named === null ? [] : [named])]))
    await rm(admin, { recursive: true, force: true });
};
