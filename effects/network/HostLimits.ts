import * as Context from "effect/Context";
import type * as Effect from "effect/Effect";
import type { IsoTime } from "../../src/time.ts";
import type { RateLimited } from "../platform/errors.ts";

/** How often something may be asked. */
export interface Pace {
  /** What shares the pace: `github.com`, `slack.com conversations.history`. Becomes part of a file name, hashed. */
  readonly key: string;
  /** The host, for messages. */
  readonly host: string;
  /** Requests in any 60 seconds, over all processes of this data home. */
  readonly perMinute: number;
  /** How long a caller is ready to wait for its turn, in milliseconds; beyond that the turn fails as RateLimited. */
  readonly maxWaitMs: number;
}

/** What an answer said about the host's limit; a part that it did not say is left out. */
export interface Heard {
  /** Nothing may be sent before this moment (Retry-After, or a reset with nothing left), in ms since the epoch. */
  readonly blockedUntil?: number;
  /** Requests (or points) that are left until `resetAt`. */
  readonly remaining?: number;
  readonly limit?: number;
  readonly resetAt?: number;
}

/** What is known of one host's limit, for doctor, logs and the plan. */
export interface LimitState {
  readonly key: string;
  readonly host: string;
  readonly blocked_until: IsoTime | null;
  readonly remaining: number | null;
  readonly limit: number | null;
  readonly reset_at: IsoTime | null;
}

/**
 * One limiter for all processes that share a data home: whoever hears a Retry-After makes all of them wait, and all of
 * them together keep to the pace (spec 5, "Rate limits").
 */
export class HostLimits extends Context.Tag("adk/HostLimits")<
  HostLimits,
  {
    /**
     * Waits until one request may be sent and counts it. RateLimited when that would take longer than `maxWaitMs`, with
     * the moment from which on it is worth trying. A limiter file that cannot be used never stops a request.
     */
    readonly turn: (pace: Pace) => Effect.Effect<void, RateLimited>;
    /** Records what an answer said, for every process. */
    readonly heard: (pace: Pick<Pace, "key" | "host">, heard: Heard) => Effect.Effect<void>;
    /** All that is known now. */
    readonly states: Effect.Effect<ReadonlyArray<LimitState>>;
  }
>() {}
