import * as Effect from "effect/Effect";
import { type AddResult, addLocal, addPr } from "../../effects/queue/addRows.ts";
import { updateRows } from "../../effects/queue/updateRows.ts";
import { addThread } from "../../effects/scan/addThread.ts";
import { type Failure, NotFound, Refused, UsageError } from "../../src/errors.ts";
import { looksLikePermalink, parsePermalink, type SlackPlace } from "../../src/slack/permalink.ts";
import { terminalCell } from "../../src/text/sanitize.ts";
import { slackQueueLayer } from "../layers/slack.ts";
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
    const isLink = input.args.map(looksLikePermalink);
    const places = yield* Effect.forEach(
      input.args.filter((_, at) => isLink[at]),
      (word) => parsePermalink(word),
    );
    const words = input.args.filter((_, at) => !isLink[at]);
    const named = words.length > 0 || places.length === 0 || input.flags.flag("pr") !== undefined;
    const prs = named ? yield* severalPrs({ ...input, args: words }) : [];
    const added = yield* Effect.forEach(prs, addPr, { concurrency: 4 });
    if (places.length === 0) return added;
    const threads = yield* Effect.forEach(places, (place) => threadResults(input, place));
    return [...added, ...threads.flat()];
  });

/** The PRs of one Slack thread, as results of their own; a thread without any is one failed result. */
const threadResults = (input: VerbInput, place: SlackPlace) =>
  Effect.gen(function* () {
    const shown = `Slack message ${place.ts} in ${place.channel_id}`;
    const read = yield* Effect.either(addThread({ env: input.env, place }));
    if (read._tag === "Left") {
      if (read.left.exitCode === 3) return yield* read.left;
      return [{ kind: "failed", input: shown, failure: read.left }] satisfies ReadonlyArray<AddResult>;
    }
    const { links, added, existing, updated, skipped, failed } = read.right;
    if (links === 0) {
      const failure = new NotFound({
        message: `no PR is linked in the thread of the ${shown}`,
        hint: "only links to pull requests of known hosts count; add the PR by its URL",
      });
      return [{ kind: "failed", input: shown, failure }] satisfies ReadonlyArray<AddResult>;
    }
    const results: ReadonlyArray<AddResult> = [
      ...added.map(({ pr_url, status }): AddResult => ({ kind: "added", pr_url, status })),
      ...existing.map((pr_url): AddResult => ({ kind: "linked", pr_url, isNews: updated.includes(pr_url) })),
      ...skipped.map(
        ({ pr_url, why }): AddResult => ({
          kind: "failed",
          input: pr_url,
          failure: new Refused({ message: `${pr_url} ${why}`, hint: "add it by its URL to have its row all the same" }),
        }),
      ),
      ...failed.map(({ pr_url, failure }): AddResult => ({ kind: "failed", input: pr_url, failure })),
    ];
    return results;
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
    case "linked":
      return `${result.isNews ? "in the queue already, now with this thread" : "in the queue with this thread already"}: ${result.pr_url}`;
    case "failed":
      return `failed: ${result.input}: ${result.failure.message} — ${result.failure.hint}`;
  }
};

/** The one PR of a call that did not get in is the call's own failure, and so one line on stderr. */
const failAlone = (result: AddResult, yes: boolean): Effect.Effect<void, Failure> => {
  if (result.kind === "failed") return Effect.fail(result.failure);
  if (result.kind !== "existing" || yes) return Effect.void;
  const message = `${result.pr_url} is already in the queue`;
  return Effect.fail(
    new Refused({ message, hint: "refresh it with: adk pr-queue add PR -y, or adk pr-queue update PR" }),
  );
};

const exitCodeOf = (results: ReadonlyArray<AddResult>, yes: boolean): 0 | 1 | 2 => {
  if (results.some((result) => result.kind === "failed" && result.failure.exitCode !== 2)) return 1;
  if (results.some((result) => result.kind === "failed")) return 2;
  const isKnown = (result: AddResult): boolean =>
    result.kind === "existing" || (result.kind === "linked" && !result.isNews);
  return !yes && results.some(isKnown) ? 2 : 0;
};

const output = (results: ReadonlyArray<AddResult>, yes: boolean): VerbOutput => ({
  json: {
    added: results.flatMap((each) => (each.kind === "added" ? [{ pr_url: each.pr_url, status: each.status }] : [])),
    existing: results.flatMap((each) => (each.kind === "existing" || each.kind === "linked" ? [each.pr_url] : [])),
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
  }).pipe(Effect.provide(slackQueueLayer(input.env)));
