import * as Effect from "effect/Effect";
import { cleanOrphans } from "../../effects/queue/cleanOrphans.ts";
import { Terminal } from "../../effects/terminal/Terminal.ts";
import { Refused } from "../../src/errors.ts";
import { terminalText } from "../../src/text/sanitize.ts";
import { queueLayer } from "../layers/queue.ts";
import type { VerbModule } from "../verb.ts";

/** Removes task folders that no row of the queue owns; asks first. */
export const run: VerbModule["run"] = (input) =>
  Effect.gen(function* () {
    const terminal = yield* Terminal;
    const preview = yield* cleanOrphans({ dryRun: true });
    const lines = (verb: string, report: typeof preview) =>
      [
        ...report.removed.map((name) => `${verb} ${name}`),
        ...report.kept.map((kept) => `kept ${kept.name}: ${kept.why}`),
      ].join("\n");
    if (input.flags.bool("dry-run") || preview.removed.length === 0) {
      return {
        json: { dry_run: input.flags.bool("dry-run"), ...preview },
        text: terminalText(lines("would remove", preview) || "no orphaned task folder"),
      };
    }
    if (!(yield* terminal.confirm(`Remove ${preview.removed.length} task folders?`))) {
      return yield* new Refused({ message: "nothing removed", hint: "answer y, or give -y" });
    }
    const report = yield* cleanOrphans({ dryRun: false });
    return { json: { dry_run: false, ...report }, text: terminalText(lines("removed", report)) };
  }).pipe(Effect.provide(queueLayer));
