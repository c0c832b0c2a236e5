import { finish, ignoreClosedPipes } from "./output.ts";
import { parse } from "./parse.ts";
import { answer } from "./startup/answer.ts";

// Every verb, from modules that load as they are needed. bin/adk comes here for those that cli/startup has no bundle for.
ignoreClosedPipes();
await finish(
  await answer(parse(process.argv.slice(2), process.env), async (spec, input) => {
    // Here, and not before: nothing above needs effect, and loading it doubles the time of a call.
    const { runVerb } = await import("./run.ts");
    return runVerb(spec, input);
  }),
);
