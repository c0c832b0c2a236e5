import * as Either from "effect/Either";
import { describe, expect, it } from "vitest";
import { applyPrep, type PrepEvent, prepContext } from "../../machines/prep.ts";
import { step } from "../../machines/step.ts";
import type { QueueRow } from "../../src/queue/row.ts";
import { at, row } from "./support.ts";

const base = { repo: "shop", branch: "main" };
const start = { type: "START", at, tier: 1, seed: base, rebuild: false } as const;
const usedBase = { ...base, sha: "b1", created_by: "auto" } as const;

const dispatch = (from: QueueRow, event: PrepEvent) =>
  step("prep", "row:a:prep", from.actors.prep, prepContext(from), event);
const take = (from: QueueRow, event: PrepEvent): QueueRow => {
  const { context, snapshot } = Either.getOrThrowWith(dispatch(from, event), (error) => error);
  return applyPrep(from, context, snapshot);
};
const refuses = (from: QueueRow, event: PrepEvent): boolean => Either.isLeft(dispatch(from, event));
const command = (from: QueueRow): string => from.actors.prep?.pending[0]?.id ?? "";
const fail = (from: QueueRow): QueueRow =>
  take(from, { type: "FAILED", at, command: command(from), error: "no space" });

const waiting = take(row, { type: "NEEDS_BASE", at, base });
const preparing = take(waiting, start);
const prepared = (from: QueueRow) =>
  ({
    type: "PREPARED",
    at,
    command: command(from),
    head_sha: "h1",
    base_ref: "main",
    merge_base: "m1",
    used_base: usedBase,
  }) as const;
const ready = take(preparing, prepared(preparing));
const failed = fail(preparing);

describe("a preparation", () => {
  it("waits for its base, starts, and is ready with what it was prepared at", () => {
    expect(waiting).toMatchObject({ prep_status: "waiting_for_base", prep_started_at: null });
    expect(preparing).toMatchObject({ prep_status: "preparing", prep_started_at: at });
    expect(ready).toMatchObject({
      prep_status: "ready",
      prep_completed_at: at,
      prep_head_sha: "h1",
      prep_base_ref: "main",
      prep_merge_base: "m1",
      merge_base: "m1",
      prep_used_base: usedBase,
    });
  });

  it("that fails says why and counts the try", () => {
    expect(failed).toMatchObject({ prep_status: "failed", prep_error: "no space", prep_attempts: 1 });
    expect(failed.actors.prep?.pending).toEqual([]);
  });

  it("is tried three times by a sync, then only by hand, until its key moves", () => {
    let tired = failed;
    for (let i = 0; i < 2; i += 1) tired = fail(take(take(tired, { type: "RETRY", at, by: "sync" }), start));
    expect(tired.prep_attempts).toBe(3);
    expect(refuses(tired, { type: "RETRY", at, by: "sync" })).toBe(true);
    expect(take(tired, { type: "RETRY", at, by: "hand" }).prep_status).toBe("pending");
    expect(take(tired, { type: "KEY_MOVED", at })).toMatchObject({
      prep_status: "pending",
      prep_attempts: 0,
      prep_error: null,
    });
  });

  it("forgets its error once it is ready", () => {
    const again = take(take(failed, { type: "RETRY", at, by: "sync" }), start);
    expect(take(again, prepared(again))).toMatchObject({ prep_error: null, prep_attempts: 0 });
  });

  it.each(["INTERRUPTED", "KEY_MOVED", "PR_ENDED"] as const)("drops its command on %s", (type) => {
    const after = take(preparing, { type, at });
    expect(after.actors.prep?.pending).toEqual([]);
    expect(after.prep_status).toBe(type === "PR_ENDED" ? "skipped" : "pending");
    const late = Either.getOrThrow(dispatch(after, prepared(preparing)));
    expect(late.ignored).toBe(true);
  });

  it("keeps its tries through an interruption", () => {
    const again = take(take(failed, { type: "RETRY", at, by: "sync" }), start);
    expect(take(again, { type: "INTERRUPTED", at })).toMatchObject({ prep_attempts: 1, prep_started_at: null });
  });

  it("is skipped when the PR ends in any state but ready, and comes back when it is reopened", () => {
    for (const from of [row, waiting, preparing, failed]) {
      const skipped = take(from, { type: "PR_ENDED", at });
      expect(skipped.prep_status).toBe("skipped");
      expect(take(skipped, { type: "PR_REOPENED", at }).prep_status).toBe("pending");
    }
    const ended = take(ready, { type: "PR_ENDED", at });
    expect({ ...ended, actors: {} }).toEqual({ ...ready, actors: {} });
  });

  it("that is ready goes back to pending for a moved key or a rebuild", () => {
    expect(take(ready, { type: "KEY_MOVED", at }).prep_status).toBe("pending");
    expect(take(ready, { type: "REBUILD", at }).prep_status).toBe("pending");
    expect(refuses(ready, start)).toBe(true);
  });

  it("of a row written as preparing by another program can be put back", () => {
    expect(take({ ...row, prep_status: "preparing" }, { type: "INTERRUPTED", at }).prep_status).toBe("pending");
  });

  it("leaves every field alone that is not its own", () => {
    const known = { ...row, title: "t", node_id: "n", extra: 1 } as QueueRow;
    expect(take(known, start)).toMatchObject({ title: "t", node_id: "n", extra: 1, status: "pending" });
  });
});
