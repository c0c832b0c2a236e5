import { describe, expect, it } from "vitest";
import { type DeadLink, noDeadLinks, rememberedLink, withLooks } from "../../../src/scan/deadLinks.ts";
import { formatTime } from "../../../src/time.ts";

const now = Date.parse("2026-03-01T12:00:00Z");
const hour = 3_600_000;
const link = (key: string, mentions: ReadonlyArray<string>, at = now, asked_as: string | null = "t1"): DeadLink => ({
  key,
  asked_as,
  looked_up_at: formatTime(at),
  why: "shows no such PR",
  mentions,
});
const none: ReadonlySet<string> = new Set();

describe("the memory of dead links", () => {
  const { memory, news } = withLooks(noDeadLinks, { dead: [link("a", ["m1", "m2"])], alive: none });

  it("spares a look for a day as long as no message is new", () => {
    expect([...news]).toEqual(["a"]);
    expect(rememberedLink(memory, link("a", ["m2"]), now + 23 * hour)?.why).toBe("shows no such PR");
    expect(rememberedLink(memory, link("a", ["m2", "m3"]), now + hour)).toBeNull();
    expect(rememberedLink(memory, link("b", ["m2"]), now + hour)).toBeNull();
    expect(rememberedLink(memory, link("a", ["m1"]), now + 24 * hour)).toBeNull();
    expect(rememberedLink(memory, link("a", ["m1"]), now - hour)).toBeNull();
  });

  it("has news only where a message was not known, and forgets what is alive", () => {
    const later = withLooks(memory, { dead: [link("a", ["m1"], now + 25 * hour)], alive: none });
    expect([...later.news]).toEqual([]);
    expect(later.memory.links).toEqual([{ ...link("a", ["m1", "m2"]), looked_up_at: formatTime(now + 25 * hour) }]);
    expect([...withLooks(memory, { dead: [link("a", ["m9"])], alive: none }).news]).toEqual(["a"]);
    for (const other of ["t2", null]) {
      expect(rememberedLink(memory, link("a", ["m1"], now, other), now + hour)).toBeNull();
      expect([...withLooks(memory, { dead: [link("a", ["m1"], now, other)], alive: none }).news]).toEqual(["a"]);
    }
    expect(withLooks(memory, { dead: [], alive: new Set(["a"]) }).memory.links).toEqual([]);
    expect(withLooks(memory, { dead: [], alive: new Set(["z"]) }).memory).toBe(memory);
  });

  it("is bounded: the links and mentions that were seen last stay", () => {
    const many = Array.from({ length: 2100 }, (_, at) => link(`k${at}`, [`m${at}`]));
    const full = withLooks(noDeadLinks, { dead: many, alive: none }).memory;
    expect(full.links).toHaveLength(2000);
    expect(full.links.at(-1)?.key).toBe("k2099");
    let grown = noDeadLinks;
    for (let at = 0; at < 80; at += 1) grown = withLooks(grown, { dead: [link("a", [`m${at}`])], alive: none }).memory;
    expect(grown.links[0]?.mentions).toHaveLength(50);
    expect(grown.links[0]?.mentions.at(-1)).toBe("m79");
  });
});
