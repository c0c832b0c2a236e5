import * as Effect from "effect/Effect";
import { completionScript } from "../completionScript.ts";
import type { VerbModule } from "../verb.ts";

/** `adk completion bash|zsh|fish`: a static script made from the table of verbs. */
export const run: VerbModule["run"] = (input) => {
  const [shell] = input.args;
  const script = completionScript(shell === "zsh" || shell === "fish" ? shell : "bash");
  return Effect.succeed({ json: { shell, script }, text: script });
};
