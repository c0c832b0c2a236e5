import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Either from "effect/Either";
import * as Layer from "effect/Layer";
import { applyBase, type BaseEvent, baseContext } from "../../machines/base.ts";
import type { IllegalEvent, SnapshotUnreadable } from "../../machines/errors.ts";
import { applyPrep, type PrepEvent, prepContext } from "../../machines/prep.ts";
import { applyReview, type ReviewEvent, reviewContext, reviewMachine } from "../../machines/review.ts";
import { type StepResult, step } from "../../machines/step.ts";
import { NotFound } from "../../src/errors.ts";
import { identityKey } from "../../src/names.ts";
import {
  type ActorSnapshot,
  type PendingCommand,
  prepStatuses,
  type QueueFile,
  type QueueRow,
} from "../../src/queue/row.ts";
import { type BranchMeta, baseStates } from "../../src/repo/repoMeta.ts";
import type { Repos, ReposFailure } from "../repos/Repos.ts";
import { Repos as ReposTag } from "../repos/Repos.ts";
import { QueueStore, type TransactionFailure } from "../store/QueueStore.ts";
import { EventLog, type TransitionRecord } from "./EventLog.ts";
import { findRow, replaceRow } from "./rowPlaces.ts";

/** What a step of a row's machine gives back: the row to store and the commands to run once it is stored. */
export interface SteppedRow {
  readonly row: QueueRow;
  readonly issued: ReadonlyArray<PendingCommand>;
  /** True when the event completed a command that is no longer pending; the row is then unchanged. */
  readonly ignored: boolean;
}

export type MachineFailure = IllegalEvent | SnapshotUnreadable;

/** Steps a row's machines inside a queue transaction; pure, every transition is published after the write. */
export interface RowStepper {
  readonly prep: (row: QueueRow, event: PrepEvent) => Either.Either<SteppedRow, MachineFailure>;
  readonly review: (row: QueueRow, event: ReviewEvent) => Either.Either<SteppedRow, MachineFailure>;
}

/** What a step of a base's machine gives back. */
export interface SteppedBase {
  readonly meta: BranchMeta;
  readonly issued: ReadonlyArray<PendingCommand>;
  readonly ignored: boolean;
}

/**
 * Effect drives, the machines decide (spec 1): an event goes through the machine's pure step, the new snapshot with its
 * pending commands is written durably, the transition is published, and only then does the caller run the commands.
 * Nothing else in adk writes `prep_status`, `claim` or a base's state.
 */
export class Engine extends Context.Tag("adk/Engine")<
  Engine,
  {
    /**
     * One queue transaction in which rows may be stepped. The change is synchronous and pure; it may run again with
     * newer rows. Transitions of a change that fails are not published.
     */
    readonly change: <A, E>(
      change: (
        queue: QueueFile,
        step: RowStepper,
      ) => Either.Either<{ readonly queue: QueueFile; readonly result: A }, E>,
    ) => Effect.Effect<A, E | TransactionFailure>;
    /** One event to the preparation machine of the row with this identity key. */
    readonly prep: (
      key: string,
      event: PrepEvent,
    ) => Effect.Effect<SteppedRow, MachineFailure | NotFound | TransactionFailure>;
    /** One event to the review machine of the row with this identity key. */
    readonly review: (
      key: string,
      event: ReviewEvent,
    ) => Effect.Effect<SteppedRow, MachineFailure | NotFound | TransactionFailure>;
    /** One event to the machine of a base; `seed` is the meta of a base that has none on disk yet. */
    readonly base: (
      where: { readonly repo: string; readonly branch: string; readonly seed?: BranchMeta },
      event: BaseEvent,
    ) => Effect.Effect<SteppedBase, MachineFailure | NotFound | ReposFailure>;
  }
>() {}

/** Actor id of a row or of a base; the stem of its command ids. */
export const rowActor = (row: QueueRow): string => `row:${identityKey(row)}`;
export const baseActor = (repo: string, branch: string): string => `base:${repo}:${branch}`;

const record = (actor: string, machine: string, event: string, result: StepResult<unknown>): TransitionRecord => ({
  actor,
  machine,
  seq: result.snapshot.seq,
  from: result.from,
  event,
  to: result.to,
  commands: result.issued.map((command) => command.id),
});

/**
 * The snapshot that a row or a base is stepped from. Its state stands beside in a field that people may edit
 * (`prep_status`, `state`); where the two differ, a person has spoken: the field wins, and what was pending is dropped.
 */
const edited = (
  stored: ActorSnapshot | undefined,
  field: string,
  states: ReadonlyArray<string>,
): ActorSnapshot | undefined =>
  // A state that is none is no edit but a snapshot that cannot be read; `step` says so.
  stored === undefined || stored.value === field || !states.includes(stored.value)
    ? stored
    : { ...stored, value: field, pending: [] };

/** As `edited`: a claim that a person took out of the row leaves the review free. */
const editedReview = (row: QueueRow): ActorSnapshot | undefined =>
  row.claim === null && row.taken_at === null
    ? edited(row.actors.review, "free", Object.keys(reviewMachine.states))
    : row.actors.review;

const rowStepper = (records: Array<TransitionRecord>): RowStepper => ({
  prep: (row, event) =>
    Either.map(
      step(
        "prep",
        `${rowActor(row)}:prep`,
        edited(row.actors.prep, row.prep_status, prepStatuses),
        prepContext(row),
        event,
      ),
      (result) => {
        if (result.ignored) return { row, issued: [], ignored: true };
        records.push(record(rowActor(row), "prep", event.type, result));
        return { row: applyPrep(row, result.context, result.snapshot), issued: result.issued, ignored: false };
      },
    ),
  review: (row, event) =>
    Either.map(step("review", `${rowActor(row)}:review`, editedReview(row), reviewContext(row), event), (result) => {
      if (result.ignored) return { row, issued: [], ignored: true };
      records.push(record(rowActor(row), "review", event.type, result));
      return { row: applyReview(row, result.context, result.snapshot), issued: result.issued, ignored: false };
    }),
});

export { findRow, replaceRow };

const rowMissing = (key: string) =>
  new NotFound({ message: `${key} is not in the queue`, hint: "add it with: adk pr-queue add URL" });

export const layer: Layer.Layer<Engine, never, QueueStore | ReposTag | EventLog> = Layer.effect(
  Engine,
  Effect.gen(function* () {
    const store = yield* QueueStore;
    const repos: Context.Tag.Service<Repos> = yield* ReposTag;
    const events = yield* EventLog;

    const change: Context.Tag.Service<Engine>["change"] = (f) =>
      Effect.gen(function* () {
        let records: Array<TransitionRecord> = [];
        const result = yield* store.transact((queue) => {
          records = [];
          return f(queue, rowStepper(records));
        });
        yield* events.append(records);
        return result;
      }).pipe(Effect.uninterruptible);

    const dispatch = (
      key: string,
      advance: (row: QueueRow, stepper: RowStepper) => Either.Either<SteppedRow, MachineFailure>,
    ) =>
      change<SteppedRow, MachineFailure | NotFound>((queue, stepper) => {
        const row = findRow(queue, key);
        if (row === undefined) return Either.left(rowMissing(key));
        return Either.map(advance(row, stepper), (stepped) => ({
          queue: stepped.ignored ? queue : replaceRow(queue, stepped.row),
          result: stepped,
        }));
      });

    return {
      change,
      prep: (key, event) => dispatch(key, (row, stepper) => stepper.prep(row, event)),
      review: (key, event) => dispatch(key, (row, stepper) => stepper.review(row, event)),
      base: (where, event) =>
        Effect.gen(function* () {
          const actor = baseActor(where.repo, where.branch);
          let records: Array<TransitionRecord> = [];
          const stepped = yield* repos.updateBase<SteppedBase, MachineFailure | NotFound>(where, (stored) => {
            records = [];
            const meta = stored ?? where.seed;
            if (meta === undefined) {
              return Either.left(
                new NotFound({
                  message: `${where.repo} has no base ${where.branch}`,
                  hint: `add it with: adk repo branch add ${where.repo} --branch ${where.branch}`,
                }),
              );
            }
            return Either.map(
              step("base", actor, edited(meta.actor, meta.state, baseStates), baseContext(meta), event),
              (result) => {
                if (result.ignored) return { next: null, result: { meta, issued: [], ignored: true } };
                records.push(record(actor, "base", event.type, result));
                const next = applyBase(meta, result.context, result.snapshot);
                return { next, result: { meta: next, issued: result.issued, ignored: false } };
              },
            );
          });
          yield* events.append(records);
          return stepped;
        }).pipe(Effect.uninterruptible),
    };
  }),
);
