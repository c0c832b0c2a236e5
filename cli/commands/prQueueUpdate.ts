import * as Effect from "effect/Effect";
import { type UpdateReport, updateRows } from "../../effects/queue/updateRows.ts";
import { QueueStore } from "../../effects/store/QueueStore.ts";
import { Terminal } from "../../effects/terminal/Terminal.ts";
import { UsageError } from "../../src/errors.ts";
import { identityKey } from "../../src/names.ts";
import { terminalCell } from "../../src/text/sanitize.ts";
import { queuePlatformLayer } from "../layers/queuePlatform.ts";
import type { VerbInput, VerbModule } from "../verb.ts";
import { rowOf, severalPrs } from "./prQueueInput.ts";

/** Failures of one reason are one line: an outage of a host is one thing to know, not one a row. */
const failedLines = (failed: UpdateReport["failed"]): ReadonlyArray<string> => {
  const reasons = new Map<string, Array<string>>();
  for (const { error, pr_url } of failed) reasons.set(error, [...(reasons.get(error) ?? []), pr_url]);
  return [...reasons].map(([error, [first = "", ...others]]) =>
    terminalCell(
      others.length === 0 ? `  failed: ${first}: ${error}` : `  ${others.length + 1} failed, ${first} first: ${error}`,
    ),
  );
};

const text = (report: UpdateReport): string => {
  const { checked, unchanged, moved, merged, closed, reopened, failed, notes } = report;
  const counts = `${checked} checked: ${unchanged} unchanged, ${moved} moved, ${merged} merged, ${closed} closed`;
  const again = reopened === 0 ? "" : `, ${reopened} reopened`;
  return [
    `${counts}${again}, ${failed.length} failed`,
    ...notes.map((note) => terminalCell(`  ${note}`)),
    ...failedLines(failed),
  ].join("\n");
};

const keysOf = (input: VerbInput) =>
  Effect.gen(function* () {
    const named =
      input.args.length > 0 || input.flags.flag("repo") !== undefined || input.flags.flag("pr") !== undefined;
    if (input.flags.bool("all")) {
      if (!named) return "all" as const;
      return yield* new UsageError({ message: "both PRs and --all are given", hint: "give one of the two" });
    }
    if (!named)
      return yield* new UsageError({ message: "no PR is named", hint: "name PRs, or refresh every row: --all" });
    const prs = yield* severalPrs(input);
    const queue = yield* (yield* QueueStore).read;
    return yield* Effect.forEach(prs, (pr) => Effect.map(rowOf(queue, pr), identityKey));
  });

/** `pr-queue update`: fresh metadata from the hosts; exit 1 when any row failed. */
export const run: VerbModule["run"] = (input) =>
  Effect.gen(function* () {
    const terminal = yield* Terminal;
    const keys = yield* keysOf(input);
    const report = yield* updateRows({
      keys,
      onProgress: (done, total) => terminal.progress([`refreshing ${done}/${total}`]),
    });
    yield* terminal.clearProgress;
    return { json: report, text: text(report), exitCode: report.failed.length === 0 ? 0 : 1 } as const;
  }).pipe(Effect.provide(queuePlatformLayer(input.env)));
