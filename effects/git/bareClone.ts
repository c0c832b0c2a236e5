import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import * as Effect from "effect/Effect";
import { files, type GitContext } from "./context.ts";
import { cloneUnusable } from "./errors.ts";

/** Marker of a complete clone; its number grows when the clone's own files change. */
const markerName = "adk-clone";
const markerText = "1\n";

/**
 * Settings of the clone itself: they protect whoever runs git by hand, or an agent, inside a worktree of it, where
 * the options of adk's own calls do not reach.
 */
const cloneConfig = `[core]
\trepositoryformatversion = 0
\tbare = true
\tfilemode = true
\tsymlinks = false
\tautocrlf = false
\thooksPath = /dev/null
\tfsmonitor = false
\tattributesFile = /dev/null
[gc]
\tauto = 0
[maintenance]
\tauto = false
[submodule]
\trecurse = false
[fetch]
\trecurseSubmodules = false
`;

/**
 * Highest of all attribute files: whatever .gitattributes of a change request says, no filter, text conversion, diff
 * driver or merge driver is selected, and nothing is hidden from a diff by \`-diff\`.
 */
const attributes = "* !filter !text !eol !ident !working-tree-encoding !diff !merge !export-subst\n";

const skeleton = new Set(
  "HEAD config objects refs info hooks description branches packed-refs adk-clone adk-child worktrees".split(" "),
);

const temporary = (clone: string): string => join(dirname(clone), `.${basename(clone)}.adk-new`);

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

const writeOwnFiles = async (clone: string): Promise<void> => {
  await mkdir(join(clone, "info"), { recursive: true, mode: 0o700 });
  await writeFile(join(clone, "info", "attributes"), attributes, { mode: 0o600 });
  await writeFile(join(clone, markerName), markerText, { mode: 0o600 });
};

const isComplete = (clone: string): Promise<boolean> =>
  readFile(join(clone, markerName), "utf8").then(
    (text) => text === markerText,
    () => false,
  );

const createEmpty = (git: GitContext, clone: string) =>
  Effect.gen(function* () {
    const made = temporary(clone);
    yield* files(made, async () => {
      await rm(made, { recursive: true, force: true });
      await mkdir(dirname(clone), { recursive: true, mode: 0o700 });
      await mkdir(made, { mode: 0o700 });
    });
    yield* git.run({ args: ["init", "--bare", "--quiet", "--template=", "--end-of-options", made], cwd: made });
    yield* files(clone, async () => {
      await writeFile(join(made, "config"), cloneConfig, { mode: 0o600 });
      await writeOwnFiles(made);
      await rename(made, clone);
    });
  });

/** True when git takes the folder for a bare repository with its object store (one that another version made). */
const isBareRepository = (git: GitContext, clone: string) =>
  Effect.map(
    git.run({ args: ["rev-parse", "--is-bare-repository"], gitDir: clone, okCodes: [0, 128] }),
    (result) => result.code === 0 && result.stdout.toString("utf8").trim() === "true",
  );

/**
 * Makes an empty bare clone at `clone`, or leaves the one that is there. It is built beside its place and renamed, so
 * a killed run leaves nothing half-made; a half-made one of another version is removed when it holds nothing but git's
 * own skeleton. A folder with anything else in it is refused.
 */
export const ensureBareClone = (git: GitContext, clone: string) =>
  Effect.gen(function* () {
    if (yield* Effect.promise(() => isComplete(clone))) return;
    if (yield* Effect.promise(() => exists(clone))) {
      if (yield* isBareRepository(git, clone)) return yield* files(clone, () => writeOwnFiles(clone));
      const names = yield* Effect.promise(() => readdir(clone).catch(() => ["not a folder"]));
      if (names.some((name) => !skeleton.has(name)))
        return yield* cloneUnusable(clone, "is no git repository and holds files that adk did not make");
      yield* files(clone, () => rm(clone, { recursive: true, force: true }));
    }
    yield* createEmpty(git, clone);
  });
