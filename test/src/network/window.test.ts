import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  blockedUntil,
  emptyWindow,
  heardIn,
  longestBlockMs,
  nextTurn,
  parseWindow,
  taken,
  type Window,
  windowMs,
} from "../../../src/network/window.ts";

const step = fc.oneof(
  fc.record({ kind: fc.constant("turn" as const), maxWaitMs: fc.constantFrom(0, 1_000, 60_000, 10_000_000) }),
  fc.record({ kind: fc.constant("wait" as const), ms: fc.integer({ min: 0, max: 90_000 }) }),
  fc.record({ kind: fc.constant("block" as const), ms: fc.integer({ min: -60_000, max: 2 * longestBlockMs }) }),
);

describe("a window of a host's limit", () => {
  it("never gives more turns than the pace in any 60 seconds, nor one during a block, in any order of things", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), fc.array(step, { maxLength: 60 }), (perMinute, steps) => {
        let window: Window = emptyWindow;
        let now = 1_800_000_000_000;
        const turns: Array<number> = [];
        for (const one of steps) {
          if (one.kind === "wait") now += one.ms;
          else if (one.kind === "block") window = heardIn(window, { blockedUntil: now + one.ms }, now);
          else {
            const at = nextTurn(window, now, perMinute);
            expect(at).toBeGreaterThanOrEqual(blockedUntil(window, now));
            expect(at).toBeGreaterThanOrEqual(now);
            if (at - now > one.maxWaitMs) continue;
            window =
              parseWindow(JSON.stringify({ key: "k", host: "h", ...taken(window, now, at) }))?.window ?? emptyWindow;
            turns.push(at);
          }
        }
        turns.sort((a, b) => a - b);
        turns.forEach((at, i) => {
          const later = turns[i + perMinute];
          if (later !== undefined) expect(later - at).toBeGreaterThanOrEqual(windowMs);
        });
      }),
      { numRuns: 500 },
    );
  });

  it("believes no block of more than a day, and keeps the later of two", () => {
    const now = 1_800_000_000_000;
    expect(heardIn(emptyWindow, { blockedUntil: now + longestBlockMs + 1 }, now).blockedUntil).toBeNull();
    const first = heardIn(emptyWindow, { blockedUntil: now + 5_000 }, now);
    expect(heardIn(first, { blockedUntil: now + 1_000 }, now).blockedUntil).toBe(now + 5_000);
    expect(heardIn(first, { remaining: 3 }, now)).toMatchObject({ blockedUntil: now + 5_000, remaining: 3 });
    expect(heardIn(first, {}, now + 5_000).blockedUntil).toBeNull();
  });

  it("moves with a clock that is set back: what was to wait waits as long as before, and no longer", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2_000, max: 10 ** 12 }),
        fc.integer({ min: 0, max: longestBlockMs }),
        (back, ms) => {
          const now = 1_800_000_000_000;
          const window = heardIn(taken(emptyWindow, now, now), { blockedUntil: now + ms }, now);
          expect(nextTurn(window, now - back, 1) - (now - back)).toBe(nextTurn(window, now, 1) - now);
        },
      ),
    );
  });

  it("reads back what it wrote and nothing else", () => {
    const window = { ...emptyWindow, sent: [1, 2], blockedUntil: 5, seenAt: 2 };
    expect(parseWindow(JSON.stringify({ key: "k", host: "h", ...window }))).toEqual({ key: "k", host: "h", window });
    for (const text of ["", "null", "3", "{}", '{"key":"k","host":"h","sent":[null]}', '{"key":"k","host":"h"}'])
      expect(parseWindow(text)).toBeNull();
  });
});
