import { dirname, join } from "node:path";
import * as Clock from "effect/Clock";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import type * as Scope from "effect/Scope";
import { Home } from "../home/Home.ts";
import { epochNotePath } from "./epochChain.ts";
import { LockBusy, LockFailed, systemReason } from "./errors.ts";
import type { HeldLock, LockMechanism } from "./kernelLock.ts";
import { type LockHolder, noteFor, readHolder } from "./lockInfo.ts";
import { type MechanismName, preferredMechanism, recordedMechanism, settleMechanism } from "./lockMechanism.ts";
import { makeQueues, sleepReal, type Turn } from "./lockQueue.ts";

export interface LockOptions {
  /** Longest wait in milliseconds, 10 000 when not given. Real, monotonic time. */
  readonly deadlineMs?: number;
  /** What the holder does, for other processes' messages; the words of the command line when not given. */
  readonly verb?: string;
  /** Absolute folder of the lock when it is not the data home's: for a file that several data homes share. */
  readonly folder?: string;
}

/**
 * Locks between processes, by name (spec 2, Store protocol 1). Lock files are `<locks>/<name>.lock`, 0600, never
 * deleted; in the data home, or in the folder that the caller names. Not re-entrant: taking a name that this fiber holds waits for the deadline.
 */
export class Locks extends Context.Tag("adk/Locks")<
  Locks,
  {
    /** Runs `body` under the lock. The wait can be interrupted; an interrupted body releases the lock. */
    readonly withLock: <A, E, R>(
      name: string,
      options: LockOptions,
      body: Effect.Effect<A, E, R>,
    ) => Effect.Effect<A, E | LockBusy | LockFailed, R>;
    /** Takes the lock until the scope closes. */
    readonly acquire: (name: string, options: LockOptions) => Effect.Effect<void, LockBusy | LockFailed, Scope.Scope>;
    /** Takes the lock until the scope closes if it is free now; false when it is not. */
    readonly tryAcquire: (name: string, options: LockOptions) => Effect.Effect<boolean, LockFailed, Scope.Scope>;
    /** Who holds the data home's lock, for messages only; null when nobody does or nobody can tell. */
    readonly holder: (name: string) => Effect.Effect<LockHolder | null>;
    readonly mechanism: MechanismName;
  }
>() {}

const defaultDeadlineMs = 10_000;

const verbOfProcess = (): string =>
  ["adk", ...process.argv.slice(2, 4).filter((word) => /^[a-z][a-z-]*$/.test(word))].join(" ");

const busy = (name: string, holder: LockHolder | null): LockBusy =>
  new LockBusy({
    message:
      holder === null
        ? `${name} busy: held by another process`
        : `${name} busy: held by pid ${holder.pid} (${holder.verb}) since ${holder.since}`,
    hint: "wait for that command to end, or end it, and run this one again",
    lock: name,
    pid: holder?.pid ?? null,
  });

const failed = (name: string, path: string, cause: unknown): LockFailed => {
  if (cause instanceof LockFailed) return cause;
  const [reason, hint] = systemReason(cause) ?? [
    cause instanceof Error ? cause.message : String(cause),
    "check that this user may write there; `adk doctor` shows which locks are in use",
  ];
  return new LockFailed({ message: `cannot lock ${path}: ${reason}`, hint, lock: name, cause });
};

/** Milliseconds until the next look: the queue is held for milliseconds. Random, so that waiters fall out of step. */
const pause = (waitedMs: number, next: boolean): number => {
  if (waitedMs > 30_000) return 100 + Math.random() * 150;
  if (waitedMs > 3_000) return 10 + Math.random() * 20;
  return next ? 1 : 4 + Math.random() * 12;
};

/** How long a waiter minds the gate: one that was stopped while next in line must not stop all others. */
const gateMs = 1_000;

const leaveGate = (turn: Turn): void => {
  turn.gate?.release();
  turn.gate = null;
};

const make = (home: string, wanted: MechanismName | null, recorded: MechanismName | null) => {
  const queues = makeQueues();
  /** The mechanism of each folder: whoever shares a folder shares it. */
  const settled = new Map<string, LockMechanism>();
  const mechanismIn = (folder: string): LockMechanism => {
    const known = settled.get(folder) ?? settleMechanism(folder, wanted);
    settled.set(folder, known);
    return known;
  };
  const pathOf = (name: string, { folder = home }: LockOptions): string => {
    if (!/^[\w.~-]+$/.test(name)) throw new Error(`not a lock name: ${name}`);
    return join(folder, `${name}.lock`);
  };

  /** One look. What is taken is taken in this very step or not at all, so that no interruption can lose it. */
  const attempt = (name: string, options: LockOptions): Effect.Effect<HeldLock | null, LockFailed> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const path = pathOf(name, options);
      return Effect.try({
        try: () => mechanismIn(dirname(path)).tryLock(path, () => noteFor(options.verb ?? verbOfProcess(), now)),
        catch: (cause) => failed(name, path, cause),
      });
    });

  /**
   * Takes the gate, the place of the one who is next. Without it a process that asks again right after a release is
   * always faster than those that wait. It is manners only: exclusion rests on the lock itself.
   */
  const joinGate = (name: string, options: LockOptions, turn: Turn): Effect.Effect<boolean, LockFailed> =>
    Effect.try({
      try: () => {
        const gate = pathOf(`${name}.next`, options);
        const mechanism = mechanismIn(dirname(gate));
        if (mechanism.name !== "fs-native-extensions") return true;
        turn.gate ??= mechanism.tryLock(gate, () => "");
        return turn.gate !== null;
      },
      catch: (cause) => failed(name, pathOf(name, options), cause),
    });

  const holder = (name: string, options: LockOptions): Effect.Effect<LockHolder | null> =>
    Effect.sync(() => {
      const path = pathOf(name, options);
      return readHolder(epochNotePath(path) ?? path);
    });

  const release = (path: string, lock: HeldLock): Effect.Effect<void> =>
    Effect.sync(() => {
      lock.release();
      queues.settle(path);
    });

  const wait = (
    name: string,
    options: LockOptions,
    turn: Turn,
    restore: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>,
  ): Effect.Effect<HeldLock, LockBusy | LockFailed> =>
    Effect.gen(function* () {
      const start = performance.now();
      const path = pathOf(name, options);
      const limit = options.deadlineMs ?? defaultDeadlineMs;
      while (true) {
        const waited = performance.now() - start;
        const mine = queues.isFirst(path, turn);
        const next = mine && ((yield* joinGate(name, options, turn)) || waited > gateMs);
        const lock = next ? yield* attempt(name, options) : null;
        if (lock !== null) {
          leaveGate(turn);
          return lock;
        }
        if (waited >= limit) return yield* busy(name, yield* holder(name, options));
        yield* restore(sleepReal(Math.min(mine ? pause(waited, next) : limit, limit - waited), turn));
      }
    });

  /** Waits for the lock; `undo` gives it back together with the place in this process's queue. */
  const take = (
    name: string,
    options: LockOptions,
    restore: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>,
  ): Effect.Effect<Effect.Effect<void>, LockBusy | LockFailed> =>
    Effect.suspend(() => {
      const path = pathOf(name, options);
      const turn = queues.join(path);
      const leave = Effect.sync(() => {
        leaveGate(turn);
        queues.leave(path, turn);
      });
      return wait(name, options, turn, restore).pipe(
        Effect.map((lock) => Effect.ensuring(Effect.sync(lock.release), leave)),
        Effect.onError(() => leave),
      );
    });

  return Locks.of({
    withLock: (name, options, body) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(take(name, options, restore), (undo) => Effect.ensuring(restore(body), undo)),
      ),
    acquire: (name, options) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(take(name, options, restore), (undo) => Effect.addFinalizer(() => undo)),
      ),
    tryAcquire: (name, options) =>
      Effect.uninterruptible(
        Effect.flatMap(attempt(name, options), (lock) =>
          lock === null
            ? Effect.succeed(false)
            : Effect.as(
                Effect.addFinalizer(() => release(pathOf(name, options), lock)),
                true,
              ),
        ),
      ),
    holder: (name) => holder(name, {}),
    get mechanism() {
      return settled.get(home)?.name ?? recorded ?? wanted ?? preferredMechanism();
    },
  });
};

/** The live layer with a mechanism of the caller's choice instead of the best one; for tests of both. */
export const layerWith = (options: {
  readonly mechanism: MechanismName | null;
}): Layer.Layer<Locks, LockFailed, Home> =>
  Layer.effect(
    Locks,
    Effect.flatMap(Home, ({ locks }) =>
      Effect.try({
        try: () => make(locks, options.mechanism, recordedMechanism(locks, options.mechanism)),
        catch: (cause) => failed("mechanism", join(locks, "mechanism"), cause),
      }),
    ),
  );

/** Reads which mechanism the data home uses; writes nothing and loads no native code until a lock is taken. */
export const layer: Layer.Layer<Locks, LockFailed, Home> = layerWith({ mechanism: null });
