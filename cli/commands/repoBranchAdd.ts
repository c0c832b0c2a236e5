import * as Effect from "effect/Effect";
import { indexBranches } from "../../effects/bases/indexBranches.ts";
import { Repos } from "../../effects/repos/Repos.ts";
import { Refused } from "../../src/errors.ts";
import { terminalText } from "../../src/text/sanitize.ts";
import { requiredBranch } from "../input.ts";
import { workLayer } from "../layers/work.ts";
import type { VerbModule } from "../verb.ts";
import { baseLines, baseResults } from "./repoText.ts";

/** Indexes one more branch as a base. */
export const run: VerbModule["run"] = (input) =>
  Effect.gen(function* () {
    const repos = yield* Repos;
    const repo = yield* repos.byName(input.args[0] ?? "");
    const branch = yield* requiredBranch(input);
    const known = yield* repos.base(repo.name, branch);
    if (known !== null && known.last_indexed_sha !== null) {
      return yield* new Refused({
        message: `${repo.name} has a base ${branch} already`,
        hint: `bring it up to date with: adk repo update ${repo.name} --branch ${branch}`,
      });
    }
    const auto = input.flags.bool("auto");
    const results = yield* indexBranches({
      repo,
      branches: [
        {
          branch,
          createdBy: auto ? "auto" : "user",
          autoReason: auto ? (input.flags.flag("auto-reason") ?? "added by hand") : null,
        },
      ],
      rebuild: false,
    });
    return {
      json: { name: repo.name, bases: baseResults(results) },
      text: terminalText(`${repo.name}:\n${baseLines(results)}`),
      exitCode: results.some((result) => result.outcome === "failed") ? (1 as const) : (0 as const),
    };
  }).pipe(Effect.provide(workLayer(input.env)));
