import { createHash, randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as Clock from "effect/Clock";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import {
  blockedUntil,
  emptyWindow,
  heardIn,
  nextTurn,
  parseWindow,
  taken,
  type Window,
} from "../../src/network/window.ts";
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
  /** The block is for all keys of the host: GitHub's secondary limits are. Slack's Retry-After is for one method. */
  readonly blocksHost?: boolean;
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

/** What a file holds: null when there is none, "broken" when it is none of ours. */
const read = async (path: string): Promise<ReturnType<typeof parseWindow> | "broken"> => {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? null : "broken";
  }
  return parseWindow(text) ?? "broken";
};

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

/** After its reset nothing is known of what is left. */
const stateOf = (key: string, host: string, window: Window, now: number): LimitState => {
  const block = blockedUntil(window, now);
  const isOver = window.resetAt !== null && window.resetAt <= now;
  return {
    key,
    host,
    blocked_until: block > now ? formatTime(block) : null,
    remaining: isOver ? null : window.remaining,
    limit: window.limit,
    reset_at: window.resetAt === null || isOver ? null : formatTime(window.resetAt),
  };
};

const make = Effect.gen(function* () {
  const home = yield* Home;
  const locks = yield* Locks;
  const log = yield* Log;
  const folder = join(home.cache, "limits");

  /**
   * Changes one window under its lock, with the clock read there: times of all processes follow one another. A file that
   * cannot be used is a record in the log, and the change is lost.
   */
  const change = <A>(
    pace: Pick<Pace, "key" | "host">,
    fallback: A,
    update: (window: Window, now: number) => readonly [Window, A],
  ) => {
    const name = nameOf(pace.key);
    const path = join(folder, `${name}.json`);
    const work = (now: number) =>
      Effect.tryPromise(async () => {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        const found = await read(path);
        const before = found === null || found === "broken" ? emptyWindow : found.window;
        const [after, result] = update(before, now);
        if (after !== before) await write(path, JSON.stringify({ key: pace.key, host: pace.host, ...after }));
        return { result, isBroken: found === "broken" };
      });
    return locks
      .withLock(
        `limits-${name}`,
        { verb: "limits" },
        Effect.uninterruptible(Effect.flatMap(Clock.currentTimeMillis, work)),
      )
      .pipe(
        Effect.tap(({ isBroken }) => (isBroken ? log.record("limits_broken", { key: pace.key, path }) : Effect.void)),
        Effect.map(({ result }) => result),
        Effect.catchAll((error) => Effect.as(log.record("limits_unusable", { key: pace.key, error }), fallback)),
      );
  };

  type Reserved = { readonly at: number; readonly now: number; readonly granted: boolean } | null;

  /** Until when nothing at all may be sent to the host; read without a lock, a write of it is one rename. */
  const hostBlock = (host: string) =>
    Effect.promise(async () => {
      const found = await read(join(folder, `${nameOf(host)}.json`));
      return found === null || found === "broken" ? emptyWindow : found.window;
    });

  const reserve = (pace: Pace, hostWindow: Window) =>
    change<Reserved>(pace, null, (window, now) => {
      const at = Math.max(nextTurn(window, now, pace.perMinute), blockedUntil(hostWindow, now));
      const granted = at - now <= pace.maxWaitMs;
      return [granted ? taken(window, now, at) : window, { at, now, granted }];
    });

  const turn = (pace: Pace): Effect.Effect<void, RateLimited> =>
    Effect.gen(function* () {
      const started = yield* Clock.currentTimeMillis;
      let waited = 0;
      for (;;) {
        const left = { ...pace, maxWaitMs: Math.max(0, pace.maxWaitMs - waited) };
        const got = yield* reserve(left, yield* hostBlock(pace.host));
        if (got === null) return;
        const { at, now, granted } = got;
        if (!granted) {
          yield* log.record("limits_refused", { key: pace.key, until: formatTime(at) });
          return yield* limited(pace, at);
        }
        if (at <= now) return;
        yield* log.record("limits_wait", { key: pace.key, ms: at - now });
        yield* Effect.sleep(at - now);
        waited = Math.max(waited + (at - now), (yield* Clock.currentTimeMillis) - started);
        // Somebody may have heard a Retry-After meanwhile; then this turn is not one any more.
        const whole = yield* hostBlock(pace.host);
        const blocked = yield* change<boolean>(pace, false, (window, after) => [
          window,
          Math.max(blockedUntil(window, after), blockedUntil(whole, after)) > after,
        ]);
        if (!blocked) return;
      }
    });

  const heard = (pace: Pick<Pace, "key" | "host">, said: Heard) =>
    Effect.gen(function* () {
      if (Object.keys(said).length === 0) return;
      yield* log.record("limits_heard", { key: pace.key, ...said });
      yield* change(pace, undefined, (window, now) => [heardIn(window, said, now), undefined]);
      const { blockedUntil: until } = said;
      if (said.blocksHost !== true || until === undefined) return;
      yield* change({ key: pace.host, host: pace.host }, undefined, (window, now) => [
        heardIn(window, { blockedUntil: until }, now),
        undefined,
      ]);
    });

  return { turn, heard, states: limitStates(home) };
});

/** All that is known of limits in a data home; for callers that only look. */
const limitStates = (home: { readonly cache: string }): Effect.Effect<ReadonlyArray<LimitState>> =>
  Effect.gen(function* () {
    const folder = join(home.cache, "limits");
    const now = yield* Clock.currentTimeMillis;
    const found = yield* Effect.promise(async () => {
      const names = await readdir(folder).catch(() => []);
      return Promise.all(names.filter((name) => name.endsWith(".json")).map((name) => read(join(folder, name))));
    });
    return found
      .flatMap((one) => (one === null || one === "broken" ? [] : [stateOf(one.key, one.host, one.window, now)]))
      .sort((a, b) => (a.key < b.key ? -1 : 1));
  });

export const layer: Layer.Layer<HostLimits, never, Home | Locks | Log> = Layer.effect(HostLimits, make);
