import * as Effect from "effect/Effect";
import { Home } from "../effects/home/Home.ts";
import { branchDir, codeIndexDir, taskDir } from "../effects/home/layout.ts";
import { Repos } from "../effects/repos/Repos.ts";
import { UsageError } from "../src/errors.ts";
import { namedRow } from "./commands/prQueueInput.ts";
import type { VerbInput } from "./verb.ts";

/** The index that `--pr PR` or `--repo NAME [--branch X]` means. */
export interface IndexTarget {
  readonly dir: string;
  readonly repo: string;
  readonly branch: string;
  readonly pr: string | null;
}

/** Finds the index that a call's flags name. Without either flag: UsageError. */
export const indexTarget = (input: VerbInput) =>
  Effect.gen(function* () {
    const home = yield* Home;
    const repos = yield* Repos;
    const pr = input.flags.flag("pr");
    const name = input.flags.flag("repo");
    if (pr !== undefined && name === undefined) {
      const row = yield* namedRow({ ...input, flags: withoutPr(input) }, [pr]);
      const repo = yield* repos.byIdentity(row);
      return {
        dir: codeIndexDir(taskDir(home, row)),
        repo: repo?.name ?? row.repo,
        branch: row.target_branch ?? "",
        pr: row.pr_url,
      } satisfies IndexTarget;
    }
    if (name === undefined || pr !== undefined) {
      return yield* new UsageError({
        message: "which index is meant is not clear",
        hint: "give --pr PR, or --repo NAME [--branch X]",
      });
    }
    const repo = yield* repos.byName(name);
    const branch = input.flags.flag("branch") ?? repo.default_branch;
    if (branch === null) {
      return yield* new UsageError({ message: `${name} has no default branch yet`, hint: "name one: --branch X" });
    }
    return {
      dir: codeIndexDir(branchDir(home, repo.name, branch)),
      repo: repo.name,
      branch,
      pr: null,
    } satisfies IndexTarget;
  });

/** `--pr` names the whole PR here, not the number beside `--repo`. */
const withoutPr = (input: VerbInput): VerbInput["flags"] => ({
  ...input.flags,
  flag: (name) => (name === "pr" || name === "repo" ? undefined : input.flags.flag(name)),
});
