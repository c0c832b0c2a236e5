import * as Effect from "effect/Effect";

/** How long a file that cannot be parsed is read again, because an editor may be saving it (spec 2, protocol 6). */
export const rereadMs = 500;
export const rereadPauseMs = 50;

/** Waits in real time: the files' other writers know nothing of a test's clock. */
export const realPause = (ms: number): Effect.Effect<void> =>
  Effect.async<void>((resume) => {
    const timer = setTimeout(() => resume(Effect.void), ms);
    return Effect.sync(() => clearTimeout(timer));
  });
