import { identityKey } from "../../src/names.ts";
import type { QueueFile, QueueRow } from "../../src/queue/row.ts";

/** Places of rows in the queue that was looked at last: a hint, checked at every use, because rows move. */
let places: ReadonlyMap<string, number> = new Map();

const isAt = (queue: QueueFile, place: number | undefined, key: string): place is number => {
  const row = place === undefined ? undefined : queue.prs[place];
  return row !== undefined && identityKey(row) === key;
};

const placesIn = (queue: QueueFile): ReadonlyMap<string, number> =>
  new Map(queue.prs.map((row, place) => [identityKey(row), place]));

/**
 * Place of the row with an identity key, -1 when there is none; the codec lets no queue hold two rows of one PR, so a
 * hint that fits is the only answer. Not a search a call: a sync steps every row several times, and looking through
 * 10,000 rows each time took a minute.
 */
export const placeOf = (queue: QueueFile, key: string): number => {
  const hint = places.get(key);
  if (isAt(queue, hint, key)) return hint;
  places = placesIn(queue);
  return places.get(key) ?? -1;
};

/** The row with an identity key. */
export const findRow = (queue: QueueFile, key: string): QueueRow | undefined => queue.prs[placeOf(queue, key)];

/** The queue with one row replaced, same order; the same queue when the row is the same or not in it. */
export const replaceRow = (queue: QueueFile, row: QueueRow): QueueFile => {
  const at = placeOf(queue, identityKey(row));
  if (at < 0 || queue.prs[at] === row) return queue;
  return { ...queue, prs: queue.prs.with(at, row) };
};
