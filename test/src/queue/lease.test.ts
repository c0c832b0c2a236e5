import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type LeaseFacts, leaseState } from "../../../src/queue/lease.ts";
import type { BootMoment, Claim } from "../../../src/queue/row.ts";

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

describe("leaseState by the machine's running time", () => {
  const here: BootMoment = { host: "h", boot: "b", uptime_s: 100_000 };
  const shell = (beat?: BootMoment): Claim => ({
    ...claim,
    pid: null,
    start: null,
    ...(beat === undefined ? {} : { beat }),
  });
  const beatAgo = (seconds: number): BootMoment => ({ ...here, uptime_s: here.uptime_s - seconds });

  it("ends at exactly the maximum age, whatever the clock was set to meanwhile", () => {
    for (const seconds of [-86_400, 0, 86_400]) {
      const times = { taken_at: ago(seconds), last_heartbeat_at: ago(seconds), here };
      expect(state({ ...times, claim: shell(beatAgo(7199)) })).toBe("live");
      expect(state({ ...times, claim: shell(beatAgo(7200)) })).toBe("expired");
    }
  });

  it("never overrules what is known of the owner", () => {
    expect(state({ claim: shell(beatAgo(0)), here, ownerAlive: "dead" })).toBe("dead");
    expect(state({ claim: { ...claim, beat: beatAgo(90_000) }, here, ownerAlive: "alive" })).toBe("live");
  });

  const seconds = fc.integer({ min: -1e9, max: 1e9 });
  const clocks = fc.record({ taken: seconds, beaten: seconds });
  const byClock = (held: Claim, { taken, beaten }: { taken: number; beaten: number }, now?: BootMoment) =>
    state({
      claim: held,
      taken_at: ago(taken),
      last_heartbeat_at: ago(beaten),
      ...(now === undefined ? {} : { here: now }),
    });

  it("is one and the same for every clock while the same boot of the same machine asks", () => {
    fc.assert(
      fc.property(clocks, fc.nat(here.uptime_s), (times, age) => {
        expect(byClock(shell(beatAgo(age)), times, here)).toBe(age < 7200 ? "live" : "expired");
      }),
    );
  });

  it("has no say about a beat of another machine, of another boot, of this boot's future, or without one", () => {
    const foreign = fc.oneof(
      fc.record({ host: fc.constant("other"), boot: fc.constant("b"), uptime_s: fc.nat() }),
      fc.record({ host: fc.constant("h"), boot: fc.constant("other"), uptime_s: fc.nat() }),
      fc.record({
        host: fc.constant("h"),
        boot: fc.constant("b"),
        uptime_s: fc.integer({ min: here.uptime_s + 1, max: 2 ** 40 }),
      }),
      fc.constant(undefined),
    );
    fc.assert(
      fc.property(clocks, foreign, (times, beat) => {
        expect(byClock(shell(beat), times, here)).toBe(byClock(shell(), times));
      }),
    );
  });
});
