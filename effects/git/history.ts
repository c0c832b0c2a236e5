import { randomBytes } from "node:crypto";
import * as Effect from "effect/Effect";
import { type CommitRecord, commitFormat, parseCommits } from "../../src/git/commits.ts";
import { isObjectName } from "../../src/git/tokens.ts";
import { type GitContext, parsed } from "./context.ts";
import { refMissing } from "./errors.ts";

const ask = (git: GitContext, options: { readonly clone: string; readonly rev: string }) =>
  Effect.map(
    git.run({
      args: ["rev-parse", "--verify", "--quiet", "--end-of-options", `${options.rev}^{commit}`],
      gitDir: options.clone,
      okCodes: [0, 1, 128],
    }),
    ({ stdout }) => {
      const sha = stdout.toString("utf8").trim();
      return isObjectName(sha) ? sha : null;
    },
  );

/** Commit that a full ref or an object name stands for; null when there is none. */
export const resolve = (git: GitContext, options: { readonly clone: string; readonly rev: string }) =>
  isObjectName(options.rev) ? git.facts.commits([options.clone, options.rev], ask(git, options)) : ask(git, options);

const needCommit = (git: GitContext, clone: string, rev: string) =>
  Effect.flatMap(resolve(git, { clone, rev }), (sha) =>
    sha === null ? Effect.fail(refMissing(rev)) : Effect.succeed(sha),
  );

/** Best common ancestor; null for histories without one. Both commits must be here. */
export const mergeBase = (
  git: GitContext,
  options: { readonly clone: string; readonly a: string; readonly b: string },
) =>
  Effect.gen(function* () {
    const a = yield* needCommit(git, options.clone, options.a);
    const b = yield* needCommit(git, options.clone, options.b);
    const found = Effect.map(
      git.run({ args: ["merge-base", a, b], gitDir: options.clone, okCodes: [0, 1] }),
      ({ stdout }) => {
        const sha = stdout.toString("utf8").split("\n")[0] ?? "";
        return isObjectName(sha) ? sha : null;
      },
    );
    return yield* git.facts.mergeBases([options.clone, a, b], found);
  });

/** True when `descendant` contains `ancestor`; a commit contains itself. Both must be here. */
export const isAncestor = (
  git: GitContext,
  options: { readonly clone: string; readonly ancestor: string; readonly descendant: string },
) =>
  Effect.gen(function* () {
    const ancestor = yield* needCommit(git, options.clone, options.ancestor);
    const descendant = yield* needCommit(git, options.clone, options.descendant);
    const args = ["merge-base", "--is-ancestor", ancestor, descendant];
    const { code } = yield* git.run({ args, gitDir: options.clone, okCodes: [0, 1] });
    return code === 0;
  });

export interface LogOptions {
  readonly clone: string;
  readonly tip: string;
  /** Most commits to return, newest first. */
  readonly max: number;
  /** Only commits that touch one of these paths (literal, files or folders). */
  readonly paths?: ReadonlyArray<string>;
}

/** Commits reachable from `tip`, newest first, each with the paths it changed. */
export const log = (git: GitContext, options: LogOptions): Effect.Effect<ReadonlyArray<CommitRecord>, LogError> =>
  Effect.gen(function* () {
    const tip = yield* needCommit(git, options.clone, options.tip);
    const mark = `adk-${randomBytes(12).toString("hex")}:`;
    const args = [
      "log",
      "-z",
      "--name-only",
      "--no-renames",
      "--no-notes",
      "--no-decorate",
      "--no-show-signature",
      "--no-ext-diff",
      "--no-textconv",
      "--ignore-submodules=none",
      `--max-count=${options.max}`,
      commitFormat(mark),
      "--end-of-options",
      tip,
      "--",
      ...(options.paths ?? []),
    ];
    const read = Effect.flatMap(git.run({ args, gitDir: options.clone }), ({ stdout }) =>
      parsed(["log"], parseCommits(stdout, mark)),
    );
    const key = [options.clone, tip, String(options.max), ...(options.paths ?? [])];
    return (yield* git.facts.histories(key, read)) ?? [];
  });

type LogError = Effect.Effect.Error<ReturnType<typeof needCommit>>;
