import * as Effect from "effect/Effect";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lastingFacts } from "../../../effects/git/lastingFacts.ts";

/** Asks for `answer` and tells whether git would have been started. */
const asking = (facts: ReturnType<typeof lastingFacts<string>>, key: string, answer: string | null) => {
  let asked = false;
  const ask = Effect.sync(() => {
    asked = true;
    return answer;
  });
  return { answer: Effect.runSync(facts([key], ask)), asked };
};

const fresh = (maxSize: number) => lastingFacts<string>({ maxSize, sizeOf: (text) => text.length });

describe("a lasting fact", () => {
  it("is asked for once", () => {
    const facts = fresh(10);
    expect(asking(facts, "a", "one")).toEqual({ answer: "one", asked: true });
    expect(asking(facts, "a", "other")).toEqual({ answer: "one", asked: false });
  });

  it("is asked for again when it was not there, and when asking failed", () => {
    const facts = fresh(10);
    expect(asking(facts, "a", null)).toEqual({ answer: null, asked: true });
    expect(Effect.runSync(Effect.flip(facts(["a"], Effect.fail("no git"))))).toBe("no git");
    expect(asking(facts, "a", "one")).toEqual({ answer: "one", asked: true });
  });

  it("goes when it was not asked for longest and others need its place", () => {
    const facts = fresh(8);
    for (const key of ["a", "b"]) asking(facts, key, "four");
    asking(facts, "a", "four");
    asking(facts, "c", "four");
    expect(asking(facts, "a", "-").asked).toBe(false);
    expect(asking(facts, "c", "-").asked).toBe(false);
    expect(asking(facts, "b", "four").asked).toBe(true);
  });

  it("is not kept when it is larger than everything that may be kept", () => {
    const facts = fresh(3);
    asking(facts, "a", "four");
    expect(asking(facts, "a", "four").asked).toBe(true);
  });

  it("is always what was answered for that key, whatever else is asked", () => {
    const calls = fc.array(fc.constantFrom("a", "b", "c", "d"));
    fc.assert(
      fc.property(calls, (all) => {
        const facts = fresh(8);
        for (const key of all) expect(asking(facts, key, key.repeat(3)).answer).toBe(key.repeat(3));
      }),
    );
  });
});
