import * as Effect from "effect/Effect";
import { deleteAutoBase } from "../../effects/bases/deleteBase.ts";
import { baseLock } from "../../effects/home/layout.ts";
import { Repos } from "../../effects/repos/Repos.ts";
import { Locks } from "../../effects/store/Locks.ts";
import { Terminal } from "../../effects/terminal/Terminal.ts";
import { NotFound, Refused } from "../../src/errors.ts";
import { terminalText } from "../../src/text/sanitize.ts";
import { requiredBranch } from "../input.ts";
import { workLayer } from "../layers/work.ts";
import type { VerbModule } from "../verb.ts";

/** Removes a base with its index; asks first. */
export const run: VerbModule["run"] = (input) =>
  Effect.scoped(
    Effect.gen(function* () {
      const repos = yield* Repos;
      const locks = yield* Locks;
      const terminal = yield* Terminal;
      const repo = yield* repos.byName(input.args[0] ?? "");
      const branch = yield* requiredBranch(input);
      const base = yield* repos.base(repo.name, branch);
      if (base === null) {
        return yield* new NotFound({
          message: `${repo.name} has no base ${branch}`,
          hint: `see: adk repo branch list ${repo.name}`,
        });
      }
      const document = { name: repo.name, branch, removed: !input.flags.bool("dry-run") };
      if (input.flags.bool("dry-run"))
        return { json: document, text: terminalText(`would remove base ${branch} of ${repo.name}`) };
      if (!(yield* terminal.confirm(`Remove base ${branch} of ${repo.name} with its index?`))) {
        return yield* new Refused({ message: "not removed", hint: "answer y, or give -y" });
      }
      yield* locks.acquire(baseLock(repo.name, branch), { verb: "repo branch remove" });
      if (base.created_by === "auto") yield* deleteAutoBase({ repo: repo.name, branch });
      else yield* repos.removeBaseFolder(repo.name, branch);
      return { json: document, text: terminalText(`removed base ${branch} of ${repo.name}`) };
    }),
  ).pipe(Effect.provide(workLayer(input.env)));
