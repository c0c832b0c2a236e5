import { uptime } from "node:os";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import type { BootMoment } from "../../src/queue/row.ts";
import { currentIdentity } from "./ProcessIdentity.ts";

/** How long this machine has been running. A setting of its own, so that a test can let time pass on a machine. */
export class Uptime extends Context.Reference<Uptime>()("adk/Uptime", {
  defaultValue: () => ({
    /** Whole seconds since boot. No setting of the clock moves them. */
    seconds: Effect.sync(() => Math.floor(uptime())),
  }),
}) {}

/** Now, by the running time of this machine. */
export const bootMoment: Effect.Effect<BootMoment> = Effect.gen(function* () {
  const { seconds } = yield* Uptime;
  const { host, boot } = currentIdentity();
  return { host, boot, uptime_s: yield* seconds };
});
