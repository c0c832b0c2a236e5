import * as Effect from "effect/Effect";
import { prepareRows } from "../../effects/prepare/prepareRows.ts";
import { QueueStore } from "../../effects/store/QueueStore.ts";
import { UsageError } from "../../src/errors.ts";
import { isTerminal } from "../../src/queue/row.ts";
import { counted } from "../../src/text/counted.ts";
import { terminalText } from "../../src/text/sanitize.ts";
import { workLayer } from "../layers/work.ts";
import type { VerbInput, VerbModule } from "../verb.ts";
import { namedRow } from "./prQueueInput.ts";

const chosenRows = (input: VerbInput) =>
  Effect.gen(function* () {
    const named = input.args.length > 0 || input.flags.flag("pr") !== undefined;
    if (input.flags.bool("all") === named) {
      return yield* new UsageError({
        message: "pr-task prepare takes a PR or --all",
        hint: "adk pr-task prepare PR, or adk pr-task prepare --all",
      });
    }
    if (named) return [yield* namedRow(input)];
    const queue = yield* (yield* QueueStore).read;
    return queue.prs.filter((row) => !isTerminal(row));
  });

/** Prepares one PR or all of the queue; a task that stands at its key is given back at once. */
export const run: VerbModule["run"] = (input) =>
  Effect.gen(function* () {
    const rows = yield* chosenRows(input);
    const results = yield* prepareRows({
      rows,
      byHand: !input.flags.bool("all"),
      noBaseSeed: input.flags.bool("no-base-seed"),
      scope: input.flags.list("scope"),
      rebuild: input.flags.bool("rebuild"),
      jobs: input.flags.int("jobs"),
    });
    const failed = results.some((result) => result.outcome === "failed");
    // A PR that was named and is in another's hands is a refusal; with --all it is one of many that were left.
    const refused = !input.flags.bool("all") && results.some((result) => result.outcome === "skipped");
    const lines = results.map((result) =>
      result.outcome === "failed" || result.outcome === "skipped"
        ? `${result.pr_url}: ${result.outcome}: ${result.error}`
        : `${result.pr_url}: ${result.outcome} in ${result.seconds.toFixed(1)} s, ${counted(result.chunks.total, "chunk")} (${result.chunks.embedded} embedded, ${result.chunks.reused} reused)\n  ${result.task_dir}`,
    );
    const document = input.flags.bool("all") ? { results } : results[0];
    return {
      json: document ?? { results },
      text: terminalText(lines.join("\n") || "nothing to prepare"),
      exitCode: failed ? (1 as const) : refused ? (2 as const) : (0 as const),
    };
  }).pipe(Effect.provide(workLayer(input.env, { model: input.flags.flag("embed-model") })));
