import * as Either from "effect/Either";
import { describe, expect, it } from "vitest";
import { step } from "../../machines/step.ts";
import { type SyncContext, type SyncEvent, syncContext } from "../../machines/sync.ts";
import type { ActorSnapshot } from "../../src/queue/row.ts";
import { at } from "./support.ts";

interface Run {
  readonly snapshot: ActorSnapshot | undefined;
  readonly context: SyncContext;
}

const take = (run: Run, event: SyncEvent): Run =>
  Either.getOrThrowWith(step("sync", "sync:r1", run.snapshot, run.context, event), (error) => error);
const begin = (plan_only: boolean): Run =>
  take({ snapshot: undefined, context: syncContext("r1") }, { type: "START", at, plan_only });
const pending = (run: Run) => run.snapshot?.pending[0];
const done = (run: Run): Run => take(run, { type: "PHASE_DONE", at, command: pending(run)?.id ?? "" });

describe("a sync", () => {
  it("goes through its phases, one command each, to done", () => {
    let run = begin(false);
    const seen: Array<unknown> = [];
    while (pending(run) !== undefined) {
      seen.push(pending(run)?.params.phase);
      run = done(run);
    }
    expect(seen).toEqual(["discover", "plan", "work", "remind", "cleanup"]);
    expect(run.snapshot?.value).toBe("done");
    expect(run.context.completed_at).toBe(at);
  });

  it("ends after the plan when only the plan was asked for", () => {
    expect(done(done(begin(true))).snapshot?.value).toBe("done");
  });

  it("keeps the books of its steps; one that fails does not end the run", () => {
    const started = take(begin(false), { type: "STEP_STARTED", at, step: "pr-scan" });
    const ended = take(started, {
      type: "STEP_ENDED",
      at,
      step: "pr-scan",
      status: "warn",
      rc: 1,
      summary: "no token",
    });
    expect(started.context.steps[0]).toMatchObject({ name: "pr-scan", status: "running", started_at: at });
    expect(ended.context.steps[0]).toMatchObject({ status: "warn", rc: 1, summary: "no token", completed_at: at });
    expect(ended.context.steps.slice(1).every(({ status }) => status === "pending")).toBe(true);
    expect(ended.snapshot?.value).toBe("discover");
  });

  it("ends when a phase fails or it is interrupted, and leaves no step running", () => {
    const running = take(begin(false), { type: "STEP_STARTED", at, step: "pr-scan" });
    const failed = take(running, { type: "FAILED", at, command: pending(running)?.id ?? "", error: "disk full" });
    expect(failed).toMatchObject({ snapshot: { value: "failed", pending: [] }, context: { error: "disk full" } });
    const stopped = take(running, { type: "INTERRUPT", at });
    expect(stopped.snapshot).toMatchObject({ value: "interrupted", pending: [] });
    for (const { context } of [failed, stopped])
      expect(context.steps.some(({ status }) => status === "running")).toBe(false);
  });
});
