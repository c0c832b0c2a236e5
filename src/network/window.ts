/** What is known of one host's limit. Times are milliseconds since the epoch. */
export interface Window {
  /** When requests of the last minute were sent, or are to be sent, oldest first. */
  readonly sent: ReadonlyArray<number>;
  readonly blockedUntil: number | null;
  readonly remaining: number | null;
  readonly limit: number | null;
  readonly resetAt: number | null;
  /** The clock when this was written; one that now shows less has been set back. */
  readonly seenAt: number | null;
}

export const emptyWindow: Window = {
  sent: [],
  blockedUntil: null,
  remaining: null,
  limit: null,
  resetAt: null,
  seenAt: null,
};

export const windowMs = 60_000;

/** A block further away than this is a wrong clock or a wrong answer, and is not believed. */
export const longestBlockMs = 24 * 60 * 60_000;

/** Clocks of several processes of one machine are one clock; this much only covers rounding. */
const clockToleranceMs = 1_000;

/** The window as it would be had the clock always shown what it shows now: all moments move with a clock set back. */
const onThisClock = (window: Window, now: number): Window => {
  const back = (window.seenAt ?? now) - now;
  if (back <= clockToleranceMs) return window;
  const moved = (at: number | null): number | null => (at === null ? null : at - back);
  return {
    ...window,
    sent: window.sent.map((at) => at - back),
    blockedUntil: moved(window.blockedUntil),
    resetAt: moved(window.resetAt),
    seenAt: now,
  };
};

/** Moments of the last minute and those that are still to come; none is further ahead than a believable block. */
const recent = (window: Window, now: number): ReadonlyArray<number> =>
  window.sent.filter((at) => at > now - windowMs && at <= now + 2 * longestBlockMs);

/** Until when nothing may be sent; `now` when that is over, or further ahead than is believed. */
export const blockedUntil = (given: Window, now: number): number => {
  const until = onThisClock(given, now).blockedUntil ?? now;
  return until - now > longestBlockMs ? now : Math.max(until, now);
};

/** The first moment, not before `now`, at which one more request keeps to `perMinute` in any 60 seconds and to a block. */
export const nextTurn = (given: Window, now: number, perMinute: number): number => {
  const window = onThisClock(given, now);
  const sent = [...recent(window, now)].sort((a, b) => a - b);
  const oldest = sent.length < perMinute ? now : (sent[sent.length - perMinute] ?? now) + windowMs;
  return Math.max(oldest, blockedUntil(window, now));
};

/** The window with a request at `at`, which `nextTurn` gave. */
export const taken = (given: Window, now: number, at: number): Window => {
  const window = onThisClock(given, now);
  return { ...window, sent: [...recent(window, now), at].sort((a, b) => a - b), seenAt: now };
};

/** The window after an answer: a later block wins over an earlier one, what was not said stays. */
export const heardIn = (
  given: Window,
  heard: {
    readonly blockedUntil?: number;
    readonly remaining?: number;
    readonly limit?: number;
    readonly resetAt?: number;
  },
  now: number,
): Window => {
  const window = onThisClock(given, now);
  const block =
    heard.blockedUntil === undefined ? window.blockedUntil : Math.max(heard.blockedUntil, window.blockedUntil ?? 0);
  return {
    sent: recent(window, now),
    blockedUntil: block !== null && (block <= now || block - now > longestBlockMs) ? null : block,
    remaining: heard.remaining ?? window.remaining,
    limit: heard.limit ?? window.limit,
    resetAt: heard.resetAt ?? window.resetAt,
    seenAt: now,
  };
};

const numbers = (value: unknown): value is ReadonlyArray<number> =>
  Array.isArray(value) && value.length <= 100_000 && value.every((one) => Number.isFinite(one));

const numberOrNull = (value: unknown): number | null => (Number.isFinite(value) ? (value as number) : null);

/** A window as its file has it; null for anything that is none. */
export const parseWindow = (
  text: string,
): { readonly key: string; readonly host: string; readonly window: Window } | null => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== "object" || value === null) return null;
  const { key, host, sent, blockedUntil, remaining, limit, resetAt, seenAt } = value as Readonly<
    Record<string, unknown>
  >;
  if (typeof key !== "string" || typeof host !== "string" || !numbers(sent)) return null;
  return {
    key,
    host,
    window: {
      sent,
      blockedUntil: numberOrNull(blockedUntil),
      remaining: numberOrNull(remaining),
      limit: numberOrNull(limit),
      resetAt: numberOrNull(resetAt),
      seenAt: numberOrNull(seenAt),
    },
  };
};
