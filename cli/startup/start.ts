import { join } from "node:path";
import { finish, ignoreClosedPipes } from "../output.ts";
import { parse } from "../parse.ts";
import type { VerbModule } from "../verb.ts";
import { answer, type RunVerb } from "./answer.ts";
import { bundleOf } from "./lightVerbs.ts";

/** What a bundle of light verbs exports (readVerbs.ts, writeVerbs.ts). */
export interface LightBundle {
  readonly runVerb: RunVerb;
  readonly verbs: Readonly<Record<string, VerbModule>>;
}

const runLight: RunVerb = async (spec, input) => {
  const verb = spec.path.join(" ");
  const { compileBundle } = await import("./codeCache.ts");
  const { runVerb, verbs } = compileBundle(join(__dirname, `${bundleOf(verb)}.cjs`)).evaluate(require) as LightBundle;
  const module = verbs[verb];
  return runVerb(module === undefined ? spec : { ...spec, load: async () => module }, input);
};

/** The modules of cli/main.ts answer for themselves; here is only what keeps them from being loaded. */
const runAny = (): Promise<unknown> => {
  // A name and no literal: the file is beside the bundle that this becomes, not beside this one.
  const modules: string = "./main.js";
  return import(modules);
};

const call = parse(process.argv.slice(2), process.env);
const heavy = call.kind === "run" && bundleOf(call.spec.path.join(" ")) === undefined;
if (!heavy) ignoreClosedPipes();
(heavy ? runAny() : Promise.resolve(answer(call, runLight)).then(finish)).catch((error: unknown) => {
  const what = error instanceof Error ? error.message : String(error);
  process.stderr.write(`error: adk cannot load: ${what.split("\n")[0]} — run ./install.sh in its folder\n`);
  process.exitCode = 1;
});
