import * as Either from "effect/Either";
import type { IllegalEvent, SnapshotUnreadable } from "../../machines/errors.ts";
import { NotFound } from "../../src/errors.ts";
import { eligibility } from "../../src/queue/eligibility.ts";
import type { QueueFile, QueueRow, Status } from "../../src/queue/row.ts";
import { formatTime } from "../../src/time.ts";
import { type RowStepper, replaceRow } from "../engine/Engine.ts";
import { type ClaimSecret, tokenMatches } from "./claimToken.ts";
import { ClaimHeld, ClaimLost, NotEligible } from "./errors.ts";
import { type LeaseClock, leaseOf } from "./lockState.ts";
import type { ClaimOwner } from "./owner.ts";

/** Proof of a claim, as the verbs of its run carry it (spec 2, "Review claim"). */
export interface ClaimProof {
  readonly run_id?: string | undefined;
  readonly token?: string | undefined;
}

/** Document of `pr-queue claim` and `get-next` (spec 3). The token is printed here and nowhere else. */
export interface ClaimDocument {
  readonly action: "claimed";
  readonly pr_url: string;
  readonly run_id: string;
  readonly token: string;
  readonly epoch: number;
  readonly taken_at: string | null;
  readonly status: Status;
  readonly head_sha: string | null;
}

/** Document of `heartbeat`, `release` and `set-status`. */
export interface ActionDocument {
  readonly action: "heartbeat" | "released" | "status_set";
  readonly pr_url: string;
  readonly status: Status;
  readonly last_heartbeat_at?: string | null;
  /** Release only: false when the row was free already, and so left as it was. */
  readonly was_held?: boolean;
}

export type MachineFailure = IllegalEvent | SnapshotUnreadable;
type Changed<A, E> = Either.Either<{ readonly queue: QueueFile; readonly result: A }, E>;

export const rowMissing = (key: string): NotFound =>
  new NotFound({ message: `${key} is not in the queue`, hint: "add it with: adk pr-queue add PR" });

const heldBySomeone = (row: QueueRow): ClaimHeld =>
  new ClaimHeld({
    message: `${row.pr_url} is claimed by run ${row.claim?.run_id ?? "unknown"} since ${row.taken_at ?? "an unknown time"}`,
    hint: "give that run's token (--token or ADK_CLAIM_TOKEN), wait for it to end, or: adk pr-queue release PR --force",
    pr_url: row.pr_url,
    run_id: row.claim?.run_id ?? null,
    since: row.taken_at,
  });

const lost = (row: QueueRow, why: string): ClaimLost =>
  new ClaimLost({
    message: `claim lost: ${row.pr_url} ${why}`,
    hint: "nothing was written; see who holds it: adk pr-queue show PR",
    pr_url: row.pr_url,
  });

/** Null when the proof may act on the row's claim; a run id that is given must be the claim's too. */
export const refusal = (row: QueueRow, proof: ClaimProof): ClaimHeld | ClaimLost | null => {
  if (row.claim === null) return lost(row, "is under no claim");
  if (proof.run_id !== undefined && proof.run_id !== row.claim.run_id) {
    return lost(row, `is claimed by run ${row.claim.run_id}, not by ${proof.run_id}`);
  }
  if (tokenMatches(proof.token, row.claim.token_hash)) return null;
  return proof.token === undefined ? heldBySomeone(row) : lost(row, "is under another token");
};

const notEligible = (row: QueueRow, force: boolean): NotEligible | null => {
  const skipped: ReadonlySet<number> = new Set(force ? [1, 4, 5] : []);
  const failing = eligibility(row, { leaseHeld: false }).filter((rule) => !rule.pass && !skipped.has(rule.rule));
  if (failing.length === 0) return null;
  const forcible = !force && failing.every((rule) => rule.rule !== 2 && rule.rule !== 3);
  return new NotEligible({
    message: `${row.pr_url} is not eligible: ${failing.map((rule) => `rule ${rule.rule}: ${rule.why}`).join("; ")}`,
    hint: forcible ? "claim it anyway with --force" : "prepare it first: adk pr-task prepare PR",
    pr_url: row.pr_url,
    rules: failing.map((rule) => rule.rule),
  });
};

const document = (row: QueueRow, token: string): ClaimDocument => ({
  action: "claimed",
  pr_url: row.pr_url,
  run_id: row.claim?.run_id ?? "",
  token,
  epoch: row.claim?.epoch ?? 0,
  taken_at: row.taken_at,
  status: row.status,
  head_sha: row.head_sha,
});

/** What one try to claim needs besides the row; made before the transaction, because that one is pure. */
export interface ClaimTry {
  readonly proof: ClaimProof;
  readonly owner: ClaimOwner;
  readonly force: boolean;
  readonly clock: LeaseClock;
  readonly secret: ClaimSecret;
  readonly runId: string;
}

export type ClaimRefusal = ClaimHeld | ClaimLost | NotEligible | MachineFailure;

const takeRow = (
  row: QueueRow,
  step: RowStepper,
  ask: ClaimTry & { readonly previous: "none" | "dead" | "expired" | "same_token" },
): Either.Either<QueueRow, MachineFailure> =>
  Either.map(
    step.review(row, {
      type: "CLAIM",
      at: formatTime(ask.clock.nowMs),
      run_id: ask.runId,
      token_hash: ask.secret.token_hash,
      ...ask.owner,
      beat: ask.clock.here,
      force: ask.force,
      previous: ask.previous,
    }),
    (stepped) => stepped.row,
  );

/**
 * Claims one row inside a transaction. The holder of its token claims again with success and keeps run, token and
 * epoch; a live claim is refused; a dead or expired one is taken over; then the eligibility rules decide.
 */
export const claimRow = (
  queue: QueueFile,
  row: QueueRow,
  step: RowStepper,
  ask: ClaimTry,
): Changed<ClaimDocument, ClaimRefusal> =>
  Either.gen(function* () {
    const stored = (next: QueueRow, token: string) => ({
      queue: replaceRow(queue, next),
      result: document(next, token),
    });
    if (row.claim !== null && tokenMatches(ask.proof.token, row.claim.token_hash)) {
      const refused = refusal(row, ask.proof);
      if (refused !== null) return yield* Either.left(refused);
      const token = ask.proof.token ?? "";
      const again = {
        ...ask,
        runId: row.claim.run_id,
        secret: { token, token_hash: row.claim.token_hash },
        previous: "same_token" as const,
      };
      return stored(yield* takeRow(row, step, again), token);
    }
    const lease = leaseOf(row, ask.clock);
    if (lease === "live") return yield* Either.left(heldBySomeone(row));
    const refused = notEligible(row, ask.force);
    if (refused !== null) return yield* Either.left(refused);
    const previous = lease === "free" ? ("none" as const) : lease;
    return stored(yield* takeRow(row, step, { ...ask, previous }), ask.secret.token);
  });

/** What every claim verb is told about its caller. */
export interface ClaimCaller {
  readonly proof: ClaimProof;
  readonly owner: ClaimOwner;
  /** `taken_lock_max_age_seconds`: how long a claim of an unknown owner lasts after its last heartbeat. */
  readonly maxAgeSeconds: number;
}

/** True for a row that nobody holds; rows of older programs may have a time without a claim. */
export const isFree = (row: QueueRow): boolean => row.claim === null && row.taken_at === null;

/** Null when the caller may end the claim: with its token, or without one when it is dead or has expired. */
export const mayEnd = (row: QueueRow, caller: ClaimCaller, clock: LeaseClock): ClaimHeld | ClaimLost | null => {
  const { run_id, token } = caller.proof;
  if (row.claim !== null && run_id !== undefined && run_id !== row.claim.run_id) return refusal(row, caller.proof);
  if (row.claim !== null && tokenMatches(token, row.claim.token_hash)) return null;
  if (leaseOf(row, clock) !== "live") return null;
  return row.claim === null ? heldBySomeone(row) : refusal(row, caller.proof);
};
