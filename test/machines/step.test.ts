import * as Either from "effect/Either";
import { describe, expect, it } from "vitest";
import { prepContext } from "../../machines/prep.ts";
import { step } from "../../machines/step.ts";
import type { ActorSnapshot } from "../../src/queue/row.ts";
import { at, context, dispatch, row } from "./support.ts";

const start = { type: "START", at, tier: 0, seed: { repo: "shop", branch: "main" }, rebuild: false } as const;
const prepared = {
  type: "PREPARED",
  at,
  command: "row:a:prep#1.0",
  head_sha: "h1",
  base_ref: "main",
  merge_base: "m1",
  used_base: null,
} as const;

describe("step", () => {
  it("issues commands as data under <actor>#<seq>.<i> and keeps them pending", () => {
    const result = Either.getOrThrow(step("prep", "row:a:prep", undefined, context, start));
    expect(result).toMatchObject({ from: "pending", to: "preparing", ignored: false });
    expect(result.issued).toEqual([
      {
        id: "row:a:prep#1.0",
        name: "cmd.prepare",
        params: {
          pr_url: row.pr_url,
          head_sha: "h1",
          target_branch: "main",
          seed: { repo: "shop", branch: "main" },
          rebuild: false,
          tier: 0,
        },
      },
    ]);
    expect(result.snapshot).toEqual({ version: 1, seq: 1, value: "preparing", pending: result.issued });
    expect(JSON.parse(JSON.stringify(result.snapshot))).toEqual(result.snapshot);
  });

  it("settles the command of a completion", () => {
    const started = dispatch("prep", "row:a:prep", undefined, context, start);
    const done = dispatch("prep", "row:a:prep", started.snapshot, started.context, prepared);
    expect(done.to).toBe("ready");
    expect(done.snapshot).toMatchObject({ seq: 2, pending: [] });
  });

  it("ignores the completion of a command that is no longer pending and changes nothing", () => {
    const started = dispatch("prep", "row:a:prep", undefined, context, start);
    const moved = dispatch("prep", "row:a:prep", started.snapshot, started.context, { type: "KEY_MOVED", at });
    const late = dispatch("prep", "row:a:prep", moved.snapshot, moved.context, prepared);
    expect(late).toMatchObject({ ignored: true, from: "pending", to: "pending", issued: [] });
    expect(late.snapshot).toBe(moved.snapshot);
    expect(late.context).toBe(moved.context);
  });

  it("refuses an event that the state does not accept with a typed error of exit code 2", () => {
    const refused = step("prep", "row:a:prep", undefined, context, { type: "REBUILD", at });
    expect(Either.isLeft(refused) && refused.left).toMatchObject({
      _tag: "IllegalEvent",
      exitCode: 2,
      state: "pending",
      event: "REBUILD",
      message: "row:a:prep is pending and does not accept REBUILD",
    });
  });

  it("stands where the row says when the actor was never stepped", () => {
    const ready = prepContext({ ...row, prep_status: "ready" });
    expect(dispatch("prep", "row:a:prep", undefined, ready, { type: "REBUILD", at }).from).toBe("ready");
  });

  it.each([
    ["a state that does not exist", { version: 1, seq: 3, value: "gone", pending: [] }],
    ["a name of Object.prototype", { version: 1, seq: 3, value: "constructor", pending: [] }],
    ["a newer version", { version: 2, seq: 3, value: "pending", pending: [] }],
    ["a version without a migration", { version: 0, seq: 3, value: "pending", pending: [] }],
    ["a seq that is not a number", { version: 1, seq: "3", value: "pending", pending: [] }],
    ["pending that is not a list", { version: 1, seq: 3, value: "pending", pending: {} }],
    ["a pending entry without id", { version: 1, seq: 3, value: "pending", pending: [null] }],
    ["null", null],
    ["text", "pending"],
  ])("says that a snapshot with %s cannot be read", (_what, stored) => {
    const result = step("prep", "row:a:prep", stored as unknown as ActorSnapshot, context, { type: "KEY_MOVED", at });
    expect(Either.isLeft(result) && result.left).toMatchObject({ _tag: "SnapshotUnreadable", exitCode: 3 });
  });
});
