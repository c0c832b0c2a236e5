import * as Effect from "effect/Effect";
import { expect, it } from "vitest";
import { newClaimSecret, tokenMatches } from "../../../effects/queue/claimToken.ts";

it("a claim's token can be given to any flag as it is, differs every time, and is known by its hash alone", () => {
  const secrets = Array.from({ length: 500 }, () => Effect.runSync(newClaimSecret));
  for (const { token, token_hash } of secrets) {
    expect(token).toMatch(/^[0-9a-f]{64}$/);
    expect(token_hash).not.toContain(token.slice(0, 12));
    expect(tokenMatches(token, token_hash)).toBe(true);
    expect(tokenMatches(`${token.slice(1)}0`, token_hash)).toBe(false);
  }
  expect(new Set(secrets.map(({ token }) => token)).size).toBe(500);
});
