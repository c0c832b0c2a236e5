import { makeRedactor, secretsOfEnvironment } from "../../src/text/redact.ts";
import { helpText, usageLine } from "../help.ts";
import { type Ending, failedEnding, jsonDocument } from "../output.ts";
import type { Invocation } from "../parse.ts";
import type { VerbInput, VerbSpec } from "../verb.ts";
import { version } from "../version.ts";

/** Runs a verb to its end; imported or loaded only when there is one to run. */
export type RunVerb = (spec: VerbSpec, input: VerbInput) => Promise<Ending>;

const printed = (text: string, document: Readonly<Record<string, string>>, json: boolean): Ending => ({
  stdout: json ? jsonDocument(document) : `${text}\n`,
  stderr: "",
  exitCode: 0,
});

/** A token that was typed where a word belongs is not repeated on the screen. */
const misused = (misuse: Extract<Invocation, { readonly kind: "usage" }>): Ending => {
  const redact = makeRedactor(secretsOfEnvironment(process.env));
  const call = { ...misuse, message: redact(misuse.message), hint: redact(misuse.hint) };
  const ending = failedEnding({ tag: "UsageError", message: call.message, hint: call.hint, exitCode: 2 }, call.json);
  return { ...ending, stderr: `${ending.stderr}${usageLine(call.path)}\n` };
};

/** Under an agent only what a review reads is allowed; the worker does the rest on its behalf (spec 3, "Environment"). */
const agentMayRun = (spec: VerbSpec): boolean => spec.path[0] === "index" || spec.path.join(" ") === "pr-task info";

const run = (spec: VerbSpec, input: VerbInput, runVerb: RunVerb): Ending | Promise<Ending> => {
  if ((input.env.ADK_AGENT ?? "") === "" || agentMayRun(spec)) return runVerb(spec, input);
  const message = `adk ${spec.path.join(" ")} is not for agents`;
  return failedEnding(
    { tag: "Refused", message, hint: "use adk index … or adk pr-task info", exitCode: 2 },
    input.json,
  );
};

/** What a call ends with. Version, help, usage errors and refusals come from the table of verbs alone; the rest from `runVerb`. */
export const answer = (call: Invocation, runVerb: RunVerb): Ending | Promise<Ending> => {
  switch (call.kind) {
    case "version":
      return printed(`adk ${version}`, { version }, call.json);
    case "help":
      return printed(helpText(call.path), { help: helpText(call.path) }, call.json);
    case "usage":
      return misused(call);
    case "run":
      return run(call.spec, call.input, runVerb);
  }
};
