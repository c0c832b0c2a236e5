import * as Either from "effect/Either";
import type { IllegalEvent, SnapshotUnreadable } from "../../machines/errors.ts";
import type { PrepEvent } from "../../machines/prep.ts";
import { patchRow, type RowChange, rowChange } from "../../src/pr/patchRow.ts";
import type { PrMetadata } from "../../src/pr/prMetadata.ts";
import type { QueueRow } from "../../src/queue/row.ts";
import type { IsoTime } from "../../src/time.ts";
import type { RowStepper } from "../engine/Engine.ts";

/** A row that remembers the tip of its target branch; on `local` that tells whether git has to be asked again. */
export interface RefreshedRow extends QueueRow {
  readonly base_sha?: string | null;
}

export interface Refresh {
  readonly row: RefreshedRow;
  readonly change: RowChange;
}

const eventsOf = (change: RowChange): ReadonlyArray<PrepEvent["type"] & ("KEY_MOVED" | "PR_ENDED" | "PR_REOPENED")> => [
  ...(change.moved ? (["KEY_MOVED"] as const) : []),
  ...(change.merged || change.closed ? (["PR_ENDED"] as const) : []),
  ...(change.reopened ? (["PR_REOPENED"] as const) : []),
];

/** The state does not take the event: nothing to do there, the row keeps its preparation. */
const unlessRefused = (
  stepped: Either.Either<{ readonly row: QueueRow }, IllegalEvent | SnapshotUnreadable>,
  row: QueueRow,
): Either.Either<QueueRow, SnapshotUnreadable> => {
  if (Either.isRight(stepped)) return Either.right(stepped.right.row);
  return stepped.left._tag === "IllegalEvent" ? Either.right(row) : Either.left(stepped.left);
};

/**
 * A row with fresh metadata as of `at`, and its preparation told what that means: key moved, PR ended, PR reopened.
 * Claim and review fields stay as they are, under a live claim too. Pure; for use inside an engine transaction.
 */
export const refreshRow = (
  row: QueueRow,
  meta: PrMetadata,
  at: IsoTime,
  step: RowStepper,
): Either.Either<Refresh, SnapshotUnreadable> => {
  const change = rowChange(row, meta);
  const patched: RefreshedRow = { ...patchRow(row, meta, at), base_sha: meta.base_sha };
  let next: Either.Either<QueueRow, SnapshotUnreadable> = Either.right(patched);
  for (const type of eventsOf(change)) {
    next = Either.flatMap(next, (current) => unlessRefused(step.prep(current, { type, at }), current));
  }
  return Either.map(next, (refreshed) => ({ row: refreshed, change }));
};
