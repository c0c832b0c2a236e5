import { spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { afterEach } from "vitest";
import * as git from "../../../effects/git/Git.ts";
import * as home from "../../../effects/home/Home.ts";
import * as log from "../../../effects/log/Log.ts";
import * as locks from "../../../effects/store/Locks.ts";
import type { RepoBuilder } from "../../../fixtures/repos/RepoBuilder.ts";

const made: string[] = [];

/** A folder of this test; removed after it. */
export const temporaryFolder = (): string => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "adk-git-")));
  made.push(dir);
  return dir;
};

afterEach(() => {
  for (const dir of made.splice(0)) rmSync(dir, { recursive: true, force: true });
});

/** The live service over a data home in `dir`. */
export const gitLayer = (dir: string): Layer.Layer<git.Git> => {
  const roots = home.layer({ env: { ADK_DATA_HOME: join(dir, "data") } });
  return git.layer.pipe(Layer.provide([roots, log.silent, locks.layer.pipe(Layer.provide(roots))]), Layer.orDie);
};

/** Runs an effect over the live service. */
export const run = <A, E>(dir: string, effect: Effect.Effect<A, E, git.Git>): Promise<A> =>
  Effect.runPromise(Effect.provide(effect, gitLayer(dir)));

/** Runs an effect that must fail and returns its error. */
export const runError = <A, E>(dir: string, effect: Effect.Effect<A, E, git.Git>): Promise<E> =>
  run(dir, Effect.flip(effect) as Effect.Effect<E, A, git.Git>);

/** A clone of everything that `repo` has, kept below refs/adk/heads/; returns its path. */
export const fetched = (dir: string, repo: RepoBuilder): Promise<string> => {
  const clone = join(dir, "data/repos/source/original-clone");
  const source = { clone, url: repo.dir, allowFile: repo.dir };
  const names = repo.git(["for-each-ref", "--format=%(refname)", "refs/heads/"]).split("\n");
  const refs = names.map((remote, n) => ({ remote, local: `refs/adk/heads/${n}` }));
  return run(
    dir,
    Effect.gen(function* () {
      const service = yield* git.Git;
      yield* service.ensureClone(source);
      yield* service.fetchRefs({ ...source, refs });
      return clone;
    }),
  );
};

/** git as a person types it: no options of adk, only `env` on top of the test's environment. */
export const plainGit = (cwd: string, args: ReadonlyArray<string>, env: NodeJS.ProcessEnv = {}): string => {
  const result = spawnSync("git", [...args], { cwd, env: { ...process.env, ...env }, encoding: "utf8" });
  return `${result.stdout}${result.status === 0 ? "" : result.stderr}`.trim();
};
