import { assign, setup } from "xstate";
import type { ActorSnapshot, PrepStatus, QueueRow, UsedBase } from "../src/queue/row.ts";
import type { IsoTime } from "../src/time.ts";
import type { BranchRef, PrepareParams } from "./commandParams.ts";
import { type Completion, declared, type NoParams, type Timed } from "./declared.ts";

/** The fields of a row that the preparation machine reads and writes. */
export type PrepContext = Pick<
  QueueRow,
  | "pr_url"
  | "status"
  | "head_sha"
  | "target_branch"
  | "merge_base"
  | "prep_status"
  | "prep_started_at"
  | "prep_completed_at"
  | "prep_head_sha"
  | "prep_base_ref"
  | "prep_merge_base"
  | "prep_used_base"
  | "prep_error"
  | "prep_attempts"
>;

export type PrepEvent =
  | ({ readonly type: "NEEDS_BASE"; readonly base: BranchRef } & Timed)
  | ({
      readonly type: "START";
      readonly tier: 0 | 1 | 2;
      readonly seed: BranchRef | null;
      readonly rebuild: boolean;
    } & Timed)
  | ({
      readonly type: "PREPARED";
      readonly head_sha: string;
      readonly base_ref: string;
      readonly merge_base: string;
      readonly used_base: UsedBase | null;
    } & Completion)
  | ({ readonly type: "FAILED"; readonly error: string } & Completion)
  | ({ readonly type: "INTERRUPTED" } & Timed)
  | ({ readonly type: "KEY_MOVED" } & Timed)
  | ({ readonly type: "RETRY"; readonly by: "sync" | "hand" } & Timed)
  | ({ readonly type: "REBUILD" } & Timed)
  | ({ readonly type: "PR_ENDED" } & Timed)
  | ({ readonly type: "PR_REOPENED" } & Timed);

/** Tries at one review key before only a person may try again (spec 4). */
export const maxPrepAttempts = 3;

const prepSetup = setup({
  types: { context: {} as PrepContext, events: {} as PrepEvent },
  actions: {
    "cmd.prepare": declared<PrepareParams>(),
    "pending.drop": declared<NoParams>(),
    started: assign((_, params: { at: IsoTime }) => ({ prep_started_at: params.at, prep_completed_at: null })),
    prepared: assign((_, params: Omit<Extract<PrepEvent, { type: "PREPARED" }>, "type" | "command">) => ({
      prep_completed_at: params.at,
      prep_head_sha: params.head_sha,
      prep_base_ref: params.base_ref,
      prep_merge_base: params.merge_base,
      prep_used_base: params.used_base,
      merge_base: params.merge_base,
      prep_error: null,
      prep_attempts: 0,
    })),
    failed: assign(({ context }, params: { at: IsoTime; error: string }) => ({
      prep_completed_at: params.at,
      prep_error: params.error,
      prep_attempts: context.prep_attempts + 1,
    })),
    interrupted: assign({ prep_started_at: null }),
    newKey: assign({ prep_attempts: 0, prep_error: null, prep_started_at: null }),
    accept: assign({}),
  },
  guards: {
    mayRetry: ({ context }, params: { by: "sync" | "hand" }) =>
      params.by === "hand" || context.prep_attempts < maxPrepAttempts,
  },
});

const start = {
  target: "preparing",
  actions: [
    { type: "started", params: ({ event }: { event: { at: IsoTime } }) => ({ at: event.at }) },
    {
      type: "cmd.prepare",
      params: ({ context, event }: { context: PrepContext; event: Extract<PrepEvent, { type: "START" }> }) => ({
        pr_url: context.pr_url,
        head_sha: context.head_sha,
        target_branch: context.target_branch,
        seed: event.seed,
        rebuild: event.rebuild,
        tier: event.tier,
      }),
    },
  ],
} as const;

const keyMoved = { target: "pending", actions: ["newKey", "pending.drop"] } as const;
const interrupted = { target: "pending", actions: ["interrupted", "pending.drop"] } as const;
const ended = { target: "skipped", actions: ["pending.drop"] } as const;

/**
 * Preparation of one row (spec 4, "State machines"). A ready row stays ready when its PR ends, so that a merged PR can
 * still be claimed with `--force`; every way out of `preparing` drops its command, so a late completion is ignored.
 */
export const prepMachine = prepSetup.createMachine({
  id: "prep",
  context: {} as PrepContext,
  initial: "pending",
  states: {
    pending: {
      on: {
        NEEDS_BASE: "waiting_for_base",
        START: start,
        KEY_MOVED: { actions: "newKey" },
        PR_ENDED: ended,
      },
    },
    waiting_for_base: {
      on: { START: start, INTERRUPTED: interrupted, KEY_MOVED: keyMoved, PR_ENDED: ended },
    },
    preparing: {
      on: {
        PREPARED: {
          target: "ready",
          actions: {
            type: "prepared",
            params: ({ event }) => ({
              at: event.at,
              head_sha: event.head_sha,
              base_ref: event.base_ref,
              merge_base: event.merge_base,
              used_base: event.used_base,
            }),
          },
        },
        FAILED: {
          target: "failed",
          actions: { type: "failed", params: ({ event }) => ({ at: event.at, error: event.error }) },
        },
        INTERRUPTED: interrupted,
        KEY_MOVED: keyMoved,
        PR_ENDED: ended,
      },
    },
    ready: {
      on: {
        KEY_MOVED: keyMoved,
        REBUILD: "pending",
        PR_ENDED: { actions: "accept" },
        PR_REOPENED: { actions: "accept" },
      },
    },
    failed: {
      on: {
        RETRY: { guard: { type: "mayRetry", params: ({ event }) => ({ by: event.by }) }, target: "pending" },
        KEY_MOVED: keyMoved,
        PR_ENDED: ended,
      },
    },
    skipped: {
      on: {
        PR_REOPENED: { target: "pending", actions: "newKey" },
        PR_ENDED: { actions: "accept" },
        KEY_MOVED: { actions: "newKey" },
      },
    },
  },
});

/** The part of a row that the preparation machine owns. */
export const prepContext = (row: QueueRow): PrepContext => ({
  pr_url: row.pr_url,
  status: row.status,
  head_sha: row.head_sha,
  target_branch: row.target_branch,
  merge_base: row.merge_base,
  prep_status: row.prep_status,
  prep_started_at: row.prep_started_at,
  prep_completed_at: row.prep_completed_at,
  prep_head_sha: row.prep_head_sha,
  prep_base_ref: row.prep_base_ref,
  prep_merge_base: row.prep_merge_base,
  prep_used_base: row.prep_used_base,
  prep_error: row.prep_error,
  prep_attempts: row.prep_attempts,
});

/** The row after a step: its context, its snapshot, and prep_status as the snapshot says it. */
export const applyPrep = (row: QueueRow, context: PrepContext, snapshot: ActorSnapshot): QueueRow => ({
  ...row,
  ...context,
  prep_status: snapshot.value as PrepStatus,
  actors: { ...row.actors, prep: snapshot },
});
