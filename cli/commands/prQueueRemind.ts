import * as Effect from "effect/Effect";
import { type RemindReport, remindRows } from "../../effects/remind/remindRows.ts";
import { slackToken } from "../../effects/slack/caller.ts";
import { tokenMissing } from "../../effects/slack/failures.ts";
import { counted } from "../../src/text/counted.ts";
import { terminalCell } from "../../src/text/sanitize.ts";
import { slackQueueLayer } from "../layers/slack.ts";
import type { VerbModule } from "../verb.ts";

const text = (report: RemindReport, dryRun: boolean): string => {
  const { reminded, skipped, failed } = report;
  return [
    `${counted(reminded.length, "thread")} ${dryRun ? "would be reminded" : "reminded"}, ${counted(skipped.length, "row")} not due, ${failed.length} failed`,
    ...reminded.map(({ pr_url, channel_id }) =>
      terminalCell(`  ${dryRun ? "would remind" : "reminded"} of ${pr_url} in ${channel_id}`),
    ),
    ...failed.map(({ pr_url, error }) => terminalCell(`  failed: ${pr_url}: ${error}`)),
  ].join("\n");
};

/** `pr-queue remind`: a reply in the threads of rows that were reviewed and have not changed since; exit 1 when one failed. */
export const run: VerbModule["run"] = (input) =>
  Effect.gen(function* () {
    const dryRun = input.flags.bool("dry-run");
    if (slackToken(input.env) === null && !dryRun) return yield* tokenMissing();
    const hours = input.flags.int("threshold-hours") ?? 24;
    const report = yield* remindRows({ thresholdMs: hours * 3_600_000, dryRun });
    return {
      json: dryRun ? { dry_run: true, ...report } : report,
      text: text(report, dryRun),
      exitCode: report.failed.length === 0 ? 0 : 1,
    } as const;
  }).pipe(Effect.provide(slackQueueLayer(input.env)));
