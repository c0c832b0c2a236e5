import { realpath, stat } from "node:fs/promises";
import { resolve as absolute } from "node:path";
import * as Effect from "effect/Effect";
import { type LocalBranch, parseBranches } from "../../src/git/refs.ts";
import type { GitContext } from "./context.ts";
import { type GitError, NotARepository } from "./errors.ts";
import type { GitCall } from "./runGit.ts";

/** A repository of the person's own. adk reads it and never changes it. */
export interface LocalRepository {
  /** Root of the checkout, or the repository itself when it is bare; links resolved. */
  readonly realPath: string;
  /** Where its refs and objects are: the same for all worktrees of one repository. */
  readonly gitDir: string;
  /** Checked-out branch; null when HEAD is detached. */
  readonly headBranch: string | null;
  /** What its origin calls the default branch; else main, master, or the checked-out one. */
  readonly defaultBranch: string | null;
  readonly isShallow: boolean;
  readonly branches: ReadonlyArray<LocalBranch>;
}

const notARepository = (path: string, why: string, hint: string): NotARepository =>
  new NotARepository({ message: `${path} ${why}`, hint, path });

// The person's configuration counts here: safe.directory may be what lets git read the repository at all.
const asPerson: Pick<GitCall, "transport" | "timeoutMs"> = { transport: { protocols: [] }, timeoutMs: 30_000 };

const lines = (output: Buffer): ReadonlyArray<string> => output.toString("utf8").replace(/\n$/, "").split("\n");

const facts = ["--is-bare-repository", "--is-shallow-repository", "--git-common-dir"];

/** The person named this path, so a bare repository there is meant, not one that a change request smuggled in. */
const locate = (
  git: GitContext,
  path: string,
): Effect.Effect<{ dir: string; gitDir?: string; facts: ReadonlyArray<string> }, GitError | NotARepository> =>
  Effect.gen(function* () {
    const inside = yield* git.run({ ...asPerson, args: ["rev-parse", ...facts], cwd: path, okCodes: [0, 128] });
    if (inside.code === 0) return { dir: path, facts: lines(inside.stdout) };
    const bare = yield* git.run({
      ...asPerson,
      args: ["rev-parse", ...facts],
      cwd: path,
      gitDir: path,
      okCodes: [0, 128],
    });
    if (bare.code === 0) return { dir: path, gitDir: path, facts: lines(bare.stdout) };
    const owner = /dubious ownership/.test(inside.stderr + bare.stderr);
    return yield* owner
      ? notARepository(path, "belongs to another user", `git config --global --add safe.directory ${path}`)
      : notARepository(path, "is no git repository", "give the path of a checkout or of a bare repository");
  });

const open = (git: GitContext, path: string) =>
  Effect.gen(function* () {
    const real = yield* Effect.tryPromise({
      try: () => realpath(absolute(path)),
      catch: () => notARepository(path, "does not exist", "check the path"),
    });
    if (!(yield* Effect.promise(() => stat(real))).isDirectory())
      return yield* notARepository(path, "is not a folder", "give the path of a checkout or of a bare repository");
    const { dir, gitDir, facts: found } = yield* locate(git, real);
    const ask = (args: ReadonlyArray<string>, okCodes: ReadonlyArray<number> = [0]) =>
      Effect.map(
        git.run({ ...asPerson, args, cwd: dir, okCodes, ...(gitDir === undefined ? {} : { gitDir }) }),
        ({ stdout, code }) => (code === 0 ? lines(stdout) : []),
      );
    return { real, ask, facts: found };
  });

/** Where git says that a repository stands, and which branches it has. Fails clearly for one without a commit. */
export const localRepository = (
  git: GitContext,
  path: string,
): Effect.Effect<LocalRepository, GitError | NotARepository> =>
  Effect.gen(function* () {
    const { real, ask, facts: found } = yield* open(git, path);
    const [bare, shallow, common] = found;
    const root = bare === "true" ? undefined : (yield* ask(["rev-parse", "--show-toplevel"], [0, 128]))[0];
    const gitDir = yield* Effect.promise(() => realpath(absolute(real, common ?? ".")));
    const branches = parseBranches(Buffer.from((yield* ask(branchArgs)).join("\n")));
    if (branches.length === 0)
      return yield* notARepository(path, "has no commits on any branch", "commit something first");
    const [head] = yield* ask(["symbolic-ref", "--quiet", "HEAD"], [0, 1]);
    const [origin] = yield* ask(["symbolic-ref", "--quiet", "refs/remotes/origin/HEAD"], [0, 1, 128]);
    const headBranch = head?.startsWith("refs/heads/") === true ? head.slice("refs/heads/".length) : null;
    const known = new Set(branches.map(({ name }) => name));
    const wishes = [origin?.replace(/^refs\/remotes\/origin\//, ""), "main", "master", headBranch ?? undefined];
    return {
      realPath: bare === "true" ? gitDir : yield* Effect.promise(() => realpath(root ?? real)),
      gitDir,
      headBranch,
      defaultBranch: wishes.find((name) => name !== undefined && known.has(name)) ?? null,
      isShallow: shallow === "true",
      branches,
    };
  });

const branchArgs = ["for-each-ref", "--format=%(objectname) %(refname)", "refs/heads/"];

/** All branches of a repository of the person's own, by full ref. */
export const localBranches = (
  git: GitContext,
  path: string,
): Effect.Effect<ReadonlyArray<LocalBranch>, GitError | NotARepository> =>
  Effect.flatMap(open(git, path), ({ ask }) =>
    Effect.map(ask(branchArgs), (found) => parseBranches(Buffer.from(found.join("\n")))),
  );
