import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import { Engine } from "../../effects/engine/Engine.ts";
import { Repos } from "../../effects/repos/Repos.ts";
import { terminalText } from "../../src/text/sanitize.ts";
import { formatTime } from "../../src/time.ts";
import { requiredBranch } from "../input.ts";
import { workLayer } from "../layers/work.ts";
import type { VerbModule } from "../verb.ts";

/** Turns an auto base into a user base; never back. */
export const run: VerbModule["run"] = (input) =>
  Effect.gen(function* () {
    const repos = yield* Repos;
    const engine = yield* Engine;
    const repo = yield* repos.byName(input.args[0] ?? "");
    const branch = yield* requiredBranch(input);
    const at = formatTime(yield* Clock.currentTimeMillis);
    const { meta } = yield* engine.base({ repo: repo.name, branch }, { type: "PROMOTE", at });
    return {
      json: { name: repo.name, branch, created_by: meta.created_by },
      text: terminalText(`base ${branch} of ${repo.name} is a user base now`),
    };
  }).pipe(Effect.provide(workLayer(input.env)));
