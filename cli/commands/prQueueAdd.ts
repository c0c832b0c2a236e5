import * as Effect from "effect/Effect";
import { type AddResult, addLocal, addPr } from "../../effects/queue/addRows.ts";
import { updateRows } from "../../effects/queue/updateRows.ts";
import { type Failure, Refused, UsageError } from "../../src/errors.ts";
import { terminalCell } from "../../src/text/sanitize.ts";
import { queuePlatformLayer } from "../layers/queuePlatform.ts";
import type { VerbInput, VerbModule, VerbOutput } from "../verb.ts";
import { severalPrs } from "./prQueueInput.ts";

const localResults = (input: VerbInput, path: string) =>
  Effect.gen(function* () {
    const head = input.flags.flag("head");
    const base = input.flags.flag("base");
    if (input.args.length > 0 || input.flags.flag("pr") !== undefined) {
      return yield* new UsageError({
        message: "both a PR and --local are given",
        hint: "add them in two calls: adk pr-queue add PR, adk pr-queue add --local PATH",
      });
    }
    const result = yield* addLocal({
      path,
      ...(head === undefined ? {} : { head }),
      ...(base === undefined ? {} : { base }),
    });
    return [result];
  });

const hostedResults = (input: VerbInput) =>
  Effect.gen(function* () {
    if (input.flags.flag("head") !== undefined || input.flags.flag("base") !== undefined) {
      return yield* new UsageError({
        message: "--head and --base belong to a local repository",
        hint: "name it: adk pr-queue add --local PATH --head BRANCH",
      });
    }
    // Every word is looked at before the first host is asked: a wrong one adds nothing.
    const prs = yield* severalPrs(input);
    return yield* Effect.forEach(prs, addPr, { concurrency: 4 });
  });

/** With `-y` a row that is there already is refreshed instead of refused. */
const refreshExisting = (input: VerbInput, results: ReadonlyArray<AddResult>) => {
  const keys = results.flatMap((result) => (result.kind === "existing" ? [result.key] : []));
  return input.yes && keys.length > 0 ? updateRows({ keys }) : Effect.void;
};

const line = (result: AddResult, yes: boolean): string => {
  switch (result.kind) {
    case "added":
      return `added ${result.pr_url} (status ${result.status})`;
    case "existing":
      return yes ? `refreshed ${result.pr_url}` : `already in the queue: ${result.pr_url} (refresh it with -y)`;
    case "failed":
      return `failed: ${result.input}: ${result.failure.message} — ${result.failure.hint}`;
  }
};

/** The one PR of a call that did not get in is the call's own failure, and so one line on stderr. */
const failAlone = (result: AddResult, yes: boolean): Effect.Effect<void, Failure> => {
  if (result.kind === "failed") return Effect.fail(result.failure);
  if (result.kind === "added" || yes) return Effect.void;
  const message = `${result.pr_url} is already in the queue`;
  return Effect.fail(
    new Refused({ message, hint: "refresh it with: adk pr-queue add PR -y, or adk pr-queue update PR" }),
  );
};

const exitCodeOf = (results: ReadonlyArray<AddResult>, yes: boolean): 0 | 1 | 2 => {
  if (results.some((result) => result.kind === "failed" && result.failure.exitCode !== 2)) return 1;
  if (results.some((result) => result.kind === "failed")) return 2;
  return !yes && results.some((result) => result.kind === "existing") ? 2 : 0;
};

const output = (results: ReadonlyArray<AddResult>, yes: boolean): VerbOutput => ({
  json: {
    added: results.flatMap((each) => (each.kind === "added" ? [{ pr_url: each.pr_url, status: each.status }] : [])),
    existing: results.flatMap((each) => (each.kind === "existing" ? [each.pr_url] : [])),
    failed: results.flatMap((each) =>
      each.kind === "failed" ? [{ input: each.input, error: `${each.failure.message} — ${each.failure.hint}` }] : [],
    ),
  },
  text: results.map((result) => terminalCell(line(result, yes))).join("\n"),
  exitCode: exitCodeOf(results, yes),
});

/** `pr-queue add`: hosted PRs, or with `--local` one change request of a local repository. */
export const run: VerbModule["run"] = (input) =>
  Effect.gen(function* () {
    const path = input.flags.flag("local");
    const results: ReadonlyArray<AddResult> =
      path === undefined ? yield* hostedResults(input) : yield* localResults(input, path);
    yield* refreshExisting(input, results);
    const [only, ...more] = results;
    if (only !== undefined && more.length === 0 && !input.json) yield* failAlone(only, input.yes);
    return output(results, input.yes);
  }).pipe(Effect.provide(queuePlatformLayer(input.env)));
