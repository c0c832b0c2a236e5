import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Either from "effect/Either";
import type { SnapshotUnreadable } from "../../machines/errors.ts";
import { type Failure, UsageError } from "../../src/errors.ts";
import { identityKey } from "../../src/names.ts";
import { findLocalChange, nextLocalNumber } from "../../src/pr/localNumber.ts";
import { findPr } from "../../src/pr/parsePr.ts";
import type { PrMetadata } from "../../src/pr/prMetadata.ts";
import { canonicalPrUrl, type PrReference } from "../../src/pr/prUrl.ts";
import { newRow, type QueueFile, type QueueRow, type Status } from "../../src/queue/row.ts";
import { formatTime } from "../../src/time.ts";
import { Engine, type RowStepper } from "../engine/Engine.ts";
import { PullRequests } from "../platform/PullRequests.ts";
import { QueueStore } from "../store/QueueStore.ts";
import { leastLocalNumber } from "./localNumbers.ts";
import { refreshRow } from "./refreshRow.ts";

/** What became of one PR that was to be added. `failed` is the platform's answer; the queue's own failures fail the call. */
export type AddResult =
  | { readonly kind: "added"; readonly pr_url: string; readonly status: Status }
  | { readonly kind: "existing"; readonly pr_url: string; readonly key: string }
  /** Found in a Slack thread and in the queue before; `isNews` when the row did not know the thread yet. */
  | { readonly kind: "linked"; readonly pr_url: string; readonly isNews: boolean }
  | { readonly kind: "failed"; readonly input: string; readonly failure: Failure };

const existing = (row: QueueRow): AddResult => ({ kind: "existing", pr_url: row.pr_url, key: identityKey(row) });
const failed = (input: string, failure: Failure): AddResult => ({ kind: "failed", input, failure });

/** The row of the same PR: by identity, else by the host's lasting id, which a renamed repository keeps. */
const sameRow = (queue: QueueFile, pr: PrReference, meta: PrMetadata | null): QueueRow | null => {
  const found = findPr(queue.prs, pr);
  if (found !== null || meta === null || meta.node_id === null) return found;
  return (
    queue.prs.find((row) => row.platform === pr.platform && row.host === pr.host && row.node_id === meta.node_id) ??
    null
  );
};

const append = (
  queue: QueueFile,
  row: QueueRow,
  meta: PrMetadata,
  context: { readonly at: string; readonly step: RowStepper },
): Either.Either<{ readonly queue: QueueFile; readonly result: AddResult }, SnapshotUnreadable> =>
  Either.map(refreshRow({ ...row, added_at: context.at }, meta, context.at, context.step), (fresh) => ({
    queue: { ...queue, prs: [...queue.prs, fresh.row] },
    result: { kind: "added", pr_url: fresh.row.pr_url, status: fresh.row.status },
  }));

/**
 * Adds one hosted PR with its metadata (spec 3 `pr-queue add`). One that is in the queue already, under this name or an
 * older one of its repository, is named and left as it is. A merged or closed PR is added with that status.
 */
export const addPr = (pr: PrReference) =>
  Effect.gen(function* () {
    const store = yield* QueueStore;
    const engine = yield* Engine;
    const pulls = yield* PullRequests;
    const known = sameRow(yield* store.read, pr, null);
    if (known !== null) return existing(known);
    if (pr.platform === "local") {
      const hint = "a local change is added by its folder: adk pr-queue add --local PATH --head BRANCH";
      return failed(pr.pr_url, new UsageError({ message: `${pr.pr_url} is not in the queue`, hint }));
    }
    const asked = yield* Effect.either(pulls.metadata(pr));
    if (Either.isLeft(asked)) return failed(pr.pr_url, asked.left);
    const meta = asked.right;
    const at = formatTime(yield* Clock.currentTimeMillis);
    return yield* engine.change<AddResult, SnapshotUnreadable>((queue, step) => {
      const row = sameRow(queue, pr, meta);
      return row === null
        ? append(queue, newRow(pr), meta, { at, step })
        : Either.right({ queue, result: existing(row) });
    });
  });

export interface LocalInput {
  /** Any folder inside a local repository. */
  readonly path: string;
  readonly head?: string;
  readonly base?: string;
}

/**
 * Adds a change request of a local repository: head branch against base branch (spec 2, `local`). The same pair is
 * never added twice; its number is allotted inside the transaction and was never used by that repository name before.
 */
export const addLocal = (input: LocalInput) =>
  Effect.gen(function* () {
    const store = yield* QueueStore;
    const engine = yield* Engine;
    const pulls = yield* PullRequests;
    const resolved = yield* Effect.either(pulls.resolveLocal(input));
    if (Either.isLeft(resolved)) return failed(input.path, resolved.left);
    const change = resolved.right;
    const known = findLocalChange((yield* store.read).prs, change);
    if (known !== null) return existing(known);
    const place = {
      platform: "local",
      host: "local",
      owner: change.owner,
      repo: change.repo,
      local_path: change.realPath,
    } as const;
    const asked = yield* Effect.either(
      pulls.metadata({
        ...place,
        pr_number: 1,
        pr_url: `local:${change.repo}`,
        head_ref: change.head_ref,
        head_sha: change.head_sha,
        target_branch: change.target_branch,
      }),
    );
    if (Either.isLeft(asked)) return failed(input.path, asked.left);
    const meta = asked.right;
    const atLeast = yield* leastLocalNumber(change.repo);
    const at = formatTime(yield* Clock.currentTimeMillis);
    return yield* engine.change<AddResult, SnapshotUnreadable>((queue, step) => {
      const row = findLocalChange(queue.prs, change);
      if (row !== null) return Either.right({ queue, result: existing(row) });
      const identity = { ...place, pr_number: nextLocalNumber(queue.prs, { repo: change.repo, atLeast }) };
      const fresh = { ...newRow({ ...identity, pr_url: canonicalPrUrl(identity) }), local_path: change.realPath };
      return append(queue, { ...fresh, merge_base: change.merge_base }, meta, { at, step });
    });
  });
