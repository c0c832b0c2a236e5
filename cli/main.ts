import { helpText, usageLine } from "./help.ts";
import { errorDocument, ignoreClosedPipes, writeFlushed } from "./output.ts";
import { type Invocation, parse } from "./parse.ts";
import type { VerbInput, VerbSpec } from "./verb.ts";
import { version } from "./version.ts";

interface Ending {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

const printed = (text: string, document: Readonly<Record<string, string>>, json: boolean): Ending => ({
  stdout: `${json ? JSON.stringify(document) : text}\n`,
  stderr: "",
  exitCode: 0,
});

const misused = (call: Extract<Invocation, { readonly kind: "usage" }>): Ending => ({
  stdout: call.json ? errorDocument({ tag: "UsageError", message: call.message, hint: call.hint }) : "",
  stderr: `error: ${call.message} — ${call.hint}\n${usageLine(call.path)}\n`,
  exitCode: 2,
});

/** Under an agent only what a review reads is allowed; the worker does the rest on its behalf. */
const agentMayRun = (spec: VerbSpec): boolean => spec.path[0] === "index" || spec.path.join(" ") === "pr-task info";

const run = async (spec: VerbSpec, input: VerbInput): Promise<Ending> => {
  if (input.env.ADK_AGENT === "1" && !agentMayRun(spec)) {
    const message = `adk ${spec.path.join(" ")} is not for agents`;
    const hint = "use adk index … or adk pr-task info";
    return {
      stdout: input.json ? errorDocument({ tag: "Refused", message, hint }) : "",
      stderr: `error: ${message} — ${hint}\n`,
      exitCode: 2,
    };
  }
  // Here, and not before: nothing above needs effect, and loading it doubles the time of a call.
  const { runVerb } = await import("./run.ts");
  return runVerb(spec, input);
};

const answer = (call: Invocation): Ending | Promise<Ending> => {
  switch (call.kind) {
    case "version":
      return printed(`adk ${version}`, { version }, call.json);
    case "help":
      return printed(helpText(call.path), { help: helpText(call.path) }, call.json);
    case "usage":
      return misused(call);
    case "run":
      return run(call.spec, call.input);
  }
};

ignoreClosedPipes();
const ending = await answer(parse(process.argv.slice(2), process.env));
await writeFlushed(process.stderr, ending.stderr);
await writeFlushed(process.stdout, ending.stdout);
// Not left to the event loop: an expired wait must not keep the process alive.
process.exit(ending.exitCode);
