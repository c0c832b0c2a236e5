import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Either from "effect/Either";
import type { NotFound } from "../../src/errors.ts";
import type { QueueRow, Status } from "../../src/queue/row.ts";
import { formatTime } from "../../src/time.ts";
import { Engine, findRow, replaceRow } from "../engine/Engine.ts";
import { bootMoment } from "../proc/Uptime.ts";
import {
  type ActionDocument,
  type ClaimCaller,
  type ClaimDocument,
  type ClaimProof,
  type ClaimRefusal,
  type ClaimTry,
  claimRow,
  isFree,
  type MachineFailure,
  mayEnd,
  refusal,
  rowMissing,
} from "./claimRules.ts";
import { newClaimSecret, newRunId, tokenHash } from "./claimToken.ts";
import type { ClaimHeld, ClaimLost } from "./errors.ts";
import { leaseClockNow } from "./lockState.ts";

const hashOf = (proof: ClaimProof): string | null => (proof.token === undefined ? null : tokenHash(proof.token));

/** Everything of one try that a transaction may not make itself: now, a token, a name for the run. */
export const newClaimTry = (caller: ClaimCaller, options: { readonly force: boolean }): Effect.Effect<ClaimTry> =>
  Effect.gen(function* () {
    const clock = yield* leaseClockNow(caller.maxAgeSeconds);
    return {
      proof: caller.proof,
      owner: caller.owner,
      force: options.force,
      clock,
      secret: yield* newClaimSecret,
      runId: caller.proof.run_id ?? (yield* newRunId(clock.nowMs)),
    };
  });

/**
 * `pr-queue claim` (spec 2 "Review claim", spec 3): atomic; all five rules, `force` skips 1, 4 and 5. Fails with
 * ClaimHeld on a live claim, ClaimLost on a run id that is not the claim's, NotEligible, NotFound.
 */
export const claim = (key: string, caller: ClaimCaller, options: { readonly force: boolean }) =>
  Effect.gen(function* () {
    const engine = yield* Engine;
    const ask = yield* newClaimTry(caller, options);
    return yield* engine.change<ClaimDocument, ClaimRefusal | NotFound>((queue, step) => {
      const row = findRow(queue, key);
      return row === undefined ? Either.left(rowMissing(key)) : claimRow(queue, row, step, ask);
    });
  });

/** `pr-queue heartbeat`: keeps the claim fresh; refused for anyone but the holder of its token. */
export const heartbeat = (key: string, caller: ClaimCaller) =>
  Effect.gen(function* () {
    const engine = yield* Engine;
    const at = formatTime(yield* Clock.currentTimeMillis);
    const beat = yield* bootMoment;
    return yield* engine.change<ActionDocument, ClaimHeld | ClaimLost | MachineFailure | NotFound>((queue, step) =>
      Either.gen(function* () {
        const row = findRow(queue, key);
        if (row === undefined) return yield* Either.left(rowMissing(key));
        const refused = refusal(row, caller.proof);
        if (refused !== null) return yield* Either.left(refused);
        const { row: next } = yield* step.review(row, {
          type: "HEARTBEAT",
          at,
          beat,
          token_hash: hashOf(caller.proof),
        });
        const result: ActionDocument = {
          action: "heartbeat",
          pr_url: next.pr_url,
          status: next.status,
          last_heartbeat_at: next.last_heartbeat_at,
        };
        return { queue: replaceRow(queue, next), result };
      }),
    );
  });

/**
 * `pr-queue release`: ends the claim. A free row stays as it is and counts as released. A verdict as status records the
 * claimed review key in last_reviewed_*. `force` ends anyone's claim; the verb asks the person first.
 */
export const release = (
  key: string,
  caller: ClaimCaller,
  options: { readonly status: Status | null; readonly force: boolean },
) =>
  Effect.gen(function* () {
    const engine = yield* Engine;
    const clock = yield* leaseClockNow(caller.maxAgeSeconds);
    return yield* engine.change<ActionDocument, ClaimHeld | ClaimLost | MachineFailure | NotFound>((queue, step) =>
      Either.gen(function* () {
        const row = findRow(queue, key);
        if (row === undefined) return yield* Either.left(rowMissing(key));
        const done = (next: QueueRow, was_held: boolean): ActionDocument => ({
          action: "released",
          pr_url: next.pr_url,
          status: next.status,
          was_held,
        });
        if (isFree(row)) return { queue, result: done(row, false) };
        const refused = options.force ? null : mayEnd(row, caller, clock);
        if (refused !== null) return yield* Either.left(refused);
        const { row: next } = yield* step.review(row, {
          type: "RELEASE",
          at: formatTime(clock.nowMs),
          status: options.status,
          force: options.force,
        });
        return { queue: replaceRow(queue, next), result: done(next, true) };
      }),
    );
  });

/** `pr-queue set-status`: by hand on a free row; on a row under a live claim only with the claim's token. */
export const setStatus = (key: string, caller: ClaimCaller, status: Status) =>
  Effect.gen(function* () {
    const engine = yield* Engine;
    const clock = yield* leaseClockNow(caller.maxAgeSeconds);
    return yield* engine.change<ActionDocument, ClaimHeld | ClaimLost | MachineFailure | NotFound>((queue, step) =>
      Either.gen(function* () {
        const row = findRow(queue, key);
        if (row === undefined) return yield* Either.left(rowMissing(key));
        const refused = isFree(row) ? null : mayEnd(row, caller, clock);
        if (refused !== null) return yield* Either.left(refused);
        const { row: next } = yield* step.review(row, { type: "SET_STATUS", at: formatTime(clock.nowMs), status });
        return {
          queue: replaceRow(queue, next),
          result: { action: "status_set" as const, pr_url: next.pr_url, status: next.status },
        };
      }),
    );
  });
