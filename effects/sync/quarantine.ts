import * as Effect from "effect/Effect";
import * as Either from "effect/Either";
import type { SnapshotUnreadable } from "../../machines/errors.ts";
import { identityKey } from "../../src/names.ts";
import type { QueueFile, QueueRow } from "../../src/queue/row.ts";
import { Engine, findRow, replaceRow } from "../engine/Engine.ts";

/** The queue with a row marked whose stored state cannot be read: status `error` and the reason; nothing else of it changes. */
export const withQuarantined = (queue: QueueFile, row: QueueRow, why: SnapshotUnreadable): QueueFile =>
  replaceRow(queue, { ...row, status: "error", last_error: why.message });

/** The same as a transaction of its own. A row that is gone meanwhile is none to mark. */
export const quarantine = (row: QueueRow, why: SnapshotUnreadable) =>
  Effect.flatMap(Engine, (engine) =>
    engine.change<void, never>((queue) => {
      const current = findRow(queue, identityKey(row));
      return Either.right({
        queue: current === undefined ? queue : withQuarantined(queue, current, why),
        result: undefined,
      });
    }),
  );
