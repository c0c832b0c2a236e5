import * as Effect from "effect/Effect";
import { describeBases } from "../../effects/bases/describeBases.ts";
import { Repos } from "../../effects/repos/Repos.ts";
import { queueEngineLayer } from "../layers/queueEngine.ts";
import { plainTable } from "../plainTable.ts";
import type { VerbModule } from "../verb.ts";

/** Auto bases of all repositories, their users and when they expire. */
export const run: VerbModule["run"] = () =>
  Effect.gen(function* () {
    const repos = yield* Repos;
    const found = yield* Effect.forEach(yield* repos.list, (repo) =>
      Effect.map(describeBases(repo), (bases) =>
        bases.filter((base) => base.created_by === "auto").map((base) => ({ repo: repo.name, ...base })),
      ),
    );
    const bases = found.flat();
    const rows = bases.map((base) => [
      base.repo,
      base.branch,
      base.state,
      String(base.prs),
      base.auto_reason ?? "-",
      base.expires_at ?? "-",
    ]);
    return {
      json: { auto_bases: bases, count: bases.length },
      text:
        bases.length === 0
          ? "no auto base"
          : plainTable([["repo", "branch", "state", "PRs", "why", "expires"], ...rows]),
    };
  }).pipe(Effect.provide(queueEngineLayer));
