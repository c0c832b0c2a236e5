/** What an answer's headers say of the host's limit; a part that they do not say is left out. Times in ms since the epoch. */
export interface SaidLimit {
  readonly blockedUntil?: number;
  /** The host asked to wait (`Retry-After`); a mere count that is used up only concerns what it counts. */
  readonly blocksHost?: true;
  readonly remaining?: number;
  readonly limit?: number;
  readonly resetAt?: number;
}

const count = (text: string | null): number | null => (text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null);

/** `Retry-After`: seconds or a date. */
const retryAfter = (text: string | null, now: number): number | null => {
  if (text === null) return null;
  if (/^\d{1,7}$/.test(text)) return now + Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : date;
};

/** Of every hundred requests that a host grants, so many are left to the person, whose token it is. */
const reservedPercent = 2;

/** How many of `limit` requests adk leaves to the person. */
export const reserveOf = (limit: number): number => Math.floor((limit * reservedPercent) / 100);

/**
 * Reads `Retry-After` and GitHub's `x-ratelimit-*`. With little left the host is not asked again before the reset,
 * also after an answer that was still given: the person's own tools go on working.
 */
export const limitOf = (headers: { readonly get: (name: string) => string | null }, now: number): SaidLimit => {
  const remaining = count(headers.get("x-ratelimit-remaining"));
  const limit = count(headers.get("x-ratelimit-limit"));
  const reset = /^\d{9,11}$/.test(headers.get("x-ratelimit-reset") ?? "")
    ? Number(headers.get("x-ratelimit-reset")) * 1000
    : null;
  const asked = retryAfter(headers.get("retry-after"), now);
  const reserve = reserveOf(limit ?? 0);
  const blockedUntil = asked ?? (remaining !== null && remaining <= reserve ? reset : null);
  return {
    ...(blockedUntil === null ? {} : { blockedUntil }),
    ...(asked === null ? {} : { blocksHost: true }),
    ...(remaining === null ? {} : { remaining }),
    ...(limit === null ? {} : { limit }),
    ...(reset === null ? {} : { resetAt: reset }),
  };
};
