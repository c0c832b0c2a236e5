import * as Effect from "effect/Effect";
import { CodeIndex } from "../../effects/index/CodeIndex.ts";
import { terminalCell, terminalText } from "../../src/text/sanitize.ts";
import { indexTarget } from "../indexTarget.ts";
import { searchLayer } from "../layers/work.ts";
import type { VerbModule } from "../verb.ts";
import { hitLines, indexFacts } from "./indexText.ts";

/** The chunks that a text is about, best first. */
export const run: VerbModule["run"] = (input) =>
  Effect.gen(function* () {
    const index = yield* CodeIndex;
    const target = yield* indexTarget(input);
    const mode = input.flags.flag("mode");
    const chosen = mode === "vector" || mode === "text" ? mode : "hybrid";
    const glob = input.flags.flag("glob");
    const hits = yield* index.query({
      dir: target.dir,
      text: input.args.join(" "),
      k: input.flags.int("limit") ?? 10,
      mode: chosen,
      ...(glob === undefined ? {} : { glob }),
    });
    const facts = indexFacts(target, yield* index.meta(target.dir));
    return {
      json: { mode: chosen, index: facts, hits },
      text: terminalText(
        hits.length === 0
          ? `nothing found in ${terminalCell(facts.repo)} ${terminalCell(facts.branch)}`
          : hitLines(hits),
      ),
    };
  }).pipe(Effect.provide(searchLayer));
