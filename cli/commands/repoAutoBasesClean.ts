import * as Effect from "effect/Effect";
import { cleanAutoBases } from "../../effects/bases/cleanAutoBases.ts";
import { Repos } from "../../effects/repos/Repos.ts";
import { Terminal } from "../../effects/terminal/Terminal.ts";
import { NotFound, Refused } from "../../src/errors.ts";
import { terminalText } from "../../src/text/sanitize.ts";
import { requiredBranch } from "../input.ts";
import { queueEngineLayer } from "../layers/queueEngine.ts";
import type { VerbInput, VerbModule } from "../verb.ts";

const forcedBase = (input: VerbInput) =>
  Effect.gen(function* () {
    const name = input.flags.flag("force");
    if (name === undefined) return undefined;
    const repos = yield* Repos;
    const branch = yield* requiredBranch(input);
    const repo = yield* repos.byName(name);
    const base = yield* repos.base(repo.name, branch);
    if (base === null) {
      return yield* new NotFound({ message: `${name} has no base ${branch}`, hint: "see: adk repo auto-bases list" });
    }
    if (base.created_by === "user") {
      return yield* new Refused({
        message: `${branch} of ${name} is a user base; auto-bases clean never removes those`,
        hint: `remove it by name: adk repo branch remove ${name} --branch ${branch}`,
      });
    }
    return { repo: repo.name, branch };
  });

/** Removes auto bases that nobody has used for their time to live; asks first. */
export const run: VerbModule["run"] = (input) =>
  Effect.gen(function* () {
    const terminal = yield* Terminal;
    const force = yield* forcedBase(input);
    const options = force === undefined ? {} : { force };
    const preview = yield* cleanAutoBases({ dryRun: true, ...options });
    const names = preview.removed.map((base) => `${base.repo} ${base.branch}`);
    const lines = (verb: string, report: typeof preview) =>
      [
        ...report.removed.map((base) => `${verb} ${base.repo} ${base.branch}`),
        ...report.kept.map((base) => `kept ${base.repo} ${base.branch}: ${base.why}`),
      ].join("\n");
    if (input.flags.bool("dry-run") || names.length === 0) {
      return {
        json: { dry_run: input.flags.bool("dry-run"), ...preview },
        text: terminalText(lines("would remove", preview) || "no auto base to remove"),
      };
    }
    if (!(yield* terminal.confirm(`Remove ${names.join(", ")}?`))) {
      return yield* new Refused({ message: "nothing removed", hint: "answer y, or give -y" });
    }
    const report = yield* cleanAutoBases({ dryRun: false, ...options });
    return { json: { dry_run: false, ...report }, text: terminalText(lines("removed", report)) };
  }).pipe(Effect.provide(queueEngineLayer));
