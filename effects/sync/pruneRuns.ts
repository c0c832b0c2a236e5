import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { Home } from "../home/Home.ts";
import { Log } from "../log/Log.ts";

const kept = 50;

/** Removes the snapshots of sync runs but the newest 50: a run that ended is history, and cron makes many. */
export const pruneRuns = Effect.gen(function* () {
  const home = yield* Home;
  const log = yield* Log;
  yield* Effect.tryPromise(async () => {
    const names = (await readdir(home.runs)).filter((name) => /^sync-\d{8}T\d{6}Z-\d+\.json5$/.test(name)).sort();
    for (const name of names.slice(0, -kept)) {
      await rm(join(home.runs, name), { force: true });
      await rm(join(home.runs, `${name}.bak`), { force: true });
    }
  }).pipe(Effect.catchAll((error) => log.warn(`old runs were not removed: ${String(error.cause)}`)));
});
