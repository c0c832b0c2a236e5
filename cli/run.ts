import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import type * as Fiber from "effect/Fiber";
import * as FiberId from "effect/FiberId";
import * as Option from "effect/Option";
import { Log } from "../effects/log/Log.ts";
import type { Failure } from "../src/errors.ts";
import { baseLayer, settingsFor } from "./layers.ts";
import { type Ending, type ErrorText, failedEnding, jsonDocument } from "./output.ts";
import type { VerbInput, VerbOutput, VerbSpec } from "./verb.ts";

/** Time between an interrupt and the end of the process, whatever the verb still does (milliseconds; the promise is 5 s). */
const interruptMillis = 4000;

const succeeded = (output: VerbOutput, json: boolean): Ending => ({
  stdout: json ? jsonDocument(output.json) : output.text === "" ? "" : `${output.text}\n`,
  stderr: "",
  exitCode: output.exitCode ?? 0,
});

const errorText = (cause: Cause.Cause<Failure>, logFile: string | null): ErrorText => {
  const failure = Option.getOrUndefined(Cause.failureOption(cause));
  if (failure !== undefined) {
    return { tag: failure._tag, message: failure.message, hint: failure.hint, exitCode: failure.exitCode };
  }
  if (Cause.isInterruptedOnly(cause)) {
    return { tag: "Interrupted", message: "interrupted", hint: "run the same command again to go on", exitCode: 130 };
  }
  const defect = Cause.squash(cause);
  const what = defect instanceof Error ? defect.message : String(defect);
  return {
    tag: "InternalError",
    message: `internal error: ${what.split("\n")[0] ?? ""}`,
    hint: logFile === null ? "run again with -v and see the log" : `see the log ${logFile}`,
    exitCode: 1,
  };
};

const endingOf = (exit: Exit.Exit<VerbOutput, Failure>, json: boolean): Effect.Effect<Ending, never, Log> =>
  Effect.gen(function* () {
    const log = yield* Log;
    if (log.file !== null) yield* log.step(`log: ${log.file}`);
    if (Exit.isSuccess(exit)) {
      yield* log.record("end", { exit_code: exit.value.exitCode ?? 0 });
      return succeeded(exit.value, json);
    }
    const error = errorText(exit.cause, log.file);
    yield* log.record("end", {
      exit_code: error.exitCode,
      tag: error.tag,
      cause: Cause.pretty(exit.cause, { renderErrorCause: true }),
    });
    return failedEnding({ ...error, message: log.redact(error.message), hint: log.redact(error.hint) }, json);
  });

const program = (spec: VerbSpec, input: VerbInput): Effect.Effect<Ending> => {
  const verb = Effect.promise(spec.load).pipe(
    Effect.flatMap((module) => module.run(input)),
    Effect.provide(settingsFor(spec)),
  );
  return Effect.uninterruptibleMask((restore) =>
    restore(verb).pipe(
      Effect.exit,
      Effect.flatMap((exit) => endingOf(exit, input.json)),
    ),
  ).pipe(Effect.provide(baseLayer(spec, input)));
};

const exitNow = (): never => process.exit(130);

/** First signal: interrupt the verb, so that it gives back what it holds. Second signal, or no end in time: out. */
const onSignals = (fiber: Fiber.RuntimeFiber<Ending>): (() => void) => {
  let interrupted = false;
  const stop = (): void => {
    if (interrupted) exitNow();
    interrupted = true;
    setTimeout(exitNow, interruptMillis).unref();
    fiber.unsafeInterruptAsFork(FiberId.none);
  };
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, stop);
  return () => {
    for (const signal of signals) process.off(signal, stop);
  };
};

/** Runs a verb to its end. Never rejects: a failure, a defect and an interrupt are endings too. */
export const runVerb = (spec: VerbSpec, input: VerbInput): Promise<Ending> =>
  new Promise((resolve) => {
    const fiber = Effect.runFork(program(spec, input));
    const off = onSignals(fiber);
    fiber.addObserver((exit) => {
      off();
      resolve(Exit.isSuccess(exit) ? exit.value : failedEnding(errorText(exit.cause, null), input.json));
    });
  });
