import { describe, expect, it } from "vitest";
import { limitOf } from "../../../src/network/limitHeaders.ts";

const now = Date.parse("2026-11-30T12:00:00Z");
const reset = now / 1000 + 1800;
const said = (headers: Readonly<Record<string, string>>) => limitOf(new Headers(headers), now);
const left = (remaining: number, limit = 5000) =>
  said({ "x-ratelimit-limit": `${limit}`, "x-ratelimit-remaining": `${remaining}`, "x-ratelimit-reset": `${reset}` });

describe("what headers say of a limit", () => {
  it("is a wait for seconds or until a date, for the whole host", () => {
    expect(said({ "retry-after": "30" })).toEqual({ blockedUntil: now + 30_000, blocksHost: true });
    expect(said({ "retry-after": "Mon, 30 Nov 2026 12:05:00 GMT" })).toEqual({
      blockedUntil: now + 300_000,
      blocksHost: true,
    });
  });

  it("leaves two of a hundred requests to the person whose token it is", () => {
    expect(left(101)).toEqual({ remaining: 101, limit: 5000, resetAt: reset * 1000 });
    expect(left(100)).toEqual({ blockedUntil: reset * 1000, remaining: 100, limit: 5000, resetAt: reset * 1000 });
    expect(left(2, 60)).not.toHaveProperty("blockedUntil");
    expect(left(1, 60)).toMatchObject({ blockedUntil: reset * 1000 });
  });

  it.each([{}, { "retry-after": "soon" }, { "x-ratelimit-remaining": "-1" }, { "x-ratelimit-remaining": "0" }])(
    "is nothing to wait for in %j",
    (headers) => {
      expect(said(headers)).not.toHaveProperty("blockedUntil");
    },
  );
});
