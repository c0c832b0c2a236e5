import * as Effect from "effect/Effect";
import * as Either from "effect/Either";
import * as Layer from "effect/Layer";
import { type Engine, layer as engineLayer } from "../effects/engine/Engine.ts";
import { EventLog } from "../effects/engine/EventLog.ts";
import { Repos } from "../effects/repos/Repos.ts";
import { QueueStore } from "../effects/store/QueueStore.ts";
import { type QueueFile, type QueueRow, queueSchemaVersion } from "../src/queue/row.ts";
import type { BranchMeta } from "../src/repo/repoMeta.ts";

const unused = Effect.dieMessage("not part of this measurement");

/** The engine over a queue and bases in memory: what scheduling and machines cost without any disk. */
export const memoryEngine = (
  rows: ReadonlyArray<QueueRow>,
): { readonly layer: Layer.Layer<Engine>; readonly rows: () => ReadonlyArray<QueueRow> } => {
  let queue: QueueFile = { schema_version: queueSchemaVersion, rev: 1, prs: rows };
  const bases = new Map<string, BranchMeta>();
  const store = Layer.succeed(QueueStore, {
    read: Effect.sync(() => queue),
    readOrLastGood: Effect.sync(() => ({ queue, banner: null })),
    transact: (change) =>
      Effect.suspend(() =>
        Either.map(change(queue), (changed) => {
          queue = changed.queue;
          return changed.result;
        }),
      ),
    restore: () => unused,
  });
  const repos = Layer.succeed(Repos, {
    list: unused,
    byName: () => unused,
    byIdentity: () => unused,
    register: () => unused,
    update: () => unused,
    bases: () => unused,
    base: () => unused,
    updateBase: (where, change) =>
      Effect.suspend(() => {
        const key = `${where.repo}:${where.branch}`;
        return Either.map(change(bases.get(key) ?? null), ({ next, result }) => {
          if (next !== null) bases.set(key, next);
          return result;
        });
      }),
    removeBaseFolder: () => unused,
  });
  const events = Layer.succeed(EventLog, { append: () => Effect.void });
  return { layer: Layer.provide(engineLayer, Layer.mergeAll(store, repos, events)), rows: () => queue.prs };
};
