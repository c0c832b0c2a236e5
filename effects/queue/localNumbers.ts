import * as Effect from "effect/Effect";
import type { QueueRow } from "../../src/queue/row.ts";
import { Repos } from "../repos/Repos.ts";

/**
 * The least number that a change request of a local repository of this name may get, as the registered repositories
 * remember it. The rows in the queue count besides, under the queue's lock.
 */
export const leastLocalNumber = (repo: string) =>
  Effect.gen(function* () {
    const repos = yield* Repos;
    const metas = yield* repos.list;
    return metas
      .filter((meta) => meta.platform === "local" && meta.repo.toLowerCase() === repo.toLowerCase())
      .reduce((least, meta) => Math.max(least, meta.next_local_number ?? 1), 1);
  });

/** Notes in the repository's meta that a local row's number was given out; called before the row leaves the queue. */
export const rememberLocalNumber = (row: QueueRow) =>
  Effect.gen(function* () {
    if (row.platform !== "local") return;
    const repos = yield* Repos;
    const meta = yield* repos.byIdentity(row);
    if (meta === null) return;
    const next = row.pr_number + 1;
    yield* repos
      .update(meta.name, (current) =>
        (current.next_local_number ?? 1) >= next ? current : { ...current, next_local_number: next },
      )
      .pipe(Effect.catchTag("RepoUnknown", () => Effect.void));
  });
