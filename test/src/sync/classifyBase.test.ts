import { describe, expect, it } from "vitest";
import type { BranchMeta } from "../../../src/repo/repoMeta.ts";
import { classifyBase, tierAfterFailure } from "../../../src/sync/classifyBase.ts";
import type { BaseFacts } from "../../../src/sync/planTypes.ts";
import { base, daysAgo, now } from "./support.ts";

const classify = (facts: BaseFacts | undefined, tip: string | null = "new", rebuild = false) =>
  classifyBase(facts, { tip, now, maxStalenessDays: 7, rebuild });

describe("classifyBase", () => {
  it("is stale at exactly the maximum age when the tip has moved, fresh a second before", () => {
    expect(classify(base("main", { last_indexed_at: daysAgo(7) }))).toBe("stale-user");
    expect(classify(base("main", { last_indexed_at: daysAgo(7 - 1 / 86_400) }))).toBe("fresh-user");
  });

  it("is fresh however old at the tip, and goes by age alone when the tip cannot be asked", () => {
    const old = base("main", { last_indexed_at: daysAgo(400), created_by: "auto" });
    expect(classify(old, "tip")).toBe("fresh-auto");
    expect(classify(old, null)).toBe("stale-auto");
    expect(classify(base("main"), null)).toBe("fresh-user");
  });

  it("is stale with rebuild, whatever its age and tip", () => {
    expect(classify(base("main"), "tip", true)).toBe("stale-user");
  });

  it("takes an unreadable time for old and a future one for new", () => {
    expect(classify(base("main", { last_indexed_at: "soon" }))).toBe("stale-user");
    expect(classify(base("main", { last_indexed_at: daysAgo(-30) }))).toBe("fresh-user");
  });

  it.each<[string, BaseFacts | undefined]>([
    ["nothing", undefined],
    ["no meta", base("main", null)],
    ["a partial build", base("main", { last_indexed_sha: null })],
    ["an unreadable index", base("main", {}, { indexReadable: false })],
    ...(["missing", "building", "deleting"] as const).map((state): [string, BaseFacts] => [
      state,
      base("main", { state }),
    ]),
  ])("is missing for %s", (_what, facts) => {
    expect(classify(facts)).toBe("missing");
  });

  it.each<BranchMeta["state"]>(["failed", "expired", "stale", "refreshing"])(
    "goes by the index on disk in state %s",
    (state) => {
      expect(classify(base("main", { state }))).toBe("fresh-user");
    },
  );

  it("calls a complete index of another embedder foreign, with rebuild too", () => {
    expect(classify(base("main", {}, { foreign: true }), "tip", true)).toBe("foreign");
    expect(classify(base("main", { last_indexed_sha: null }, { foreign: true }))).toBe("missing");
  });
});

it("keeps seeding from a stale base whose refresh failed, and from no other", () => {
  expect(tierAfterFailure("stale-auto")).toBe(1);
  expect(tierAfterFailure("stale-user")).toBe(1);
  expect(tierAfterFailure("missing")).toBe(2);
  expect(tierAfterFailure("foreign")).toBe(2);
});
