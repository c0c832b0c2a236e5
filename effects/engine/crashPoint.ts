import * as Effect from "effect/Effect";
import { type WriteFailed, writeFailed } from "../store/errors.ts";
import { hit } from "../store/faults.ts";

const signals = ["SIGTERM", "SIGINT"] as const;

let signalHits = 0;

/** The signal that `ADK_FAULT=point:n:SIGTERM` asks this process to send itself here; null almost always. */
const wantedSignal = (point: string): (typeof signals)[number] | null => {
  const [name, n, kind] = (process.env.ADK_FAULT ?? "").split(":");
  const signal = signals.find((known) => known === kind);
  if (process.env.NODE_ENV !== "test" || name !== point || signal === undefined) return null;
  signalHits += 1;
  return signalHits === Number(n) ? signal : null;
};

/** After its own signal a process waits to be interrupted; where it cannot be, the handler gets its turn and work goes on. */
const untilInterrupted = Effect.checkInterruptible((can) => (can ? Effect.never : Effect.sleep("20 millis")));

/**
 * A named place between two durable steps, where a test may kill, fail or interrupt the process:
 * `ADK_FAULT=point:n:kill|EIO|SIGTERM|SIGINT` under NODE_ENV=test (spec 9, "Fault injection"). Inert otherwise.
 */
export const crashPoint = (point: string): Effect.Effect<void, WriteFailed> =>
  Effect.suspend(() => {
    if (process.env.ADK_FAULT === undefined) return Effect.void;
    const signal = wantedSignal(point);
    if (signal !== null) {
      process.kill(process.pid, signal);
      return untilInterrupted;
    }
    return Effect.try({ try: () => void hit(point, point), catch: (cause) => writeFailed(point, cause) });
  });
