import * as Effect from "effect/Effect";
import { indexBranches } from "../../effects/bases/indexBranches.ts";
import { addRepository } from "../../effects/repos/addRepository.ts";
import { terminalText } from "../../src/text/sanitize.ts";
import { workLayer } from "../layers/work.ts";
import type { VerbModule } from "../verb.ts";
import { baseLines, baseResults } from "./repoText.ts";

/** Registers a repository and indexes its default branch and the named ones, as user bases. */
export const run: VerbModule["run"] = (input) =>
  Effect.gen(function* () {
    const name = input.flags.flag("name");
    const repo = yield* addRepository({ source: input.args[0] ?? "", ...(name === undefined ? {} : { name }) });
    const named = input.flags.list("branch");
    const wanted = [...new Set([...(repo.default_branch === null ? [] : [repo.default_branch]), ...named])];
    const results = yield* indexBranches({
      repo,
      branches: wanted.map((branch) => ({ branch, createdBy: "user" as const })),
      rebuild: false,
    });
    const empty = wanted.length === 0 ? "\nthe repository is empty: nothing to index yet" : "";
    return {
      json: {
        name: repo.name,
        platform: repo.platform,
        url: repo.url,
        default_branch: repo.default_branch,
        bases: baseResults(results),
      },
      text: terminalText(`${repo.name}: registered${empty}\n${baseLines(results)}`.trimEnd()),
      exitCode: results.some((result) => result.outcome === "failed") ? (1 as const) : (0 as const),
    };
  }).pipe(Effect.provide(workLayer(input.env)));
