import * as Effect from "effect/Effect";
import { CodeIndex } from "../../effects/index/CodeIndex.ts";
import { terminalText } from "../../src/text/sanitize.ts";
import { indexTarget } from "../indexTarget.ts";
import { searchLayer } from "../layers/work.ts";
import type { VerbModule } from "../verb.ts";
import { chosenHits, hitLines, indexFacts } from "./indexText.ts";

/** Where a symbol is used, by the syntax tree. */
export const run: VerbModule["run"] = (input) =>
  Effect.gen(function* () {
    const index = yield* CodeIndex;
    const target = yield* indexTarget(input);
    const found = yield* index.callers({ dir: target.dir, names: input.args });
    const hits = chosenHits(found, input);
    return {
      json: { mode: "callers", index: indexFacts(target, yield* index.meta(target.dir)), hits },
      text: terminalText(hits.length === 0 ? `${input.args.join(" ")} is used nowhere in this index` : hitLines(hits)),
    };
  }).pipe(Effect.provide(searchLayer));
