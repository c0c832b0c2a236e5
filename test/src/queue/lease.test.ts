import { describe, expect, it } from "vitest";
import { type LeaseFacts, leaseState } from "../../../src/queue/lease.ts";
import type { Claim } from "../../../src/queue/row.ts";

const now = Date.parse("2026-03-20T12:00:00Z");
const ago = (seconds: number): string => new Date(now - seconds * 1000).toISOString();
const claim: Claim = { run_id: "r", token_hash: "t", epoch: 1, host: "h", boot: "b", pid: 7, start: "1" };
const state = (change: Partial<LeaseFacts>) =>
  leaseState({
    claim,
    taken_at: ago(10),
    last_heartbeat_at: ago(10),
    now,
    maxAgeSeconds: 7200,
    ownerAlive: "unknown",
    ...change,
  });

describe("leaseState", () => {
  it("is free without a claim", () => {
    expect(state({ claim: null, taken_at: null, last_heartbeat_at: null })).toBe("free");
  });

  it("never takes a live owner's lease by age, and gives up a dead one's at once", () => {
    expect(state({ ownerAlive: "alive", taken_at: ago(1e7), last_heartbeat_at: ago(1e7) })).toBe("live");
    expect(state({ ownerAlive: "dead", last_heartbeat_at: ago(0) })).toBe("dead");
  });

  it("goes by the last heartbeat of an owner out of sight: expired at exactly the maximum age", () => {
    expect(state({ taken_at: ago(90_000), last_heartbeat_at: ago(7199) })).toBe("live");
    expect(state({ taken_at: ago(90_000), last_heartbeat_at: ago(7200) })).toBe("expired");
  });

  it("goes by the moment of the claim while there is no readable heartbeat", () => {
    expect(state({ last_heartbeat_at: null })).toBe("live");
    expect(state({ last_heartbeat_at: "yesterday", taken_at: ago(7200) })).toBe("expired");
  });

  it("is not freed by a clock set back, nor blocked by a time far ahead", () => {
    expect(state({ taken_at: ago(-3600), last_heartbeat_at: ago(-3600) })).toBe("live");
    expect(state({ taken_at: ago(-1e9), last_heartbeat_at: ago(-1e9) })).toBe("expired");
    expect(state({ taken_at: ago(10), last_heartbeat_at: ago(-1e9) })).toBe("live");
  });

  it("holds a row that an older program took without a claim by its time alone", () => {
    expect(state({ claim: null, last_heartbeat_at: null, ownerAlive: "dead" })).toBe("live");
    expect(state({ claim: null, last_heartbeat_at: null, taken_at: ago(7200) })).toBe("expired");
  });
});
