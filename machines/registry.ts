import type { AnyStateMachine } from "xstate";
import type { ActorSnapshot } from "../src/queue/row.ts";
import { type BaseContext, type BaseEvent, type BaseMachineContext, baseMachine } from "./base.ts";
import type { Migrations } from "./migrations.ts";
import { type PrepContext, type PrepEvent, prepMachine } from "./prep.ts";
import { type ReviewContext, type ReviewEvent, type ReviewMachineContext, reviewMachine } from "./review.ts";
import { type SyncContext, type SyncEvent, syncMachine } from "./sync.ts";

/** Context and events of each machine. */
export interface MachineTypes {
  readonly prep: { readonly context: PrepContext; readonly event: PrepEvent };
  readonly base: { readonly context: BaseContext; readonly event: BaseEvent };
  readonly review: { readonly context: ReviewContext; readonly event: ReviewEvent };
  readonly sync: { readonly context: SyncContext; readonly event: SyncEvent };
}

export type MachineName = keyof MachineTypes;

/** What an actor has of its own besides its context. */
export interface ActorFacts {
  readonly actorId: string;
  /** The seq that the step about to be taken will have. */
  readonly seq: number;
}

/** A machine with everything its persisted actors need. `Inner` is the machine's context, `Outer` what callers give and get. */
export interface MachineEntry<Outer, Inner> {
  readonly machine: AnyStateMachine;
  /** Version of the snapshots that this build writes. */
  readonly version: number;
  readonly migrations: Migrations;
  /** Where an actor without a snapshot stands: rows and metas written by hand or by an older program. */
  readonly first: (context: Outer) => Pick<ActorSnapshot, "value" | "seq">;
  readonly load: (context: Outer, facts: ActorFacts) => Inner;
  readonly save: (context: Inner, value: string) => Outer;
}

const entry = <Outer, Inner>(all: MachineEntry<Outer, Inner>): MachineEntry<Outer, Inner> => all;

const repoOf = (actorId: string): string => /^base:([^:]*):/.exec(actorId)?.[1] ?? "";

/** Every machine that has persisted actors, by name. */
export const registry = {
  prep: entry<PrepContext, PrepContext>({
    machine: prepMachine,
    version: 1,
    migrations: {},
    first: (context) => ({ value: context.prep_status, seq: 0 }),
    load: (context) => context,
    save: (context, value) => ({ ...context, prep_status: value as PrepContext["prep_status"] }),
  }),
  base: entry<BaseContext, BaseMachineContext>({
    machine: baseMachine,
    version: 1,
    migrations: {},
    first: (context) => ({ value: context.state, seq: 0 }),
    load: (context, facts) => ({ ...context, repo: repoOf(facts.actorId) }),
    save: ({ repo: _repo, ...context }, value) => ({ ...context, state: value as BaseContext["state"] }),
  }),
  review: entry<ReviewContext, ReviewMachineContext>({
    machine: reviewMachine,
    version: 1,
    migrations: {},
    first: (context) => ({
      value: context.claim === null && context.taken_at === null ? "free" : "claimed",
      seq: context.claim?.epoch ?? 0,
    }),
    load: (context, facts) => ({ ...context, epoch: Math.max(facts.seq, (context.claim?.epoch ?? 0) + 1) }),
    save: ({ epoch: _epoch, ...context }) => context,
  }),
  sync: entry<SyncContext, SyncContext>({
    machine: syncMachine,
    version: 1,
    migrations: {},
    first: () => ({ value: "idle", seq: 0 }),
    load: (context) => context,
    save: (context) => context,
  }),
} as const;
