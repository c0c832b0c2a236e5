import * as Effect from "effect/Effect";
import { describeBases } from "../../effects/bases/describeBases.ts";
import { Repos } from "../../effects/repos/Repos.ts";
import { queueEngineLayer } from "../layers/queueEngine.ts";
import { plainTable } from "../plainTable.ts";
import type { VerbModule } from "../verb.ts";
import { baseRows } from "./baseTable.ts";

/** The bases of one repository. */
export const run: VerbModule["run"] = (input) =>
  Effect.gen(function* () {
    const repos = yield* Repos;
    const repo = yield* repos.byName(input.args[0] ?? "");
    const branches = yield* describeBases(repo);
    return {
      json: { name: repo.name, default_branch: repo.default_branch, branches },
      text: branches.length === 0 ? "no base yet" : plainTable(baseRows(branches)),
    };
  }).pipe(Effect.provide(queueEngineLayer));
