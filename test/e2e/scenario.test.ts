import { describe, expect, it } from "vitest";
import { chapters } from "./scenario/chapters.ts";
import { transitionsOf } from "./scenario/mutants.ts";
import type { Transition } from "./support/world.ts";

const seen: Array<Transition> = [];

describe("the whole-CLI scenario", () => {
  for (const chapter of chapters) {
    it(chapter.name, { timeout: 300_000 }, async () => {
      const events = await chapter.run();
      expect(events.length).toBeGreaterThan(10);
      seen.push(...events);
    });
  }

  it("takes every transition of the preparation, base and sync machines", () => {
    const taken = new Set(seen.map((event) => `${event.machine}: ${event.from} ${event.event} ${event.to}`));
    const wanted = transitionsOf().map((one) => `${one.machine}: ${one.state} ${one.event} ${one.target}`);
    expect(wanted.length).toBeGreaterThan(80);
    expect(wanted.filter((one) => !taken.has(one))).toEqual([]);
  });
});
