import { identityKey, repoKey } from "../names.ts";
import { isTerminal, type QueueRow, type SlackOrigin } from "../queue/row.ts";
import { canonicalPrUrl } from "./prUrl.ts";

/** Where the repository of a row lives now. */
export interface NewPlace {
  readonly owner: string;
  readonly repo: string;
}

const formerUrls = (pr_url: string, ...known: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(known)].filter((url) => url !== pr_url);

/** The row under the new name of its repository, with a record of the old one; everything else of it stays. */
const rowAt = (row: QueueRow, place: NewPlace): QueueRow => {
  const moved = { ...row, owner: place.owner, repo: place.repo };
  const pr_url = canonicalPrUrl(moved);
  return { ...moved, pr_url, former_urls: formerUrls(pr_url, ...(row.former_urls ?? []), row.pr_url) };
};

const sameThread = (a: SlackOrigin, b: SlackOrigin): boolean =>
  a.channel_id === b.channel_id && a.thread_ts === b.thread_ts && a.message_ts === b.message_ts;

const later = (a: string | null, b: string | null): string | null => ((a ?? "") >= (b ?? "") ? a : b);

/** Review history of whichever row was reviewed last. */
const historyOf = (row: QueueRow) => ({
  status: row.status,
  last_reviewed_at: row.last_reviewed_at,
  last_reviewed_head_sha: row.last_reviewed_head_sha,
  last_reviewed_base_ref: row.last_reviewed_base_ref,
  last_reviewed_merge_base: row.last_reviewed_merge_base,
  approved_host: row.approved_host,
  recommendation: row.recommendation,
  approve_ready: row.approve_ready,
});

/**
 * Two rows of one PR, under the old and the new name of its repository, as one: what `kept` knows, the threads and links
 * of both, and the review history of whichever was reviewed last. The history of a `held` row is its claimer's business
 * and stays.
 */
const mergeRows = (kept: QueueRow, dropped: QueueRow, options: { readonly held: boolean }): QueueRow => {
  const isNewer = (dropped.last_reviewed_at ?? "") > (kept.last_reviewed_at ?? "");
  const threads = dropped.slack_threads.filter((one) => !kept.slack_threads.some((other) => sameThread(one, other)));
  const attempts = { ...dropped.review_attempts };
  for (const [key, count] of Object.entries(kept.review_attempts)) attempts[key] = Math.max(count, attempts[key] ?? 0);
  return {
    ...kept,
    ...(isNewer && !options.held ? historyOf(dropped) : {}),
    last_reminded_at: later(kept.last_reminded_at, dropped.last_reminded_at),
    slack: kept.slack ?? dropped.slack,
    slack_threads: [...kept.slack_threads, ...threads],
    supporting_docs: [...new Set([...kept.supporting_docs, ...dropped.supporting_docs])],
    review_attempts: attempts,
    former_urls: formerUrls(kept.pr_url, ...(dropped.former_urls ?? []), ...(kept.former_urls ?? [])),
  };
};

export interface Move {
  readonly from: string;
  readonly to: string;
}

export interface Moved {
  readonly rows: ReadonlyArray<QueueRow>;
  /** pr_url before and after. */
  readonly moved: ReadonlyArray<Move>;
  /** Identity keys, after the move, of rows whose task folder has another name now. */
  readonly keys: ReadonlySet<string>;
  /** Old `repoKey`s of repositories whose rows have to wait, each with the reason. */
  readonly postponed: ReadonlyMap<string, string>;
}

export interface MoveOptions {
  /** Rows that the host has seen at another place, by identity key. */
  readonly places: ReadonlyMap<string, NewPlace>;
  /** Rows that the host has seen where they are: a new repository may have the old name. They keep nothing from moving. */
  readonly staying: ReadonlySet<string>;
  /** True for a row under a live claim. */
  readonly isHeld: (row: QueueRow) => boolean;
}

const isAtWork = (row: QueueRow): boolean => row.prep_status === "preparing" || row.prep_status === "waiting_for_base";

const older = (a: QueueRow, b: QueueRow): boolean => (a.added_at ?? "") <= (b.added_at ?? "");

/** The row that stays of two: one under a live claim, else the older one. */
const keeps = (row: QueueRow, other: QueueRow, isHeld: MoveOptions["isHeld"]): boolean =>
  !isHeld(other) && older(row, other);

/** Why the rows of one repository cannot move now; null when they can. */
const whyNot = (
  rows: ReadonlyArray<QueueRow>,
  all: ReadonlyArray<QueueRow>,
  { places, staying, isHeld }: MoveOptions,
): string | null => {
  for (const row of rows) {
    const place = places.get(identityKey(row));
    if (place === undefined) {
      if (isTerminal(row) || staying.has(identityKey(row))) continue;
      return `${row.pr_url} was not seen there yet`;
    }
    if (isHeld(row)) return `${row.pr_url} is under a live claim`;
    if (isAtWork(row)) return `${row.pr_url} is being prepared`;
    const key = identityKey(rowAt(row, place));
    const other = all.find((one) => identityKey(one) === key);
    if (other !== undefined && isAtWork(other)) return `${other.pr_url} is being prepared`;
  }
  return null;
};

/**
 * Moves the rows of renamed and transferred repositories to their new names (spec 2: node_id wins over a name). All
 * rows of a repository move at once or none does, so that one clone serves them all; no two rows of one PR are left.
 * Pure; for use inside a queue transaction, and the same again when it is run again.
 */
export const moveRows = (rows: ReadonlyArray<QueueRow>, options: MoveOptions): Moved => {
  const { places, isHeld } = options;
  const postponed = new Map<string, string>();
  const meant = rows.filter((row) => places.has(identityKey(row)));
  for (const key of new Set(meant.map(repoKey))) {
    const why = whyNot(
      rows.filter((row) => repoKey(row) === key),
      rows,
      options,
    );
    if (why !== null) postponed.set(key, why);
  }
  let next = [...rows];
  const moved: Array<Move> = [];
  const keys = new Set<string>();
  for (const row of meant) {
    const place = places.get(identityKey(row));
    if (place === undefined || postponed.has(repoKey(row))) continue;
    const there = rowAt(row, place);
    const other = next.find((one) => one !== row && identityKey(one) === identityKey(there));
    moved.push({ from: row.pr_url, to: there.pr_url });
    if (other !== undefined && !keeps(row, other, isHeld)) {
      const merged = mergeRows(other, there, { held: isHeld(other) });
      next = next.flatMap((one) => (one === row ? [] : one === other ? [merged] : [one]));
      continue;
    }
    const result = other === undefined ? there : mergeRows(there, other, { held: false });
    next = next.flatMap((one) => (one === other ? [] : one === row ? [result] : [one]));
    keys.add(identityKey(result));
  }
  return { rows: next, moved, keys, postponed };
};
