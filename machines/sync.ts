import { assign, setup } from "xstate";
import { initialSteps, type StepStatus, type SyncStep, type SyncStepName } from "../src/sync/syncPlanFile.ts";
import type { IsoTime } from "../src/time.ts";
import type { SyncPhaseParams } from "./commandParams.ts";
import { type Completion, declared, type NoParams, type Timed } from "./declared.ts";

/** A run of `adk pr-sync`: its steps, and why it ended if it did not end well. */
export interface SyncContext {
  readonly run_id: string;
  readonly plan_only: boolean;
  readonly steps: ReadonlyArray<SyncStep>;
  readonly started_at: IsoTime | null;
  readonly completed_at: IsoTime | null;
  readonly error: string | null;
}

export type SyncEvent =
  | ({ readonly type: "START"; readonly plan_only: boolean } & Timed)
  | ({ readonly type: "STEP_STARTED"; readonly step: SyncStepName } & Timed)
  | ({
      readonly type: "STEP_ENDED";
      readonly step: SyncStepName;
      readonly status: Exclude<StepStatus, "pending" | "running">;
      readonly rc: number | null;
      readonly summary: string | null;
    } & Timed)
  | ({ readonly type: "PHASE_DONE" } & Completion)
  | ({ readonly type: "FAILED"; readonly error: string } & Completion)
  | ({ readonly type: "INTERRUPT" } & Timed);

/** A new run, nothing done yet. */
export const syncContext = (run_id: string): SyncContext => ({
  run_id,
  plan_only: false,
  steps: initialSteps(),
  started_at: null,
  completed_at: null,
  error: null,
});

const change = (steps: ReadonlyArray<SyncStep>, name: string, fields: Partial<SyncStep>): ReadonlyArray<SyncStep> =>
  steps.map((step) => (step.name === name ? { ...step, ...fields } : step));

const syncSetup = setup({
  types: { context: {} as SyncContext, events: {} as SyncEvent },
  actions: {
    "cmd.syncPhase": declared<SyncPhaseParams>(),
    "pending.drop": declared<NoParams>(),
    started: assign((_, params: { at: IsoTime; plan_only: boolean }) => ({
      started_at: params.at,
      plan_only: params.plan_only,
    })),
    stepStarted: assign(({ context }, params: { at: IsoTime; step: SyncStepName }) => ({
      steps: change(context.steps, params.step, { status: "running", started_at: params.at }),
    })),
    stepEnded: assign(({ context }, params: Omit<Extract<SyncEvent, { type: "STEP_ENDED" }>, "type">) => ({
      steps: change(context.steps, params.step, {
        status: params.status,
        rc: params.rc,
        summary: params.summary,
        completed_at: params.at,
      }),
    })),
    ended: assign(({ context }, params: { at: IsoTime; error: string | null }) => ({
      completed_at: params.at,
      error: params.error,
      steps: context.steps.map((step) =>
        step.status === "running" ? { ...step, status: "failed" as const, completed_at: params.at } : step,
      ),
    })),
  },
  guards: { planOnly: ({ context }) => context.plan_only },
});

const enter = (phase: SyncPhaseParams["phase"]) => ({ type: "cmd.syncPhase", params: { phase } }) as const;
const finished = {
  type: "ended",
  params: ({ event }: { event: Timed }) => ({ at: event.at, error: null }),
} as const;

/** What every running phase accepts besides its own completion. */
const running = {
  STEP_STARTED: {
    actions: {
      type: "stepStarted",
      params: ({ event }: { event: Extract<SyncEvent, { type: "STEP_STARTED" }> }) => ({
        at: event.at,
        step: event.step,
      }),
    },
  },
  STEP_ENDED: {
    actions: {
      type: "stepEnded",
      params: ({ event }: { event: Extract<SyncEvent, { type: "STEP_ENDED" }> }) => ({
        at: event.at,
        step: event.step,
        status: event.status,
        rc: event.rc,
        summary: event.summary,
      }),
    },
  },
  FAILED: {
    target: "failed",
    actions: {
      type: "ended",
      params: ({ event }: { event: Extract<SyncEvent, { type: "FAILED" }> }) => ({ at: event.at, error: event.error }),
    },
  },
  INTERRUPT: { target: "interrupted", actions: ["pending.drop", finished] },
} as const;

/** One run of a sync (spec 4, "Phases"). A failing step is a warning and the run goes on; a failing phase ends it. */
export const syncMachine = syncSetup.createMachine({
  id: "sync",
  context: {} as SyncContext,
  initial: "idle",
  states: {
    idle: {
      on: {
        START: {
          target: "discover",
          actions: [
            { type: "started", params: ({ event }) => ({ at: event.at, plan_only: event.plan_only }) },
            enter("discover"),
          ],
        },
      },
    },
    discover: { on: { ...running, PHASE_DONE: { target: "plan", actions: enter("plan") } } },
    plan: {
      on: {
        ...running,
        PHASE_DONE: [
          { guard: "planOnly", target: "done", actions: finished },
          { target: "work", actions: enter("work") },
        ],
      },
    },
    work: { on: { ...running, PHASE_DONE: { target: "remind", actions: enter("remind") } } },
    remind: { on: { ...running, PHASE_DONE: { target: "cleanup", actions: enter("cleanup") } } },
    cleanup: { on: { ...running, PHASE_DONE: { target: "done", actions: finished } } },
    done: {},
    failed: {},
    interrupted: {},
  },
});
