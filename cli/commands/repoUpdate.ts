import * as Effect from "effect/Effect";
import { indexBranches } from "../../effects/bases/indexBranches.ts";
import { refreshDefaultBranch } from "../../effects/repos/addRepository.ts";
import { Repos } from "../../effects/repos/Repos.ts";
import { UsageError } from "../../src/errors.ts";
import type { RepoMeta } from "../../src/repo/repoMeta.ts";
import { terminalText } from "../../src/text/sanitize.ts";
import { workLayer } from "../layers/work.ts";
import type { VerbInput, VerbModule } from "../verb.ts";
import { baseLines, baseResults } from "./repoText.ts";

const chosen = (input: VerbInput) =>
  Effect.gen(function* () {
    const repos = yield* Repos;
    const [name] = input.args;
    if (input.flags.bool("all") === (name !== undefined)) {
      return yield* new UsageError({
        message: "repo update takes a repository or --all",
        hint: "adk repo update NAME [--branch X | --all-branches], or adk repo update --all",
      });
    }
    return name === undefined ? yield* repos.list : [yield* repos.byName(name)];
  });

const branchesOf = (input: VerbInput, repo: RepoMeta) =>
  Effect.gen(function* () {
    const repos = yield* Repos;
    const bases = yield* repos.bases(repo.name);
    const branch = input.flags.flag("branch");
    const all = input.flags.bool("all") || input.flags.bool("all-branches");
    const wanted =
      branch !== undefined
        ? [branch]
        : all
          ? bases.map((base) => base.branch)
          : repo.default_branch === null
            ? []
            : [repo.default_branch];
    return wanted.map((name) => ({
      branch: name,
      createdBy: bases.find((base) => base.branch === name)?.created_by ?? ("user" as const),
    }));
  });

/** Fetches and brings bases up to date; goes on past a repository that fails. */
export const run: VerbModule["run"] = (input) =>
  Effect.gen(function* () {
    const updated = yield* Effect.forEach(yield* chosen(input), (known) =>
      Effect.gen(function* () {
        const repo = yield* refreshDefaultBranch(known);
        const results = yield* indexBranches({
          repo,
          branches: yield* branchesOf(input, repo),
          rebuild: input.flags.bool("rebuild"),
        });
        return { name: repo.name, results, error: null };
      }).pipe(
        Effect.catchAll((error) =>
          Effect.succeed({ name: known.name, results: [], error: `${error.message} — ${error.hint}` }),
        ),
      ),
    );
    const failed = updated.some(
      (repo) => repo.error !== null || repo.results.some((result) => result.outcome === "failed"),
    );
    return {
      json: {
        repos: updated.map((repo) => ({ name: repo.name, bases: baseResults(repo.results), error: repo.error })),
      },
      text: terminalText(
        updated
          .map((repo) =>
            `${repo.name}:${repo.error === null ? "" : ` failed: ${repo.error}`}\n${baseLines(repo.results)}`.trimEnd(),
          )
          .join("\n"),
      ),
      exitCode: failed ? (1 as const) : (0 as const),
    };
  }).pipe(Effect.provide(workLayer(input.env)));
