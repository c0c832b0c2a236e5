import * as Effect from "effect/Effect";
import { previewSync } from "../../effects/sync/previewSync.ts";
import { prSync } from "../../effects/sync/prSync.ts";
import { terminalText } from "../../src/text/sanitize.ts";
import { workLayer } from "../layers/work.ts";
import type { VerbModule } from "../verb.ts";
import { planLines, summaryLine, warnedSteps } from "./prSyncText.ts";

/** Discover, plan, build bases, prepare PRs, clean up. */
export const run: VerbModule["run"] = (input) =>
  Effect.gen(function* () {
    const rebuild = input.flags.bool("rebuild");
    if (input.flags.bool("dry-run")) {
      const preview = yield* previewSync({ rebuild });
      return { json: { dry_run: true, ...preview }, text: terminalText(planLines(preview)) };
    }
    const report = yield* prSync({
      prepare: !input.flags.bool("no-prepare"),
      clean: !input.flags.bool("no-clean"),
      baseJobs: input.flags.int("base-jobs"),
      prepareJobs: input.flags.int("prepare-jobs"),
      rebuild,
      scan: !input.flags.bool("no-scan"),
      remind: !input.flags.bool("no-remind"),
      env: input.env,
      planOnly: input.flags.bool("plan-only"),
      argv: input.argv,
    });
    const { file } = report;
    const failed = file.prs
      .filter((pr) => pr.prep_status === "failed")
      .map((pr) => ({ pr_url: pr.pr_url, error: pr.error ?? "" }));
    const document = {
      run_id: report.runId,
      status: file.status,
      summary: file.summary,
      ready: report.ready,
      failed,
      warnings: warnedSteps(file),
      notes: file.notes,
      ...(input.flags.bool("plan-only") ? { bases: file.bases, prs: file.prs, skipped: report.skipped } : {}),
    };
    const text = input.flags.bool("plan-only")
      ? planLines({ bases: file.bases, prs: file.prs, skipped: report.skipped, estimates: null, clean: null })
      : summaryLine(file);
    return { json: document, text: terminalText(text), exitCode: file.rc === 1 ? (1 as const) : (0 as const) };
  }).pipe(Effect.provide(workLayer(input.env)));
