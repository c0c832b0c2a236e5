import { createHash, randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as Clock from "effect/Clock";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { emptyWindow, heardIn, nextTurn, parseWindow, taken, type Window } from "../../src/network/window.ts";
import { formatTime, type IsoTime } from "../../src/time.ts";
import { Home } from "../home/Home.ts";
import { Log } from "../log/Log.ts";
import { RateLimited } from "../platform/errors.ts";
import { Locks } from "../store/Locks.ts";

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

const nameOf = (key: string): string => createHash("sha256").update(key, "utf8").digest("hex").slice(0, 10);

const read = async (path: string): Promise<ReturnType<typeof parseWindow>> =>
  parseWindow(await readFile(path, "utf8").catch(() => ""));

/** Not fsynced: what a power cut takes is at most what a host said in the last seconds, and it says it again. */
const write = async (path: string, text: string): Promise<void> => {
  const temporary = `${path}.${process.pid}-${randomBytes(4).toString("hex")}.tmp`;
  try {
    await writeFile(temporary, text, { mode: 0o600, flag: "wx" });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
};

const limited = (pace: Pace, at: number): RateLimited =>
  new RateLimited({
    message: `${pace.host} limits the rate of requests until ${formatTime(at)}; nothing more is sent there before`,
    hint: "run it again after that",
    host: pace.host,
    retry_at: formatTime(at),
  });

const stateOf = (key: string, host: string, window: Window, now: number): LimitState => ({
  key,
  host,
  blocked_until: window.blockedUntil !== null && window.blockedUntil > now ? formatTime(window.blockedUntil) : null,
  remaining: window.remaining,
  limit: window.limit,
  reset_at: window.resetAt === null ? null : formatTime(window.resetAt),
});

const make = Effect.gen(function* () {
  const home = yield* Home;
  const locks = yield* Locks;
  const log = yield* Log;
  const folder = join(home.cache, "limits");

  /** Changes one window under its lock. A file that cannot be used is a record in the log, and the change is lost. */
  const change = <A>(
    pace: Pick<Pace, "key" | "host">,
    fallback: A,
    update: (window: Window) => readonly [Window, A],
  ) => {
    const name = nameOf(pace.key);
    const path = join(folder, `${name}.json`);
    const work = Effect.tryPromise(async () => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const before = (await read(path))?.window ?? emptyWindow;
      const [after, result] = update(before);
      if (after !== before) await write(path, JSON.stringify({ key: pace.key, host: pace.host, ...after }));
      return result;
    });
    return locks
      .withLock(`limits-${name}`, { verb: "limits" }, Effect.uninterruptible(work))
      .pipe(Effect.catchAll((error) => Effect.as(log.record("limits_unusable", { key: pace.key, error }), fallback)));
  };

  const reserve = (pace: Pace, now: number) =>
    change<number | null>(pace, now, (window) => {
      const at = nextTurn(window, now, pace.perMinute);
      return at - now > pace.maxWaitMs ? [window, null] : [taken(window, now, at), at];
    });

  const turn = (pace: Pace): Effect.Effect<void, RateLimited> =>
    Effect.gen(function* () {
      const started = yield* Clock.currentTimeMillis;
      for (;;) {
        const now = yield* Clock.currentTimeMillis;
        const left = { ...pace, maxWaitMs: Math.max(0, pace.maxWaitMs - (now - started)) };
        const at = yield* reserve(left, now);
        if (at === null) {
          const window = (yield* Effect.promise(() => read(join(folder, `${nameOf(pace.key)}.json`))))?.window;
          return yield* limited(pace, nextTurn(window ?? emptyWindow, now, pace.perMinute));
        }
        if (at <= now) return;
        yield* log.record("limits_wait", { key: pace.key, ms: at - now });
        yield* Effect.sleep(at - now);
        // Somebody may have heard a Retry-After meanwhile; then this turn is not one any more.
        const after = yield* Clock.currentTimeMillis;
        const blocked = yield* change<boolean>(pace, false, (window) => [window, (window.blockedUntil ?? 0) > after]);
        if (!blocked) return;
      }
    });

  const heard = (pace: Pick<Pace, "key" | "host">, said: Heard) =>
    Effect.gen(function* () {
      if (Object.keys(said).length === 0) return;
      const now = yield* Clock.currentTimeMillis;
      yield* log.record("limits_heard", { key: pace.key, ...said });
      yield* change(pace, undefined, (window) => [heardIn(window, said, now), undefined]);
    });

  const states = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis;
    const found = yield* Effect.promise(async () => {
      const names = await readdir(folder).catch(() => []);
      return Promise.all(names.filter((name) => name.endsWith(".json")).map((name) => read(join(folder, name))));
    });
    return found
      .flatMap((one) => (one === null ? [] : [stateOf(one.key, one.host, one.window, now)]))
      .sort((a, b) => (a.key < b.key ? -1 : 1));
  });

  return { turn, heard, states };
});

export const layer: Layer.Layer<HostLimits, never, Home | Locks | Log> = Layer.effect(HostLimits, make);
