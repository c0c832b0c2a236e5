import { access, readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as Effect from "effect/Effect";
import type { Failure } from "../../src/errors.ts";
import { loadSettings } from "../settings/Settings.ts";
import { type Check, count, type Finding, fail, megabytes, pass, warn } from "./finding.ts";
import { totalBytes, walk } from "./walk.ts";

/** Bases in one repository from which on disk use is worth a word. */
const manyBases = 10;
const maxEntries = 50_000;

const folders = (path: string): Promise<ReadonlyArray<string>> =>
  readdir(path, { withFileTypes: true }).then(
    (entries) => entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name),
    () => [],
  );

const foldersOf = async (parent: string, wanted: (name: string) => boolean): Promise<ReadonlyArray<string>> => {
  const repos = await folders(parent);
  const found = await Promise.all(
    repos.map(async (repo) => [repo, (await folders(join(parent, repo))).filter(wanted)] as const),
  );
  return found.flatMap(([repo, names]) => names.map((name) => join(parent, repo, name)));
};

const basesFinding = async (repos: string): Promise<Finding> => {
  const bases = await foldersOf(repos, (name) => name.startsWith("branch-"));
  const perRepo = new Map<string, number>();
  for (const base of bases) perRepo.set(dirname(base), (perRepo.get(dirname(base)) ?? 0) + 1);
  const crowded = [...perRepo].filter(([, bases]) => bases > manyBases);
  const [first] = crowded;
  if (first === undefined)
    return pass("bases", `${count(bases.length, "base")} in ${(await folders(repos)).length} repositories`);
  const names = crowded.map(([path, n]) => `${path.slice(repos.length + 1)} has ${n}`).join(", ");
  return warn("bases", `more than ${manyBases} bases: ${names}`, "adk repo auto-bases clean");
};

const diskFinding = async (repos: string, tasks: string): Promise<Finding> => {
  const indexes = await Promise.all([
    foldersOf(repos, (name) => name.startsWith("branch-")).then((all) =>
      all.map((folder) => join(folder, "code-index")),
    ),
    folders(tasks).then((all) => all.map((name) => join(tasks, name, "code-index"))),
  ]);
  const walks = await Promise.all(indexes.flat().map((folder) => walk(folder, { entries: maxEntries })));
  const bytes = walks.reduce((sum, walked) => sum + totalBytes(walked), 0);
  const used = walks.filter((walked) => walked.entries.length > 0).length;
  return pass("index disk", `${used === 1 ? "1 index" : `${used} indexes`}, ${megabytes(bytes)}`);
};

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** Worktrees that git still lists though their folder is gone, or that were never finished. Reads files, starts no git. */
const worktreesFinding = async (repos: string): Promise<Finding> => {
  const clones = (await folders(repos)).map((name) => join(repos, name, "original-clone", "worktrees"));
  const admins = (
    await Promise.all(clones.map(async (path) => (await folders(path)).map((name) => join(path, name))))
  ).flat();
  const broken = await Promise.all(
    admins.map(async (admin) => {
      const checkout = (await readFile(join(admin, "gitdir"), "utf8").catch(() => "")).trim();
      return checkout === "" || !(await exists(checkout)) || !(await exists(join(admin, "adk-complete")));
    }),
  );
  const orphaned = broken.filter(Boolean).length;
  return orphaned === 0
    ? pass("worktrees", count(admins.length, "worktree"))
    : warn(
        "worktrees",
        `${orphaned} of ${count(admins.length, "worktree")} unfinished or without a folder`,
        "adk pr-sync --no-scan",
      );
};

const cacheFinding = async (cache: string): Promise<Finding> => {
  const walked = await walk(join(cache, "embeddings"), { entries: maxEntries });
  return pass("embedding cache", megabytes(totalBytes(walked)));
};

const one = (find: () => Promise<Finding>) => Effect.map(Effect.promise(find), (finding) => [finding]);

/** A failure as a finding; its hint is the fix. */
export const ofFailure = (name: string, failure: Failure): Finding => fail(name, failure.message, failure.hint);

/** Checks of what adk keeps on disk. */
export const dataChecks: ReadonlyArray<Check> = [
  {
    name: "config",
    run: ({ configPath }) =>
      loadSettings(configPath).pipe(
        Effect.map(({ warnings }) => [
          warnings.length === 0
            ? pass("config", configPath)
            : warn("config", warnings.join("; "), `edit ${configPath}; docs/config.md lists every key`),
        ]),
        Effect.catchTag("ConfigUnreadable", (error) => Effect.succeed([ofFailure("config", error)])),
      ),
  },
  {
    name: "queue",
    run: ({ queue, home }) =>
      Effect.map(queue, ({ prs }) => [pass("queue", `${count(prs.length, "row")} in ${home.queue}`)]),
  },
  {
    name: "orphans",
    run: ({ orphans }) =>
      Effect.map(orphans, (names) => [
        names.length === 0
          ? pass("orphans", "every task folder belongs to a row")
          : warn(
              "orphans",
              `${count(names.length, "task folder")} without a row: ${names.slice(0, 3).join(", ")}`,
              "adk pr-task clean-orphans",
            ),
      ]),
  },
  { name: "bases", run: ({ home }) => one(() => basesFinding(home.repos)) },
  { name: "index disk", run: ({ home }) => one(() => diskFinding(home.repos, home.tasks)) },
  { name: "worktrees", run: ({ home }) => one(() => worktreesFinding(home.repos)) },
  { name: "embedding cache", run: ({ home }) => one(() => cacheFinding(home.cache)) },
];
