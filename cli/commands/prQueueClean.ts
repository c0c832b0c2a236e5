import * as Effect from "effect/Effect";
import { type CleanMode, type CleanReport, cleanRows } from "../../effects/queue/cleanRows.ts";
import { Terminal } from "../../effects/terminal/Terminal.ts";
import { Refused, UsageError } from "../../src/errors.ts";
import { terminalCell } from "../../src/text/sanitize.ts";
import { queueEngineLayer } from "../layers/queueEngine.ts";
import type { VerbInput, VerbModule } from "../verb.ts";

const modeOf = (input: VerbInput): Effect.Effect<CleanMode, UsageError> => {
  const staleDays = input.flags.int("stale-days");
  if (staleDays === undefined) return Effect.succeed(input.flags.bool("all") ? "all" : "terminal");
  if (input.flags.bool("all")) {
    return Effect.fail(
      new UsageError({ message: "both --all and --stale-days are given", hint: "give one of the two" }),
    );
  }
  return staleDays >= 1
    ? Effect.succeed({ staleDays })
    : Effect.fail(
        new UsageError({ message: `--stale-days ${staleDays} is not a number of days`, hint: "use 1 or more" }),
      );
};

const rows = (count: number): string => `${count} ${count === 1 ? "row" : "rows"}`;

const text = (report: CleanReport, dryRun: boolean): string => {
  const { removed, folders, kept } = report;
  const head =
    removed.length === 0
      ? "nothing to clean"
      : `${dryRun ? "would remove" : "removed"} ${rows(removed.length)} and ${folders.length} task folders`;
  return [
    head,
    ...removed.map((url) => terminalCell(`  ${url}`)),
    ...kept.map((each) => terminalCell(`  kept ${each.pr_url}: ${each.why}`)),
  ].join("\n");
};

/** `pr-queue clean`: drops ended rows with their task folders, after a question. */
export const run: VerbModule["run"] = (input) =>
  Effect.gen(function* () {
    const terminal = yield* Terminal;
    const mode = yield* modeOf(input);
    const planned = yield* cleanRows({ mode, dryRun: true });
    const dryRun = input.flags.bool("dry-run");
    if (dryRun || planned.removed.length === 0) {
      return { json: { dry_run: dryRun, ...planned }, text: text(planned, true) };
    }
    const question = `Remove ${rows(planned.removed.length)} and ${planned.folders.length} task folders?`;
    if (!(yield* terminal.confirm(question))) {
      return yield* new Refused({ message: "nothing was removed", hint: "answer yes, or pass -y" });
    }
    const report = yield* cleanRows({ mode, dryRun: false });
    return { json: { dry_run: false, ...report }, text: text(report, false) };
  }).pipe(Effect.provide(queueEngineLayer));
