import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Either from "effect/Either";
import { identityKey } from "../../src/names.ts";
import { rowChange } from "../../src/pr/patchRow.ts";
import type { PrMetadata } from "../../src/pr/prMetadata.ts";
import type { QueueRow } from "../../src/queue/row.ts";
import { formatTime } from "../../src/time.ts";
import { Engine, findRow, replaceRow } from "../engine/Engine.ts";
import { Log } from "../log/Log.ts";
import { QueueStore } from "../store/QueueStore.ts";
import { type ClaimCaller, type ClaimDocument, type ClaimRefusal, claimRow } from "./claimRules.ts";
import { newClaimTry } from "./claims.ts";
import { eligibleRows } from "./nextEligible.ts";
import { refreshRow } from "./refreshRow.ts";

/** Document of `pr-queue get-next` when there is nothing to hand out. */
export interface QueueEmptyDocument {
  readonly action: "queue_empty";
  /** Rows that were eligible until the host was asked: merged, closed or moved meanwhile. */
  readonly dropped: ReadonlyArray<string>;
}

/** Asks the host about one row; any failure means "hand it out as it is". */
export type Validate = (row: QueueRow) => Effect.Effect<PrMetadata, { readonly message: string }>;

/** Rows that the host has taken away before `get-next` gives up. */
export const maxDropped = 10;

const stamp = (row: QueueRow): string => `${identityKey(row)}@${row.head_sha}@${row.target_branch}`;

/** Looks at the host's state of a row: true when it may be handed out, false when it was dropped or has moved. */
const stillOpen = (row: QueueRow, validate: Validate) =>
  Effect.gen(function* () {
    const log = yield* Log;
    const engine = yield* Engine;
    const asked = yield* Effect.either(validate(row));
    if (Either.isLeft(asked)) {
      yield* log.warn(`${row.pr_url} is handed out unchecked: ${asked.left.message}`);
      return true;
    }
    const meta = asked.right;
    if (meta.disposition === "open" && rowChange(row, meta).unchanged) return true;
    const at = formatTime(yield* Clock.currentTimeMillis);
    yield* engine.change((queue, step) => {
      const now = findRow(queue, identityKey(row));
      if (now === undefined) return Either.right({ queue, result: null });
      return Either.map(refreshRow(now, meta, at, step), (fresh) => ({
        queue: replaceRow(queue, fresh.row),
        result: null,
      }));
    });
    return false;
  });

/**
 * `pr-queue get-next` (spec 3): claims the oldest eligible row in one transaction. With `validate` the host is asked
 * first, outside the lock and holding nothing: a row that was merged, closed or moved gets that recorded and the next
 * one is tried, at most ten times.
 */
export const getNext = (caller: ClaimCaller, options: { readonly validate: Validate | null }) =>
  Effect.gen(function* () {
    const store = yield* QueueStore;
    const engine = yield* Engine;
    const proof = { run_id: caller.proof.run_id };
    const checked = new Set<string>();
    const dropped: Array<string> = [];
    while (dropped.length < maxDropped) {
      const ask = yield* newClaimTry({ ...caller, proof }, { force: false });
      const [candidate] = eligibleRows(yield* store.read, ask.clock);
      if (candidate === undefined) break;
      if (options.validate !== null && !checked.has(stamp(candidate))) {
        if (!(yield* stillOpen(candidate, options.validate))) {
          dropped.push(candidate.pr_url);
          continue;
        }
        checked.add(stamp(candidate));
      }
      const claimed = yield* engine.change<ClaimDocument | null, ClaimRefusal>((queue, step) => {
        const row = eligibleRows(queue, ask.clock).find(
          (each) => options.validate === null || checked.has(stamp(each)),
        );
        return row === undefined ? Either.right({ queue, result: null }) : claimRow(queue, row, step, ask);
      });
      if (claimed !== null) return claimed;
    }
    return { action: "queue_empty", dropped } satisfies QueueEmptyDocument;
  });
