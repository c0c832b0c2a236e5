import * as Effect from "effect/Effect";
import type { GitContext } from "./context.ts";
import { GitFailed, type SourceIncomplete, sourceIncomplete } from "./errors.ts";

const shown = 3;

/** What a pack-objects that met a hole makes the fetching side say. */
export const looksIncomplete = (error: { readonly _tag: string }): error is GitFailed =>
  error instanceof GitFailed && /possible repository corruption on the remote side|unable to read /.test(error.stderr);

const lines = (output: Buffer): ReadonlyArray<string> => output.toString("utf8").split("\n").filter(Boolean);

/** Where the objects stand in the trees of `refs`, as far as those trees are there themselves. */
const pathsOf = (git: GitContext, path: string, wanted: { oids: ReadonlySet<string>; refs: ReadonlyArray<string> }) =>
  Effect.map(
    Effect.forEach(wanted.refs, (ref) =>
      git.run({
        args: ["ls-tree", "-r", "-z", "--full-tree", "--end-of-options", ref],
        gitDir: path,
        okCodes: [0, 128],
      }),
    ),
    (trees) => {
      const found = new Map<string, string>();
      for (const entry of trees.flatMap(({ stdout }) => stdout.toString("utf8").split("\0"))) {
        const [facts = "", name = ""] = entry.split("\t");
        const oid = facts.split(" ")[2] ?? "";
        if (wanted.oids.has(oid) && !found.has(oid)) found.set(oid, name);
      }
      return found;
    },
  );

/**
 * Names the objects that a repository of this machine lacks below `refs` (a partial clone, a snapshot without its large
 * files, damage), after a fetch from it broke off. Gives the fetch's own failure back when nothing is found missing.
 */
export const explainIncomplete = (
  git: GitContext,
  source: { readonly path: string; readonly refs: ReadonlyArray<string> },
  broken: GitFailed,
): Effect.Effect<never, GitFailed | SourceIncomplete> =>
  Effect.gen(function* () {
    const { path } = source;
    const { stdout: answer } = yield* git.run({ args: ["rev-parse", "--absolute-git-dir"], cwd: path });
    const gitDir = lines(answer)[0] ?? path;
    const { stdout } = yield* git.run({
      args: ["rev-list", "--objects", "--missing=print", "--no-object-names", "--end-of-options", ...source.refs],
      gitDir,
    });
    const oids = lines(stdout).flatMap((line) => (line.startsWith("?") ? [line.slice(1)] : []));
    if (oids.length === 0) return yield* broken;
    const paths = yield* pathsOf(git, gitDir, { oids: new Set(oids), refs: source.refs });
    const named = [...oids].sort((a, b) => Number(paths.has(b)) - Number(paths.has(a))).slice(0, shown);
    return yield* sourceIncomplete(path, {
      count: oids.length,
      examples: named.map((oid) => (paths.has(oid) ? `${oid} (${paths.get(oid)})` : oid)),
    });
  }).pipe(Effect.catchAll((error) => Effect.fail(error._tag === "SourceIncomplete" ? error : broken)));
