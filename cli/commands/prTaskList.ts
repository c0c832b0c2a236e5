import { join } from "node:path";
import * as Effect from "effect/Effect";
import { Home } from "../../effects/home/Home.ts";
import { readTaskState } from "../../effects/prepare/taskState.ts";
import { taskFolderNames } from "../../effects/queue/taskFolder.ts";
import { terminalText } from "../../src/text/sanitize.ts";
import { queueEngineLayer } from "../layers/queueEngine.ts";
import { plainTable } from "../plainTable.ts";
import type { VerbModule } from "../verb.ts";

/** The task folders on disk, prepared or not. */
export const run: VerbModule["run"] = (input) =>
  Effect.gen(function* () {
    const home = yield* Home;
    const names = yield* taskFolderNames(home.tasks);
    const tasks = yield* Effect.forEach(names, (name) => {
      const path = join(home.tasks, name);
      return readTaskState(path).pipe(
        Effect.map((state) => ({
          name,
          path,
          pr_url: state?.pr_url ?? null,
          head_sha: state?.head_sha ?? null,
          prepared_at: state?.prepared_at ?? null,
          error: null,
        })),
        Effect.catchAll((error) =>
          Effect.succeed({ name, path, pr_url: null, head_sha: null, prepared_at: null, error: error.message }),
        ),
      );
    });
    if (input.flags.bool("paths"))
      return { json: { tasks }, text: terminalText(tasks.map((task) => task.path).join("\n")) };
    const rows = tasks.map((task) => [
      task.name,
      task.head_sha?.slice(0, 12) ?? "-",
      task.prepared_at ?? (task.error === null ? "not prepared" : "unreadable"),
    ]);
    return {
      json: { tasks },
      text: tasks.length === 0 ? "no task folder" : plainTable([["task", "head", "prepared"], ...rows]),
    };
  }).pipe(Effect.provide(queueEngineLayer));
