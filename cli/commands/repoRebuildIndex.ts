import * as Effect from "effect/Effect";
import { indexBranches } from "../../effects/bases/indexBranches.ts";
import { Repos } from "../../effects/repos/Repos.ts";
import { terminalText } from "../../src/text/sanitize.ts";
import { workLayer } from "../layers/work.ts";
import type { VerbModule } from "../verb.ts";
import { baseLines, baseResults } from "./repoText.ts";

/** Indexes bases from scratch; each keeps its origin. Tracked branches whose folder was deleted by hand come back. */
export const run: VerbModule["run"] = (input) =>
  Effect.gen(function* () {
    const repos = yield* Repos;
    const repo = yield* repos.byName(input.args[0] ?? "");
    const bases = yield* repos.bases(repo.name);
    const branch = input.flags.flag("branch");
    const all = [...new Set([...repo.tracked_branches, ...bases.map((base) => base.branch)])].sort();
    const branches = (branch === undefined ? all : [branch]).map((name) => {
      const base = bases.find((known) => known.branch === name);
      return { branch: name, createdBy: base?.created_by ?? ("user" as const), autoReason: base?.auto_reason ?? null };
    });
    const results = yield* indexBranches({ repo, branches, rebuild: true });
    return {
      json: { name: repo.name, bases: baseResults(results) },
      text: terminalText(`${repo.name}:\n${baseLines(results)}`.trimEnd()),
      exitCode: results.some((result) => result.outcome === "failed") ? (1 as const) : (0 as const),
    };
  }).pipe(Effect.provide(workLayer(input.env)));
