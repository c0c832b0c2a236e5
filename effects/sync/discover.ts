import * as Effect from "effect/Effect";
import { withNotes } from "../../src/sync/syncPlanFile.ts";
import { slackSettings } from "../connectors/slackSettings.ts";
import { Log } from "../log/Log.ts";
import { cleanOrphans } from "../queue/cleanOrphans.ts";
import { cleanRows } from "../queue/cleanRows.ts";
import { updateRows } from "../queue/updateRows.ts";
import { scanSlack } from "../scan/scanSlack.ts";
import { slackToken } from "../slack/caller.ts";
import { QueueStore } from "../store/QueueStore.ts";
import type { PlanBoard } from "./PlanBoard.ts";
import type { SyncRun } from "./SyncRun.ts";
import { counted, ok, skipped, tolerant } from "./stepEnds.ts";

/** Why Slack is left alone; null when it is set up. */
export const slackAbsent = (env: NodeJS.ProcessEnv) =>
  Effect.map(slackSettings, ({ slack }) => {
    if (slackToken(env) === null) return "Slack is not configured: no token";
    return slack.channels.length === 0 ? "Slack is not configured: no channels" : null;
  });

/** A few different reasons say why a step failed; a hundred rows of one host fail for one. */
export const firstReasons = (reasons: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(reasons)].slice(0, 5);

const scan = (env: NodeJS.ProcessEnv, board: PlanBoard) =>
  tolerant(
    Effect.gen(function* () {
      const absent = yield* slackAbsent(env);
      if (absent !== null) return skipped(absent);
      const { scanned, found, added, updated, failed } = yield* scanSlack({ env, dryRun: false });
      const log = yield* Log;
      const reasons = failed.map(({ channel, pr_url, error }) => `${channel ?? pr_url}: ${error}`);
      yield* Effect.forEach(reasons, (reason) => log.warn(reason), { discard: true });
      board.change((file) => withNotes(file, firstReasons(reasons)));
      const summary = `${counted(scanned.channels, "channel")} read, ${counted(found, "PR")} found, ${added.length} added, ${updated.length} updated, ${failed.length} failed`;
      return failed.length === 0 ? ok(summary) : { status: "warn" as const, rc: 1, summary };
    }),
  );

/** Phase A: the queue is brought up to date and cleared of what has ended. A step that fails is a warning. */
export const discover = (
  run: SyncRun,
  board: PlanBoard,
  options: { readonly clean: boolean; readonly scan: boolean; readonly env: NodeJS.ProcessEnv },
) =>
  Effect.gen(function* () {
    const store = yield* QueueStore;
    yield* run.step("pr-scan", options.scan ? scan(options.env, board) : Effect.succeed(skipped("--no-scan")));
    yield* run.step(
      "pr-queue update --all",
      tolerant(
        Effect.map(updateRows({ keys: "all" }), (report) => {
          const limited = report.failed.flatMap(({ retry_at }) => retry_at ?? []).sort();
          const until = limited.length === 0 ? "" : `, limited until ${limited.at(-1)}`;
          const counts = `${report.checked} checked, ${report.moved} moved, ${report.merged} merged, ${report.closed} closed`;
          const reasons = firstReasons(report.failed.map(({ error }) => error));
          board.change((file) => withNotes(file, [...report.notes, ...reasons]));
          return {
            status: report.failed.length > 0 ? ("warn" as const) : ("ok" as const),
            rc: report.failed.length > 0 ? 1 : 0,
            summary: `${counts}, ${report.failed.length} failed${until}`,
          };
        }),
      ),
    );
    yield* run.step(
      "pr-queue clean",
      options.clean
        ? tolerant(
            Effect.gen(function* () {
              const statuses = new Map((yield* store.read).prs.map((row) => [row.pr_url, row.status]));
              const report = yield* cleanRows({ mode: "terminal", dryRun: false });
              const notes = report.removed.map((url) => `${url} is ${statuses.get(url) ?? "over"} and left the queue`);
              board.change((file) => withNotes(file, notes));
              return ok(`${counted(report.removed.length, "row")} removed, ${report.kept.length} kept`);
            }),
          )
        : Effect.succeed(skipped("--no-clean")),
    );
    yield* run.step(
      "pr-task clean-orphans",
      options.clean
        ? tolerant(
            Effect.map(cleanOrphans({ dryRun: false }), (report) =>
              ok(`${counted(report.removed.length, "folder")} removed`),
            ),
          )
        : Effect.succeed(skipped("--no-clean")),
    );
  });
