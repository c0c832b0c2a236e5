import * as Effect from "effect/Effect";
import * as Either from "effect/Either";
import { identityKey } from "../../src/names.ts";
import { findPr } from "../../src/pr/parsePr.ts";
import type { PrMetadata } from "../../src/pr/prMetadata.ts";
import type { PrReference } from "../../src/pr/prUrl.ts";
import { newRow, type QueueFile, type QueueRow, type SlackOrigin, type Status } from "../../src/queue/row.ts";
import { type FoundLink, threadKey, withOrigins } from "../../src/scan/origins.ts";
import { formatTime } from "../../src/time.ts";
import { Engine } from "../engine/Engine.ts";
import type { PlatformFailure } from "../platform/errors.ts";
import { PullRequests } from "../platform/PullRequests.ts";
import { type LeaseClock, leaseClockNow, leaseOf } from "../queue/lockState.ts";
import { refreshRow } from "../queue/refreshRow.ts";
import { Settings } from "../settings/Settings.ts";
import { QueueStore } from "../store/QueueStore.ts";

/** What became of the PRs that Slack links to. */
export interface QueuedLinks {
  readonly added: ReadonlyArray<{ readonly pr_url: string; readonly status: Status }>;
  /** Rows whose threads or documents are others now. */
  readonly updated: ReadonlyArray<string>;
  readonly existing: ReadonlyArray<string>;
  readonly skipped: ReadonlyArray<{ readonly pr_url: string; readonly why: string }>;
  readonly failed: ReadonlyArray<FailedLink>;
}

export interface FailedLink {
  readonly pr_url: string;
  /** Identity key of the PR. */
  readonly key: string;
  readonly failure: PlatformFailure;
}

/** A PR with all that threads say of it. */
export interface Candidate {
  readonly pr: PrReference;
  readonly origins: ReadonlyArray<SlackOrigin>;
  readonly docs: ReadonlyArray<string>;
  readonly mentions: ReadonlyArray<string>;
}

/** One candidate a PR; its threads oldest first, so that the first request is the row's own. */
const candidatesOf = (links: ReadonlyArray<FoundLink>): ReadonlyArray<Candidate> => {
  const byPr = new Map<string, Candidate>();
  const ordered = [...links].sort((a, b) => (a.origin.message_ts < b.origin.message_ts ? -1 : 1));
  for (const { pr, origin, docs, mentions } of ordered) {
    const key = identityKey(pr);
    const known = byPr.get(key);
    byPr.set(key, {
      pr: known?.pr ?? pr,
      origins: [...(known?.origins ?? []), origin],
      docs: [...new Set([...(known?.docs ?? []), ...docs])],
      mentions: [...(known?.mentions ?? []), ...mentions],
    });
  }
  return [...byPr.values()];
};

const joined = (a: Candidate, b: Candidate | undefined): Candidate =>
  b === undefined
    ? a
    : {
        pr: a.pr,
        origins: [...a.origins, ...b.origins],
        docs: [...new Set([...a.docs, ...b.docs])],
        mentions: [...a.mentions, ...b.mentions],
      };

interface Plan {
  readonly candidates: ReadonlyArray<Candidate>;
  readonly answers: ReadonlyMap<string, Either.Either<PrMetadata, PlatformFailure>>;
  readonly judged: (origin: SlackOrigin) => boolean;
  readonly clock: LeaseClock;
}

/** The row of a candidate: by its name, else by the host's lasting id, which a renamed repository keeps. */
const rowFor = (rows: ReadonlyArray<QueueRow>, pr: PrReference, meta: PrMetadata | null): QueueRow | null => {
  const named = findPr(rows, pr);
  if (named !== null || meta === null) return named;
  const now = meta.renamed_to === null ? pr : { ...pr, ...meta.renamed_to };
  return (
    rows.find(
      (row) =>
        identityKey(row) === identityKey(now) ||
        (meta.node_id !== null && row.platform === pr.platform && row.host === pr.host && row.node_id === meta.node_id),
    ) ?? null
  );
};

const metaOf = (plan: Plan, pr: PrReference): PrMetadata | null => {
  const answer = plan.answers.get(identityKey(pr));
  return answer !== undefined && Either.isRight(answer) ? answer.right : null;
};

const rowsWithThreads = (queue: QueueFile, plan: Plan) => {
  const mine = new Map<string, Candidate>();
  const fresh: Candidate[] = [];
  for (const candidate of plan.candidates) {
    const row = rowFor(queue.prs, candidate.pr, metaOf(plan, candidate.pr));
    if (row === null) fresh.push(candidate);
    else mine.set(identityKey(row), joined(candidate, mine.get(identityKey(row))));
  }
  const updated: string[] = [];
  const existing: string[] = [];
  const prs = queue.prs.map((row): QueueRow => {
    const candidate = mine.get(identityKey(row));
    if (candidate !== undefined) existing.push(row.pr_url);
    // A review under way keeps the threads it was claimed with.
    if (leaseOf(row, plan.clock) === "live") return row;
    const gone = new Set(
      [row.slack, ...row.slack_threads].flatMap((origin) =>
        origin !== null && plan.judged(origin) ? [threadKey(origin)] : [],
      ),
    );
    if (candidate === undefined && gone.size === 0) return row;
    const next = withOrigins(row, { origins: candidate?.origins ?? [], docs: candidate?.docs ?? [] }, gone);
    if (next !== row) updated.push(row.pr_url);
    return next;
  });
  return { prs, fresh, updated, existing };
};

/**
 * Brings the PRs that threads link to into the queue: one row a PR with its metadata, every further thread on the row it
 * has (spec 5, "Scan"). A PR that has ended is not queued anew, one that its host does not show is named: the next scan
 * finds it again. `judged` tells which threads were read, so that a link that was edited away leaves its row.
 * `passOver` tells which unknown PRs need no look at their host now; they are left out.
 */
export const queueLinks = (options: {
  readonly links: ReadonlyArray<FoundLink>;
  readonly judged: (origin: SlackOrigin) => boolean;
  readonly passOver?: (candidate: Candidate) => boolean;
  readonly dryRun: boolean;
}) =>
  Effect.gen(function* () {
    const store = yield* QueueStore;
    const engine = yield* Engine;
    const pulls = yield* PullRequests;
    const { config } = yield* Settings;
    const candidates = candidatesOf(options.links);
    const queue = yield* store.read;
    const { passOver = () => false } = options;
    const unknown = candidates
      .filter((candidate) => findPr(queue.prs, candidate.pr) === null && !passOver(candidate))
      .map(({ pr }) => pr);
    const answers = unknown.length === 0 ? new Map() : yield* pulls.metadataAll(unknown);
    const clock = yield* leaseClockNow(config.taken_lock_max_age_seconds);
    const plan: Plan = { candidates, answers, judged: options.judged, clock };
    const at = formatTime(clock.nowMs);
    const work = engine.change<QueuedLinks, never>((current, step) => {
      const { prs, fresh, updated, existing } = rowsWithThreads(current, plan);
      const added: QueueRow[] = [];
      const skipped: Array<{ readonly pr_url: string; readonly why: string }> = [];
      const failed: FailedLink[] = [];
      for (const candidate of fresh) {
        const { pr } = candidate;
        const answer = plan.answers.get(identityKey(pr));
        if (answer === undefined) continue;
        if (Either.isLeft(answer)) {
          failed.push({ pr_url: pr.pr_url, key: identityKey(pr), failure: answer.left });
          continue;
        }
        if (answer.right.disposition !== "open") {
          skipped.push({ pr_url: pr.pr_url, why: `is ${answer.right.disposition}` });
          continue;
        }
        // The same PR under an older name of its repository may have been added a moment ago.
        const twin = added.findIndex((row) => answer.right.node_id !== null && row.node_id === answer.right.node_id);
        const found = { origins: candidate.origins, docs: candidate.docs };
        if (twin >= 0) {
          added[twin] = withOrigins(added[twin] as QueueRow, found, new Set());
          continue;
        }
        const row = refreshRow({ ...newRow(pr), added_at: at }, answer.right, at, step);
        if (Either.isRight(row)) added.push(withOrigins(row.right.row, found, new Set()));
      }
      const result: QueuedLinks = {
        added: added.map(({ pr_url, status }) => ({ pr_url, status })),
        updated,
        existing,
        skipped,
        failed,
      };
      const changed = added.length > 0 || updated.length > 0;
      return Either.right({
        queue: changed && !options.dryRun ? { ...current, prs: [...prs, ...added] } : current,
        result,
      });
    });
    return yield* work;
  });
