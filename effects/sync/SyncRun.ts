import { join } from "node:path";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Either from "effect/Either";
import type { IllegalEvent, SnapshotUnreadable } from "../../machines/errors.ts";
import { step } from "../../machines/step.ts";
import { type SyncContext, type SyncEvent, syncContext } from "../../machines/sync.ts";
import type { ActorSnapshot } from "../../src/queue/row.ts";
import type { StepStatus, SyncStepName } from "../../src/sync/syncPlanFile.ts";
import { formatTime, type IsoTime } from "../../src/time.ts";
import { EventLog } from "../engine/EventLog.ts";
import { Home } from "../home/Home.ts";
import type { DocumentWriteFailure } from "../store/JsonDocument.ts";
import { JsonDocuments } from "../store/JsonDocument.ts";
import type { PlanBoard } from "./PlanBoard.ts";

/** The persisted run: runs/<run_id>.json5. */
interface RunDocument {
  readonly schema_version: number;
  readonly machine: "sync";
  readonly context: SyncContext;
  readonly actor: ActorSnapshot | null;
}

const runDocument = {
  name: "run",
  maxSchema: 1,
  check: (value: unknown): Either.Either<RunDocument, string> =>
    typeof value === "object" && value !== null && "context" in value
      ? Either.right(value as RunDocument)
      : Either.left("is not the snapshot of a run"),
};

export type RunFailure = IllegalEvent | SnapshotUnreadable | DocumentWriteFailure;

/** What a step of a sync ends with. */
export interface StepEnd {
  readonly status: Exclude<StepStatus, "pending" | "running">;
  readonly rc: number | null;
  readonly summary: string | null;
}

type Timeless<Event> = Event extends { readonly at: IsoTime } ? Omit<Event, "at"> : never;

/** The machine of one sync run: every event is stepped, stored durably, then shown on the board. */
export interface SyncRun {
  /** Sends an event; `command` of a phase's completion is filled in by `phaseDone`. */
  readonly send: (event: Timeless<SyncEvent>) => Effect.Effect<void, RunFailure>;
  readonly phaseDone: Effect.Effect<void, RunFailure>;
  /** Ends the run with the reason; nothing when no phase is running. */
  readonly phaseFailed: (error: string) => Effect.Effect<void, RunFailure>;
  readonly step: <E, R>(
    name: SyncStepName,
    body: Effect.Effect<StepEnd, E, R>,
  ) => Effect.Effect<StepEnd, E | RunFailure, R>;
  readonly context: () => SyncContext;
}

export const openSyncRun = (options: { readonly runId: string; readonly board: PlanBoard }) =>
  Effect.gen(function* () {
    const home = yield* Home;
    const documents = yield* JsonDocuments;
    const events = yield* EventLog;
    const file = join(home.runs, `${options.runId}.json5`);
    let context = syncContext(options.runId);
    let actor: ActorSnapshot | undefined;

    const send: SyncRun["send"] = (event) =>
      Effect.gen(function* () {
        const at = formatTime(yield* Clock.currentTimeMillis);
        const result = yield* step("sync", `sync:${options.runId}`, actor, context, { ...event, at } as SyncEvent);
        const next: RunDocument = {
          schema_version: 1,
          machine: "sync",
          context: result.context,
          actor: result.snapshot,
        };
        yield* documents.write(file, runDocument, next);
        context = result.context;
        actor = result.snapshot;
        options.board.change((plan) => ({ ...plan, steps: context.steps }));
        yield* events.append([
          {
            actor: `sync:${options.runId}`,
            machine: "sync",
            seq: result.snapshot.seq,
            from: result.from,
            event: event.type,
            to: result.to,
            commands: result.issued.map((command) => command.id),
          },
        ]);
      }).pipe(Effect.uninterruptible);

    return {
      send,
      phaseDone: Effect.suspend(() => send({ type: "PHASE_DONE", command: actor?.pending[0]?.id ?? "" })),
      phaseFailed: (error) =>
        Effect.suspend(() => {
          const command = actor?.pending[0]?.id;
          return command === undefined ? Effect.void : send({ type: "FAILED", command, error });
        }),
      step: (name, body) =>
        Effect.gen(function* () {
          yield* send({ type: "STEP_STARTED", step: name });
          const end = yield* body;
          yield* send({ type: "STEP_ENDED", step: name, ...end });
          return end;
        }),
      context: () => context,
    } satisfies SyncRun;
  });
