import * as Effect from "effect/Effect";
import type { HeldLock } from "./kernelLock.ts";

/** A fiber's place in its process's queue for one lock name; `wake` ends its sleep early. */
export interface Turn {
  wake: () => void;
  /** Held while this fiber's process is the next one to get the lock. */
  gate: HeldLock | null;
}

const nothing = (): void => {};

/**
 * First-come order inside one process, one queue a lock name: only the first looks at the lock, the others sleep until
 * they are first. State decides, a wake-up only makes a fiber look again, so that none can be lost.
 */
export const makeQueues = () => {
  const queues = new Map<string, Array<Turn>>();
  const wakeFirst = (name: string): void => queues.get(name)?.[0]?.wake();
  return {
    join: (name: string): Turn => {
      const turn: Turn = { wake: nothing, gate: null };
      const queue = queues.get(name);
      if (queue === undefined) queues.set(name, [turn]);
      else queue.push(turn);
      return turn;
    },
    isFirst: (name: string, turn: Turn): boolean => queues.get(name)?.[0] === turn,
    leave: (name: string, turn: Turn): void => {
      const queue = queues.get(name) ?? [];
      const at = queue.indexOf(turn);
      if (at >= 0) queue.splice(at, 1);
      if (queue.length === 0) queues.delete(name);
      else wakeFirst(name);
    },
    /** The lock became free outside of the queue. */
    settle: wakeFirst,
  };
};

/** Sleeps in real time, not the Clock's: a kernel lock is outside of any test's clock. Ends early by `turn.wake`. */
export const sleepReal = (ms: number, turn: Turn): Effect.Effect<void> =>
  Effect.async<void>((resume) => {
    const end = (): void => {
      clearTimeout(timer);
      turn.wake = nothing;
      resume(Effect.void);
    };
    const timer = setTimeout(end, ms);
    turn.wake = end;
    return Effect.sync(() => {
      clearTimeout(timer);
      turn.wake = nothing;
    });
  });
