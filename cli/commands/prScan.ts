import * as Effect from "effect/Effect";
import { type ScanReport, scanSlack } from "../../effects/scan/scanSlack.ts";
import { UsageError } from "../../src/errors.ts";
import { counted } from "../../src/text/counted.ts";
import { terminalCell } from "../../src/text/sanitize.ts";
import { slackQueueLayer } from "../layers/slack.ts";
import type { VerbInput, VerbModule } from "../verb.ts";

const list = (text: string | undefined): ReadonlyArray<string> | undefined =>
  text?.split(",").flatMap((name) => (name.trim() === "" ? [] : [name.trim()]));

const options = (input: VerbInput) =>
  Effect.gen(function* () {
    const [hours, days] = [input.flags.int("since-hours"), input.flags.int("since-days")];
    const [also, only] = [list(input.flags.flag("channels")), list(input.flags.flag("channels-only"))];
    if (hours !== undefined && days !== undefined)
      return yield* new UsageError({
        message: "both --since-hours and --since-days are given",
        hint: "give one of the two",
      });
    if (also !== undefined && only !== undefined)
      return yield* new UsageError({
        message: "both --channels and --channels-only are given",
        hint: "give one of the two",
      });
    const windowMs = hours !== undefined ? hours * 3_600_000 : days === undefined ? undefined : days * 86_400_000;
    return {
      env: input.env,
      dryRun: input.flags.bool("dry-run"),
      ...(windowMs === undefined ? {} : { windowMs }),
      ...(also === undefined ? {} : { also }),
      ...(only === undefined ? {} : { only }),
    };
  });

const summary = (report: ScanReport, dryRun: boolean): string => {
  const { scanned, found, added, updated, skipped, dead_links, failed } = report;
  const where = `${counted(scanned.messages, "message")} in ${counted(scanned.threads, "thread")} of ${counted(scanned.channels, "channel")}`;
  const dead = dead_links.length === 0 ? [] : [counted(dead_links.length, "dead link")];
  const gone = scanned.vanished === 0 ? "" : ` (${scanned.vanished} more deleted meanwhile)`;
  return `${where}${gone}: ${[
    `${counted(found, "PR")} found`,
    `${added.length} ${dryRun ? "to add" : "added"}`,
    `${updated.length} with other threads`,
    `${skipped.length} skipped`,
    ...dead,
    `${failed.length} failed`,
  ].join(", ")}`;
};

const text = (report: ScanReport, dryRun: boolean): string => {
  const { added, skipped, failed } = report;
  const isNext = added.length > 0 && !dryRun;
  return [
    summary(report, dryRun),
    ...added.map(({ pr_url }) => terminalCell(`  ${dryRun ? "would add" : "added"} ${pr_url}`)),
    ...skipped.map(({ pr_url, why }) => terminalCell(`  skipped ${pr_url}: ${why}`)),
    ...failed.map(({ channel, pr_url, error }) => terminalCell(`  failed: ${channel ?? pr_url}: ${error}`)),
    ...(isNext ? ["next: adk pr-sync"] : []),
  ].join("\n");
};

/** `pr-scan`: Slack channels → queue rows; exit 1 when a channel or a PR could not be read. A dead link is none of these. */
export const run: VerbModule["run"] = (input) =>
  Effect.gen(function* () {
    const chosen = yield* options(input);
    const report = yield* scanSlack(chosen);
    return {
      json: chosen.dryRun ? { dry_run: true, ...report } : report,
      text: text(report, chosen.dryRun),
      exitCode: report.failed.length === 0 ? 0 : 1,
    } as const;
  }).pipe(Effect.provide(slackQueueLayer(input.env)));
