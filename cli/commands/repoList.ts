import * as Effect from "effect/Effect";
import { describeBases } from "../../effects/bases/describeBases.ts";
import { Repos } from "../../effects/repos/Repos.ts";
import { queueEngineLayer } from "../layers/queueEngine.ts";
import { plainTable } from "../plainTable.ts";
import type { VerbModule } from "../verb.ts";
import { baseRows } from "./baseTable.ts";

/** The registered repositories, with their bases under `--branches` and always in `--json`. */
export const run: VerbModule["run"] = (input) =>
  Effect.gen(function* () {
    const repos = yield* Repos;
    const metas = yield* repos.list;
    const described = yield* Effect.forEach(metas, (meta) =>
      Effect.map(describeBases(meta), (branches) => ({ meta, branches })),
    );
    const document = described.map(({ meta, branches }) => ({
      name: meta.name,
      platform: meta.platform,
      url: meta.url,
      default_branch: meta.default_branch,
      branches,
    }));
    const rows = described.map(({ meta, branches }) => [
      meta.name,
      meta.platform,
      meta.default_branch ?? "-",
      String(branches.length),
      meta.url,
    ]);
    const list = plainTable([["name", "platform", "default", "bases", "url"], ...rows]);
    const detail = input.flags.bool("branches")
      ? described
          .filter(({ branches }) => branches.length > 0)
          .map(({ meta, branches }) => `\n${meta.name}\n${plainTable(baseRows(branches))}`)
      : [];
    return {
      json: { repos: document },
      text:
        metas.length === 0
          ? "no repository is registered; add one with: adk repo add URL|PATH"
          : [list, ...detail].join("\n"),
    };
  }).pipe(Effect.provide(queueEngineLayer));
