import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import * as Effect from "effect/Effect";
import { fileTime } from "../../src/time.ts";

/** What a claimer is given once: the row keeps only the token's hash (spec 2, "Review claim"). */
export interface ClaimSecret {
  readonly token: string;
  readonly token_hash: string;
}

/** SHA-256 of a claim's token, hex: the form that stands in the row. */
export const tokenHash = (token: string): string => createHash("sha256").update(token, "utf8").digest("hex");

/** A new token: 32 random bytes in hex. Not base64, whose every 64th text begins with a dash and reads like a flag. */
export const newClaimSecret: Effect.Effect<ClaimSecret> = Effect.sync(() => {
  const token = randomBytes(32).toString("hex");
  return { token, token_hash: tokenHash(token) };
});

/** A name for a review run that nobody gave one: readable time and 32 random bits. */
export const newRunId = (nowMs: number): Effect.Effect<string> =>
  Effect.sync(() => `review-${fileTime(nowMs)}-${randomBytes(4).toString("hex")}`);

/** True when the token is the one that the hash was made of. */
export const tokenMatches = (token: string | undefined, hash: string): boolean => {
  if (token === undefined) return false;
  const given = Buffer.from(tokenHash(token), "utf8");
  const stored = Buffer.from(hash, "utf8");
  return given.length === stored.length && timingSafeEqual(given, stored);
};
