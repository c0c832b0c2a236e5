import * as Either from "effect/Either";
import { describe, expect, it } from "vitest";
import { applyReview, type ReviewEvent, reviewContext } from "../../machines/review.ts";
import { step } from "../../machines/step.ts";
import type { QueueRow, Status } from "../../src/queue/row.ts";
import { at, row } from "./support.ts";

const later = "2026-03-04T06:00:00Z";
const claimer = { run_id: "r1", token_hash: "t1", host: "h", boot: "b", pid: null, start: null };
const claim = { type: "CLAIM", at, force: false, previous: "none", ...claimer } as const;
const other = { ...claim, at: later, run_id: "r2", token_hash: "t2" } as const;
const prepared: QueueRow = {
  ...row,
  prep_status: "ready",
  prep_head_sha: "h1",
  prep_base_ref: "main",
  prep_merge_base: "m1",
};

const take = (from: QueueRow, event: ReviewEvent): QueueRow => {
  const result = step("review", "row:a:review", from.actors.review, reviewContext(from), event);
  const { context, snapshot } = Either.getOrThrowWith(result, (error) => error);
  return applyReview(from, context, snapshot);
};
const refuses = (from: QueueRow, event: ReviewEvent): boolean =>
  Either.isLeft(step("review", "row:a:review", from.actors.review, reviewContext(from), event));
const state = (from: QueueRow) => from.actors.review?.value;
const release = (status: Status | null, change: object = {}) =>
  ({ type: "RELEASE", at: later, status, force: false, token_hash: "t1", ...change }) as const;

describe("a claim", () => {
  it("takes the row, marks it in_review and stores who holds it with a fence", () => {
    const held = take(prepared, claim);
    expect(held).toMatchObject({ status: "in_review", taken_at: at, last_heartbeat_at: at });
    expect(held.claim).toMatchObject({ ...claimer, epoch: 1 });
    expect(JSON.parse(JSON.stringify(held.claim))).toEqual(held.claim);
  });

  it("of a live owner is never taken by anyone else, force included", () => {
    const held = take(prepared, claim);
    expect(refuses(held, other)).toBe(true);
    expect(refuses(held, { ...other, force: true })).toBe(true);
    expect(refuses(held, { ...other, previous: "same_token" })).toBe(true);
  });

  it("made again with the token changes nothing but the heartbeat", () => {
    const held = take(prepared, claim);
    const again = take(take(held, { type: "POSTING", at }), {
      ...claim,
      at: later,
      previous: "same_token",
      run_id: "rX",
    });
    expect(again.claim).toEqual(held.claim);
    expect(again.last_heartbeat_at).toBe(later);
    expect(state(again)).toBe("posting");
  });

  it.each(["dead", "expired"] as const)("of a %s owner changes hands with a higher epoch", (previous) => {
    const held = take(take(prepared, claim), { type: "REVIEWING", at });
    for (const event of [{ ...other, previous }, { ...other, type: "TAKE_OVER", previous } as const]) {
      const taken = take(held, event);
      expect(taken.claim).toMatchObject({ run_id: "r2", token_hash: "t2" });
      expect(taken.claim?.epoch).toBeGreaterThan(held.claim?.epoch ?? 0);
      expect(state(taken)).toBe("claimed");
      expect(refuses(taken, { type: "HEARTBEAT", at, token_hash: "t1" })).toBe(true);
      expect(take(taken, release(null, { token_hash: "t2" })).status).toBe("pending");
    }
  });

  it("has a higher epoch than every claim before it, over releases too", () => {
    let now = prepared;
    let last = 0;
    for (let i = 0; i < 5; i += 1) {
      now = take(now, claim);
      expect(now.claim?.epoch).toBeGreaterThan(last);
      last = now.claim?.epoch ?? 0;
      now = take(now, release(null));
      expect(now.claim).toBeNull();
    }
  });

  it("keeps its fence when the snapshot is gone but the claim is there", () => {
    const held: QueueRow = { ...take(prepared, claim), actors: {} };
    const old: QueueRow = { ...held, claim: { ...claimer, epoch: 40 } };
    const taken = take(old, { ...other, previous: "dead" });
    expect(taken.claim?.epoch).toBeGreaterThan(40);
    const next = take(take(taken, release(null, { token_hash: "t2" })), claim);
    expect(next.claim?.epoch).toBeGreaterThan(taken.claim?.epoch ?? 0);
  });
});

describe("a heartbeat", () => {
  const beat = { host: "h", boot: "b", uptime_s: 60 };

  it("stores the running time of the machine that sent it, and leaves no older one behind", () => {
    const held = take(prepared, { ...claim, beat });
    expect(held.claim?.beat).toEqual(beat);
    const next = { ...beat, uptime_s: 90 };
    const kept = take(held, { type: "HEARTBEAT", at: later, token_hash: "t1", beat: next });
    expect(kept.claim).toEqual({ ...held.claim, beat: next });
    expect(take(kept, { ...claim, at: later, previous: "same_token", beat }).claim?.beat).toEqual(beat);
    expect(take(kept, { type: "HEARTBEAT", at: later, token_hash: "t1" }).claim).not.toHaveProperty("beat");
    expect(take(kept, { ...other, previous: "expired" }).claim).not.toHaveProperty("beat");
  });

  it("is its owner's alone", () => {
    const held = take(prepared, claim);
    expect(take(held, { type: "HEARTBEAT", at: later, token_hash: "t1" }).last_heartbeat_at).toBe(later);
    expect(refuses(held, { type: "HEARTBEAT", at: later, token_hash: "t2" })).toBe(true);
    expect(refuses(held, { type: "HEARTBEAT", at: later, token_hash: null })).toBe(true);
    expect(refuses(prepared, { type: "HEARTBEAT", at: later, token_hash: "t1" })).toBe(true);
  });
});

describe("a release", () => {
  it("without a status gives back the status before the claim", () => {
    const held = take({ ...prepared, status: "comments" }, claim);
    expect(take(held, release(null))).toMatchObject({
      status: "comments",
      claim: null,
      taken_at: null,
      last_heartbeat_at: null,
      last_reviewed_at: null,
    });
  });

  it("without a status keeps a status that was set meanwhile", () => {
    const held = take(take(prepared, claim), { type: "SET_STATUS", at, status: "error", token_hash: "t1" });
    expect(take(held, release(null)).status).toBe("error");
  });

  it.each(["reviewed", "comments", "approved"] as const)("as %s records the key that was claimed", (status) => {
    const held = take(prepared, claim);
    const moved: QueueRow = { ...held, head_sha: "h2", prep_head_sha: "h2", prep_merge_base: "m2" };
    expect(take(moved, release(status))).toMatchObject({
      status,
      last_reviewed_at: later,
      last_reviewed_head_sha: "h1",
      last_reviewed_base_ref: "main",
      last_reviewed_merge_base: "m1",
    });
  });

  it("as error or pending records no review", () => {
    expect(take(take(prepared, claim), release("error"))).toMatchObject({ status: "error", last_reviewed_at: null });
  });

  it("of a free row is accepted and changes nothing", () => {
    expect(take(prepared, release("approved"))).toMatchObject({
      status: "pending",
      claim: null,
      last_reviewed_at: null,
    });
  });

  it("of someone else's claim needs force", () => {
    const held = take(prepared, claim);
    expect(refuses(held, release(null, { token_hash: null }))).toBe(true);
    expect(take(held, release(null, { token_hash: null, force: true })).claim).toBeNull();
  });
});

describe("a merged row", () => {
  it("stays merged through claim and release", () => {
    const held = take({ ...prepared, status: "merged" }, { ...claim, force: true });
    expect(held.status).toBe("merged");
    expect(take(held, release("approved"))).toMatchObject({ status: "merged", last_reviewed_head_sha: "h1" });
  });

  it("that merged during its review stays merged at release", () => {
    const merged: QueueRow = { ...take(prepared, claim), status: "merged" };
    expect(take(merged, release(null)).status).toBe("merged");
  });
});

it("goes forward through the phases, any left out, and never back", () => {
  const posting = take(take(prepared, claim), { type: "POSTING", at, token_hash: "t1" });
  expect(refuses(posting, { type: "REVIEWING", at })).toBe(true);
  expect(refuses(posting, { type: "VALIDATING", at })).toBe(true);
  expect(state(take(posting, { type: "REPORTED", at }))).toBe("reported");
});
