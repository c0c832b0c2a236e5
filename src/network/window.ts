/** What is known of one host's limit. Times are milliseconds since the epoch. */
export interface Window {
  /** When requests of the last minute were sent, or are to be sent, oldest first. */
  readonly sent: ReadonlyArray<number>;
  readonly blockedUntil: number | null;
  readonly remaining: number | null;
  readonly limit: number | null;
  readonly resetAt: number | null;
}

export const emptyWindow: Window = { sent: [], blockedUntil: null, remaining: null, limit: null, resetAt: null };

export const windowMs = 60_000;

/** A block further away than this is a wrong clock or a wrong answer, and is not believed. */
export const longestBlockMs = 24 * 60 * 60_000;

/** Moments of the last minute; those of a clock that has been set back since count as now. */
const recent = (window: Window, now: number): ReadonlyArray<number> =>
  window.sent.map((at) => (at > now + windowMs ? now : at)).filter((at) => at > now - windowMs);

const blockedUntil = (window: Window, now: number): number => {
  const until = window.blockedUntil ?? now;
  return until - now > longestBlockMs ? now : Math.max(until, now);
};

/** The first moment, not before `now`, at which one more request keeps to `perMinute` in any 60 seconds and to a block. */
export const nextTurn = (window: Window, now: number, perMinute: number): number => {
  const sent = [...recent(window, now)].sort((a, b) => a - b);
  const oldest = sent.length < perMinute ? now : (sent[sent.length - perMinute] ?? now) + windowMs;
  return Math.max(oldest, blockedUntil(window, now));
};

/** The window with a request at `at`, which `nextTurn` gave. */
export const taken = (window: Window, now: number, at: number): Window => ({
  ...window,
  sent: [...recent(window, now), at].sort((a, b) => a - b),
});

/** The window after an answer: a later block wins over an earlier one, what was not said stays. */
export const heardIn = (
  window: Window,
  heard: {
    readonly blockedUntil?: number;
    readonly remaining?: number;
    readonly limit?: number;
    readonly resetAt?: number;
  },
  now: number,
): Window => {
  const block =
    heard.blockedUntil === undefined ? window.blockedUntil : Math.max(heard.blockedUntil, window.blockedUntil ?? 0);
  return {
    sent: recent(window, now),
    blockedUntil: block !== null && (block <= now || block - now > longestBlockMs) ? null : block,
    remaining: heard.remaining ?? window.remaining,
    limit: heard.limit ?? window.limit,
    resetAt: heard.resetAt ?? window.resetAt,
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
  const { key, host, sent, blockedUntil, remaining, limit, resetAt } = value as Readonly<Record<string, unknown>>;
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
    },
  };
};
