import * as Effect from "effect/Effect";
import { CodeIndex } from "../../effects/index/CodeIndex.ts";
import { counted } from "../../src/text/counted.ts";
import { terminalText } from "../../src/text/sanitize.ts";
import { indexTarget } from "../indexTarget.ts";
import { searchLayer } from "../layers/work.ts";
import type { VerbModule } from "../verb.ts";

/** Whether an index is whole and made by the present embedder. */
export const run: VerbModule["run"] = (input) =>
  Effect.gen(function* () {
    const index = yield* CodeIndex;
    const target = yield* indexTarget(input);
    const health = yield* index.health({ dir: target.dir });
    const lines = [
      `${health.status}: ${counted(health.rows, "row")}, ${health.text_rows} in the text index`,
      ...health.issues.map((issue) => `  ${issue}`),
    ];
    return {
      json: health,
      text: terminalText(lines.join("\n")),
      exitCode: health.status === "ok" ? (0 as const) : (1 as const),
    };
  }).pipe(Effect.provide(searchLayer));
