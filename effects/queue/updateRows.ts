import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Either from "effect/Either";
import { identityKey } from "../../src/names.ts";
import type { Move, NewPlace } from "../../src/pr/moveRows.ts";
import type { PrMetadata } from "../../src/pr/prMetadata.ts";
import { isTerminal, type QueueRow } from "../../src/queue/row.ts";
import { formatTime, type IsoTime } from "../../src/time.ts";
import { Engine } from "../engine/Engine.ts";
import { Git } from "../git/Git.ts";
import { Log } from "../log/Log.ts";
import type { PlatformFailure } from "../platform/errors.ts";
import { PullRequests } from "../platform/PullRequests.ts";
import { QueueStore } from "../store/QueueStore.ts";
import { withinAnonymousBudget } from "./anonymousRows.ts";
import { moveRenamed } from "./moveRenamed.ts";
import { type RefreshedRow, refreshRow } from "./refreshRow.ts";

/** Document of `pr-queue update`. `moved`: another head or target; a row that ended counts as merged or closed only. */
export interface UpdateReport {
  readonly checked: number;
  readonly unchanged: number;
  readonly moved: number;
  readonly merged: number;
  readonly closed: number;
  readonly reopened: number;
  readonly failed: ReadonlyArray<UpdateFailure>;
  /** Rows whose repository has another name now: pr_url before and after. */
  readonly renamed: ReadonlyArray<Move>;
  /** What moved and what has to wait, for people. */
  readonly notes: ReadonlyArray<string>;
}

/** Why a row could not be looked at; it keeps what it had. `retry_at`: when the host may be asked again, where it said so. */
interface UpdateFailure {
  readonly pr_url: string;
  readonly error: string;
  readonly retry_at?: IsoTime;
}

export interface UpdateOptions {
  /** Identity keys of the rows to refresh (ended ones too), or every row that has not ended. */
  readonly keys: ReadonlyArray<string> | "all";
  readonly onProgress?: (done: number, total: number) => Effect.Effect<void>;
}

/** Rows whose answers go into one write: enough to spare the file, few enough that an interrupt loses little. */
const batchSize = 200;

type Look =
  | { readonly kind: "fresh"; readonly meta: PrMetadata }
  | { readonly kind: "untouched" }
  | { readonly kind: "failed"; readonly error: string; readonly retry_at?: IsoTime };

type Tips = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Branch tips of every local repository among the rows, each read once. One that cannot be read is left out. */
const localTips = (rows: ReadonlyArray<QueueRow>) =>
  Effect.gen(function* () {
    const git = yield* Git;
    const paths = new Set(rows.flatMap((row) => (row.platform === "local" && row.local_path ? [row.local_path] : [])));
    const read = yield* Effect.forEach(paths, (path) =>
      Effect.map(Effect.either(git.localBranches(path)), (branches) =>
        Either.isRight(branches)
          ? [[path, new Map(branches.right.map((branch) => [branch.name, branch.sha] as const))] as const]
          : [],
      ),
    );
    return new Map(read.flat()) satisfies Tips;
  });

/** True for a local row whose head and base stand where they stood: git would say the same again. */
const standsStill = (row: RefreshedRow, tips: Tips): boolean => {
  const branches = row.platform === "local" && row.local_path !== undefined ? tips.get(row.local_path) : undefined;
  if (branches === undefined || row.head_ref === null || row.target_branch === null) return false;
  if (isTerminal(row) || row.head_sha === null || row.base_sha === undefined || row.base_sha === null) return false;
  return branches.get(row.head_ref) === row.head_sha && branches.get(row.target_branch) === row.base_sha;
};

const failedLook = (failure: PlatformFailure): Look => ({
  kind: "failed",
  error: failure.message,
  ...(failure._tag === "RateLimited" && failure.retry_at !== null ? { retry_at: failure.retry_at } : {}),
});

/** GitHub's lasting ids of today; older forms name the same PR in other words and cannot be compared. */
const isNodeId = (id: string | null): id is string => (id ?? "").startsWith("PR_");

/** Another PR stands where this one was: a new repository took the old name. The row's own is not to be seen there. */
const freshLook = (row: QueueRow, meta: PrMetadata): Look =>
  isNodeId(row.node_id) && isNodeId(meta.node_id) && row.node_id !== meta.node_id
    ? { kind: "failed", error: `another pull request stands at ${row.pr_url} now, of a repository that took the name` }
    : { kind: "fresh", meta };

const lookAt = (
  rows: ReadonlyArray<QueueRow>,
  tips: Tips,
): Effect.Effect<ReadonlyMap<string, Look>, never, PullRequests> =>
  Effect.gen(function* () {
    const pulls = yield* PullRequests;
    const asked = rows.filter((row) => !standsStill(row, tips));
    const answers = yield* pulls.metadataAll(asked);
    return new Map(
      rows.map((row): readonly [string, Look] => {
        const key = identityKey(row);
        const answer = answers.get(key);
        if (answer === undefined) return [key, { kind: "untouched" }];
        return [key, Either.isRight(answer) ? freshLook(row, answer.right) : failedLook(answer.left)];
      }),
    );
  });

type Outcome =
  | "unchanged"
  | "moved"
  | "merged"
  | "closed"
  | "reopened"
  | { readonly error: string; readonly retry_at?: IsoTime };

/** One transaction for a batch of answers; a row that is gone meanwhile is no longer counted. */
const store = (looks: ReadonlyMap<string, Look>, at: string) =>
  Effect.flatMap(Engine, (engine) =>
    engine.change<ReadonlyMap<string, Outcome>, never>((queue, step) => {
      const outcomes = new Map<string, Outcome>();
      const prs = queue.prs.map((row): QueueRow => {
        const key = identityKey(row);
        const seen = looks.get(key);
        if (seen === undefined) return row;
        if (seen.kind === "failed") {
          const { error, retry_at } = seen;
          outcomes.set(key, { error, ...(retry_at === undefined ? {} : { retry_at }) });
          return row;
        }
        if (seen.kind === "untouched") {
          outcomes.set(key, "unchanged");
          return { ...row, last_checked_at: at };
        }
        const fresh = refreshRow(row, seen.meta, at, step);
        if (Either.isLeft(fresh)) {
          outcomes.set(key, { error: fresh.left.message });
          return row;
        }
        const { merged, closed, reopened, moved } = fresh.right.change;
        outcomes.set(
          key,
          merged ? "merged" : closed ? "closed" : reopened ? "reopened" : moved ? "moved" : "unchanged",
        );
        return fresh.right.row;
      });
      const changed = prs.some((row, index) => row !== queue.prs[index]);
      return Either.right({ queue: changed ? { ...queue, prs } : queue, result: outcomes });
    }),
  );

const report = (
  outcomes: ReadonlyMap<string, Outcome>,
  urls: ReadonlyMap<string, string>,
): Omit<UpdateReport, "renamed" | "notes"> => {
  const all = [...outcomes.values()];
  const count = (outcome: Outcome): number => all.filter((each) => each === outcome).length;
  return {
    checked: all.length,
    unchanged: count("unchanged"),
    moved: count("moved"),
    merged: count("merged"),
    closed: count("closed"),
    reopened: count("reopened"),
    failed: [...outcomes].flatMap(([key, outcome]) =>
      typeof outcome === "string" ? [] : [{ pr_url: urls.get(key) ?? key, ...outcome }],
    ),
  };
};

const batches = <A>(items: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(items.length / batchSize) }, (_, at) =>
    items.slice(at * batchSize, (at + 1) * batchSize),
  );

/**
 * Refreshes rows from their platforms (spec 3 `pr-queue update`, spec 4 step A2) and tells their preparations what that
 * means. Goes on past failures, which the report names. The network is asked outside every lock; a row under a live
 * claim is refreshed and its claim left alone.
 */
export const updateRows = (options: UpdateOptions) =>
  Effect.gen(function* () {
    const queueStore = yield* QueueStore;
    const log = yield* Log;
    const queue = yield* queueStore.read;
    const named = options.keys === "all" ? null : new Set(options.keys);
    const rows = queue.prs.filter((row) => (named === null ? !isTerminal(row) : named.has(identityKey(row))));
    const tips = yield* localTips(rows);
    const outcomes = new Map<string, Outcome>();
    for (const key of named ?? []) outcomes.set(key, { error: "is not in the queue" });
    const places = new Map<string, NewPlace>();
    const staying = new Set<string>();
    let done = 0;
    const { asked, left, notes: short } = yield* withinAnonymousBudget(rows);
    yield* Effect.forEach(short, (note) => log.warn(note), { discard: true });
    for (const [key, why] of left) outcomes.set(key, why);
    for (const batch of batches(asked)) {
      const looks = yield* lookAt(batch, tips);
      for (const [key, look] of looks) {
        if (look.kind !== "fresh") continue;
        if (look.meta.renamed_to === null) staying.add(key);
        else places.set(key, look.meta.renamed_to);
      }
      done += batch.length;
      if (options.onProgress !== undefined) yield* options.onProgress(done, asked.length);
      const at = formatTime(yield* Clock.currentTimeMillis);
      for (const [key, outcome] of yield* store(looks, at)) outcomes.set(key, outcome);
    }
    const byKey = new Map(rows.map((row) => [identityKey(row), row]));
    const { moved: renamed, notes } = yield* moveRenamed({ places, staying, rows: byKey });
    const urls = new Map(rows.map((row) => [identityKey(row), row.pr_url]));
    const result: UpdateReport = { ...report(outcomes, urls), renamed, notes: [...short, ...notes] };
    yield* Effect.forEach(result.failed, (failed) => log.record("update_failed", { ...failed }), { discard: true });
    return result;
  });
