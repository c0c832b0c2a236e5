import { assign, setup } from "xstate";
import {
  type ActorSnapshot,
  type BootMoment,
  type Claim,
  isTerminal,
  type QueueRow,
  type Status,
} from "../src/queue/row.ts";
import type { IsoTime } from "../src/time.ts";
import { declared, type NoParams, type Timed } from "./declared.ts";

/** A claim as the row stores it: what the review was started on rides along, so that release can record it. */
export interface ReviewClaim extends Claim {
  /** Status to go back to when the claim ends without a verdict. */
  readonly previous_status?: Status;
  /** The prepared review key at the moment of the claim. */
  readonly head_sha?: string | null;
  readonly base_ref?: string | null;
  readonly merge_base?: string | null;
}

/** The fields of a row that the review machine reads and writes. */
export type ReviewContext = Pick<
  QueueRow,
  | "status"
  | "taken_at"
  | "last_heartbeat_at"
  | "last_reviewed_at"
  | "last_reviewed_head_sha"
  | "last_reviewed_base_ref"
  | "last_reviewed_merge_base"
  | "prep_head_sha"
  | "prep_base_ref"
  | "prep_merge_base"
> & { readonly claim: ReviewClaim | null };

/**
 * The machine's own context. `epoch` is the fence of a claim made by this step: the step's own seq, which only grows
 * and outlives every release, so no field of the row has to remember the last epoch.
 */
export type ReviewMachineContext = ReviewContext & { readonly epoch: number };

/** Who takes a claim, and what the caller found out about the owner before. */
export interface Claimer {
  readonly run_id: string;
  readonly token_hash: string;
  readonly host: string;
  readonly boot: string;
  readonly pid: number | null;
  readonly start: string | null;
}

/** What keeps a claim fresh: the moment by the clock, and by the machine's running time where that is known. */
interface Beat extends Timed {
  readonly beat?: BootMoment;
}

/** Proof of ownership: the hash of the presented token. Left out when the caller has checked ownership itself. */
interface Proof {
  readonly token_hash?: string | null;
}

export type ReviewEvent =
  | ({
      readonly type: "CLAIM";
      readonly force: boolean;
      readonly previous: "none" | "dead" | "expired" | "same_token";
    } & Claimer &
      Beat)
  | ({ readonly type: "TAKE_OVER"; readonly previous: "dead" | "expired" } & Claimer & Beat)
  | ({ readonly type: "HEARTBEAT" } & Proof & Beat)
  | ({ readonly type: "RELEASE"; readonly status: Status | null; readonly force: boolean } & Proof & Timed)
  | ({ readonly type: "REVIEWING" } & Proof & Beat)
  | ({ readonly type: "VALIDATING" } & Proof & Beat)
  | ({ readonly type: "POSTING" } & Proof & Beat)
  | ({ readonly type: "REPORTED" } & Proof & Beat)
  | ({ readonly type: "SET_STATUS"; readonly status: Status } & Proof & Timed);

/** Statuses that say a review was done; releasing with one records the claimed review key (spec 3). */
export const verdictStatuses: ReadonlySet<Status> = new Set<Status>(["reviewed", "comments", "approved"]);

const claimOf = (context: ReviewMachineContext, { beat, ...claimer }: Claimer & Pick<Beat, "beat">): ReviewClaim => ({
  run_id: claimer.run_id,
  token_hash: claimer.token_hash,
  epoch: context.epoch,
  host: claimer.host,
  boot: claimer.boot,
  pid: claimer.pid,
  start: claimer.start,
  previous_status: context.status === "in_review" ? (context.claim?.previous_status ?? "pending") : context.status,
  head_sha: context.prep_head_sha,
  base_ref: context.prep_base_ref,
  merge_base: context.prep_merge_base,
  ...(beat === undefined ? {} : { beat }),
});

/** The claim after a beat. One that tells no running time leaves none behind: an older one would make it look older. */
const beaten = (claim: ReviewClaim | null, beat: BootMoment | undefined): ReviewClaim | null => {
  if (claim === null) return null;
  const { beat: _, ...rest } = claim;
  return beat === undefined ? rest : { ...rest, beat };
};

/** Status after a release: the given one, else the one before the claim; merged and closed stay (plan §4). */
const releasedStatus = (context: ReviewMachineContext, status: Status | null): Status => {
  if (isTerminal(context)) return context.status;
  if (status !== null) return status;
  return context.status === "in_review" ? (context.claim?.previous_status ?? "pending") : context.status;
};

const reviewSetup = setup({
  types: { context: {} as ReviewMachineContext, events: {} as ReviewEvent },
  actions: {
    "pending.drop": declared<NoParams>(),
    claimed: assign(({ context }, params: { at: IsoTime; claimer: Claimer & Pick<Beat, "beat"> }) => ({
      claim: claimOf(context, params.claimer),
      taken_at: params.at,
      last_heartbeat_at: params.at,
      status: isTerminal(context) ? context.status : ("in_review" as const),
    })),
    beat: assign(({ context }, params: { at: IsoTime; beat: BootMoment | undefined }) => ({
      last_heartbeat_at: params.at,
      claim: beaten(context.claim, params.beat),
    })),
    reviewed: assign(({ context }, params: { at: IsoTime; status: Status | null }) =>
      params.status === null || !verdictStatuses.has(params.status) || context.claim === null
        ? {}
        : {
            last_reviewed_at: params.at,
            last_reviewed_head_sha: context.claim.head_sha ?? context.prep_head_sha,
            last_reviewed_base_ref: context.claim.base_ref ?? context.prep_base_ref,
            last_reviewed_merge_base: context.claim.merge_base ?? context.prep_merge_base,
          },
    ),
    released: assign(({ context }, params: { status: Status | null }) => ({
      status: releasedStatus(context, params.status),
      claim: null,
      taken_at: null,
      last_heartbeat_at: null,
    })),
    status: assign((_, params: { status: Status }) => ({ status: params.status })),
    accept: assign({}),
  },
  guards: {
    /** The old owner is proven gone, so the claim may change hands. */
    ownerGone: (_, params: { previous: string }) => params.previous === "dead" || params.previous === "expired",
    sameToken: ({ context }, params: { previous: string; token_hash: string }) =>
      params.previous === "same_token" && context.claim?.token_hash === params.token_hash,
    owns: ({ context }, params: { token_hash: string | null | undefined }) =>
      params.token_hash === undefined || params.token_hash === (context.claim?.token_hash ?? null),
    mayRelease: ({ context }, params: { force: boolean; token_hash: string | null | undefined }) =>
      params.force || params.token_hash === undefined || params.token_hash === (context.claim?.token_hash ?? null),
  },
});

type ClaimEvent = Extract<ReviewEvent, { type: "CLAIM" | "TAKE_OVER" }>;
type ReleaseEvent = Extract<ReviewEvent, { type: "RELEASE" }>;

const claimed = {
  type: "claimed",
  params: ({ event }: { event: ClaimEvent }) => ({ at: event.at, claimer: event }),
} as const;
const beat = {
  type: "beat",
  params: ({ event }: { event: Beat }) => ({ at: event.at, beat: event.beat }),
} as const;
const owns = { type: "owns", params: ({ event }: { event: Proof }) => ({ token_hash: event.token_hash }) } as const;
const ownerGone = {
  type: "ownerGone",
  params: ({ event }: { event: ClaimEvent }) => ({ previous: event.previous }),
} as const;

const phase = <Target extends string>(target: Target) => ({ target, guard: owns, actions: beat }) as const;

/** What every state under a claim accepts: beats, changing hands, and the end of the claim. */
const held = {
  CLAIM: [
    {
      guard: {
        type: "sameToken",
        params: ({ event }: { event: Extract<ReviewEvent, { type: "CLAIM" }> }) => ({
          previous: event.previous,
          token_hash: event.token_hash,
        }),
      },
      actions: beat,
    },
    { target: "claimed", guard: ownerGone, actions: ["pending.drop", claimed] },
  ],
  TAKE_OVER: { target: "claimed", guard: ownerGone, actions: ["pending.drop", claimed] },
  HEARTBEAT: { guard: owns, actions: beat },
  RELEASE: {
    target: "free",
    guard: {
      type: "mayRelease",
      params: ({ event }: { event: ReleaseEvent }) => ({ force: event.force, token_hash: event.token_hash }),
    },
    actions: [
      "pending.drop",
      {
        type: "reviewed",
        params: ({ event }: { event: ReleaseEvent }) => ({ at: event.at, status: event.status }),
      },
      { type: "released", params: ({ event }: { event: ReleaseEvent }) => ({ status: event.status }) },
    ],
  },
  SET_STATUS: {
    guard: owns,
    actions: {
      type: "status",
      params: ({ event }: { event: Extract<ReviewEvent, { type: "SET_STATUS" }> }) => ({ status: event.status }),
    },
  },
} as const;

/**
 * The review of one row: a lease with a fence and the phases under it (spec 2, "Review claim"). Whether the owner
 * before is alive is the caller's finding (src/queue/lease.ts); the machine only refuses to rob a live one.
 * Phases go forward, any may be left out: a person may post without the worker's steps.
 */
export const reviewMachine = reviewSetup.createMachine({
  id: "review",
  context: {} as ReviewMachineContext,
  initial: "free",
  states: {
    free: {
      on: {
        CLAIM: { target: "claimed", actions: claimed },
        RELEASE: { actions: "accept" },
        SET_STATUS: held.SET_STATUS,
      },
    },
    claimed: {
      on: {
        ...held,
        REVIEWING: phase("reviewing"),
        VALIDATING: phase("validating"),
        POSTING: phase("posting"),
        REPORTED: phase("reported"),
      },
    },
    reviewing: {
      on: { ...held, VALIDATING: phase("validating"), POSTING: phase("posting"), REPORTED: phase("reported") },
    },
    validating: { on: { ...held, POSTING: phase("posting"), REPORTED: phase("reported") } },
    posting: { on: { ...held, REPORTED: phase("reported") } },
    reported: { on: held },
  },
});

/** The part of a row that the review machine owns. */
export const reviewContext = (row: QueueRow): ReviewContext => ({
  status: row.status,
  taken_at: row.taken_at,
  last_heartbeat_at: row.last_heartbeat_at,
  claim: row.claim,
  last_reviewed_at: row.last_reviewed_at,
  last_reviewed_head_sha: row.last_reviewed_head_sha,
  last_reviewed_base_ref: row.last_reviewed_base_ref,
  last_reviewed_merge_base: row.last_reviewed_merge_base,
  prep_head_sha: row.prep_head_sha,
  prep_base_ref: row.prep_base_ref,
  prep_merge_base: row.prep_merge_base,
});

/** The row after a step. */
export const applyReview = (row: QueueRow, context: ReviewContext, snapshot: ActorSnapshot): QueueRow => ({
  ...row,
  ...context,
  actors: { ...row.actors, review: snapshot },
});
