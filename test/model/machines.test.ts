import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AnyStateMachine } from "xstate";
import { getShortestPaths, getSimplePaths } from "xstate/graph";
import { applyBase, type BaseEvent, baseContext } from "../../machines/base.ts";
import { applyPrep, type PrepEvent, prepContext } from "../../machines/prep.ts";
import { type MachineName, type MachineTypes, registry } from "../../machines/registry.ts";
import { type ReviewEvent, reviewContext } from "../../machines/review.ts";
import { preparedAtKey } from "../../src/queue/eligibility.ts";
import { at, meta, row } from "../machines/support.ts";
import { type Actor, brokenInvariants, pendingId, run } from "./paths.ts";

type Maker<Name extends MachineName> = (actor: Actor<Name>) => MachineTypes[Name]["event"];

const always =
  <Name extends MachineName>(event: MachineTypes[Name]["event"]): Maker<Name> =>
  () =>
    event;

const claimer = { host: "h", boot: "b", pid: 1, start: "s" };
const claim = (previous: "none" | "dead" | "expired" | "same_token", token: string): ReviewEvent => ({
  type: "CLAIM",
  at,
  force: false,
  previous,
  run_id: `run-${token}`,
  token_hash: token,
  ...claimer,
});

const prepEvents: ReadonlyArray<Maker<"prep">> = [
  always<"prep">({ type: "NEEDS_BASE", at, base: { repo: "shop", branch: "main" } }),
  always<"prep">({ type: "START", at, tier: 2, seed: null, rebuild: false }),
  (actor) => ({
    type: "PREPARED",
    at,
    command: pendingId(actor),
    head_sha: "h1",
    base_ref: "main",
    merge_base: "m1",
    used_base: null,
  }),
  (actor) => ({ type: "FAILED", at, command: pendingId(actor), error: "x" }),
  ...(["INTERRUPTED", "KEY_MOVED", "REBUILD", "PR_ENDED", "PR_REOPENED"] as const).map((type) =>
    always<"prep">({ type, at }),
  ),
  always<"prep">({ type: "RETRY", at, by: "sync" }),
  always<"prep">({ type: "RETRY", at, by: "hand" }),
];

const baseEvents: ReadonlyArray<Maker<"base">> = [
  always<"base">({ type: "BUILD", at, created_by: "auto", auto_reason: "shared by 2 PRs: #1, #2" }),
  always<"base">({ type: "BUILD", at, created_by: "user" }),
  always<"base">({ type: "REFRESH", at, rebuild: false }),
  (actor) => ({
    type: "BUILT",
    at,
    command: pendingId(actor),
    sha: "s",
    provider: "builtin",
    model: "m",
    dim: 256,
    chunker_version: 1,
    chunks: 10,
  }),
  (actor) => ({ type: "FAILED", at, command: pendingId(actor), error: "x" }),
  (actor) => ({ type: "DELETED", at, command: pendingId(actor) }),
  ...(["WENT_STALE", "INTERRUPTED", "USED", "EXPIRE", "DELETE", "KEEP", "PROMOTE", "LOST"] as const).map((type) =>
    always<"base">({ type, at }),
  ),
];

const reviewEvents: ReadonlyArray<Maker<"review">> = [
  always<"review">(claim("none", "t1")),
  always<"review">(claim("none", "t2")),
  always<"review">(claim("dead", "t2")),
  always<"review">(claim("expired", "t1")),
  always<"review">(claim("same_token", "t1")),
  always<"review">({ type: "TAKE_OVER", at, previous: "dead", run_id: "run-t3", token_hash: "t3", ...claimer }),
  ...(["t1", "t2"] as const).flatMap((token_hash) => [
    always<"review">({ type: "HEARTBEAT", at, token_hash }),
    always<"review">({ type: "RELEASE", at, status: "reviewed", force: false, token_hash }),
  ]),
  always<"review">({ type: "RELEASE", at, status: null, force: true, token_hash: null }),
  ...(["REVIEWING", "VALIDATING", "POSTING", "REPORTED"] as const).map((type) => always<"review">({ type, at })),
  always<"review">({ type: "SET_STATUS", at, status: "merged" }),
];

const first = {
  prep: { snapshot: undefined, context: prepContext(row) },
  base: { snapshot: undefined, context: baseContext(meta) },
  review: { snapshot: undefined, context: reviewContext({ ...row, prep_head_sha: "h1", prep_base_ref: "main" }) },
};
const actors = { prep: "row:a:prep", base: "base:shop:main", review: "row:a:review" };

const firstEvents = (events: ReadonlyArray<(actor: Actor<never>) => unknown>) =>
  events.map((make) => make({ snapshot: undefined, context: undefined as never })) as ReadonlyArray<{ type: string }>;

interface Walked {
  readonly value: unknown;
  readonly context: { readonly last_indexed_sha?: string | null };
}

/** What tells two places of a path apart: the state, and for a base whether it has an index, as guards ask for it. */
const nodeOf = ({ value, context }: Walked): string =>
  `${value} ${typeof context.last_indexed_sha === "string" ? "indexed" : ""}`;

/** Events that only change hands or origin: sequences cover them, paths over states would mix what guards see. */
const pathEvents = {
  prep: prepEvents,
  base: baseEvents.filter(
    (make) => !["PROMOTE", "user"].some((word) => JSON.stringify(make(first.base)).includes(word)),
  ),
  review: reviewEvents.filter((make) => !JSON.stringify(make(first.review)).match(/"t[23]"|same_token/)),
};

/** All paths of a machine by its own transitions. */
const paths = (
  find: typeof getSimplePaths,
  machine: AnyStateMachine,
  context: unknown,
  events: ReadonlyArray<object>,
) =>
  find(
    machine as never,
    {
      events: events as never,
      fromState: machine.resolveState({ value: Object.keys(machine.states)[0] ?? "", context }) as never,
      serializeState: (state: unknown) => nodeOf(state as Walked),
    } as never,
  ) as ReadonlyArray<{ state: { value: unknown }; steps: ReadonlyArray<{ event: { type: string } }> }>;

const kinds = ["prep", "base", "review"] as const;

describe.each(kinds)("every path of the %s machine", (name) => {
  const { machine, load } = registry[name];
  const context = (load as (context: unknown, facts: object) => unknown)(first[name].context, {
    actorId: actors[name],
    seq: 1,
  });
  const events = firstEvents(pathEvents[name] as never).filter((event) => event.type !== "xstate.init");
  const makers = pathEvents[name] as ReadonlyArray<Maker<typeof name>>;

  it("reaches every state", () => {
    const reached = paths(getShortestPaths, machine, context, events).map(({ state }) => String(state.value));
    expect([...new Set(reached)].sort()).toEqual(Object.keys(machine.states).sort());
  });

  it("replays through the persisted step to the same state, with every invariant", () => {
    const all = paths(getSimplePaths, machine, context, events);
    expect(all.length).toBeGreaterThan(Object.keys(machine.states).length);
    for (const path of all) {
      const walked = path.steps.map(({ event }) => event).filter(({ type }) => type !== "xstate.init");
      const script = walked.map(
        (event) => makers[events.findIndex((one) => JSON.stringify(one) === JSON.stringify(event))],
      );
      const seen = run(
        name,
        actors[name],
        first[name] as Actor<typeof name>,
        script as ReadonlyArray<Maker<typeof name>>,
      );
      expect(seen.map(({ result }) => result?.ignored)).toEqual(seen.map(() => false));
      expect(seen.at(-1)?.result?.to ?? Object.keys(machine.states)[0]).toBe(String(path.state.value));
      expect(brokenInvariants(seen)).toEqual([]);
    }
  });
});

const sequence = <Name extends MachineName>(events: ReadonlyArray<Maker<Name>>) =>
  fc.array(fc.constantFrom(...events), { maxLength: 60 });
const runs = { numRuns: 300 };

describe("any sequence of events", () => {
  it("keeps a preparation's invariants: ready means a prepared key, failed means an error and a try", () => {
    fc.assert(
      fc.property(sequence(prepEvents), (events) => {
        const seen = run("prep", actors.prep, first.prep, events);
        expect(brokenInvariants(seen)).toEqual([]);
        for (const { event, result } of seen) {
          if (result === null || result.ignored) continue;
          const after = applyPrep(row, result.context, result.snapshot);
          expect(after.prep_status).toBe(result.to);
          expect(result.snapshot.pending.length).toBe(result.to === "preparing" ? 1 : 0);
          if (result.to === "ready") {
            expect(preparedAtKey(after)).toBe(true);
            expect([after.prep_head_sha, after.prep_base_ref, after.prep_merge_base]).toEqual(["h1", "main", "m1"]);
            expect(after).toMatchObject({ prep_error: null, prep_attempts: 0 });
          }
          if (result.to === "failed") expect(after.prep_error).toBe("x");
          if ((event as PrepEvent).type === "RETRY" && "by" in event && event.by === "sync")
            expect(after.prep_attempts).toBeLessThan(3);
        }
      }),
      runs,
    );
  });

  it("keeps a base's invariants: fresh means an index, and a user base never turns auto, expires or is deleted", () => {
    fc.assert(
      fc.property(sequence(baseEvents), (events) => {
        const seen = run("base", actors.base, first.base, events);
        expect(brokenInvariants(seen)).toEqual([]);
        for (const { before, event, result } of seen) {
          if (result === null || result.ignored) continue;
          const after = applyBase(meta, result.context, result.snapshot);
          expect(after.state).toBe(result.to);
          if (["fresh", "stale", "refreshing"].includes(result.to)) expect(after.last_indexed_sha).toBe("s");
          if (result.to === "missing") expect(after.last_indexed_sha).toBeNull();
          if (before.context.created_by === "user") {
            expect(after.created_by).toBe("user");
            expect(["EXPIRE", "DELETE"]).not.toContain((event as BaseEvent).type);
          }
          if (after.created_by === "user") expect(after).not.toHaveProperty("auto_reason");
          for (const command of result.issued) expect(command.params).toMatchObject({ repo: "shop", branch: "main" });
        }
      }),
      runs,
    );
  });

  it("keeps a review's invariants: the epoch only grows, a claim stands exactly while it is not free", () => {
    fc.assert(
      fc.property(sequence(reviewEvents), (events) => {
        const seen = run("review", actors.review, first.review, events);
        expect(brokenInvariants(seen)).toEqual([]);
        let last = 0;
        for (const { before, result } of seen) {
          if (result === null) continue;
          const { claim: held, taken_at, status } = result.context;
          expect(held === null).toBe(result.to === "free");
          expect(taken_at === null).toBe(held === null);
          if (held !== null) {
            const kept = before.context.claim?.epoch === held.epoch;
            if (kept) expect(held.run_id).toBe(before.context.claim?.run_id);
            else expect(held.epoch).toBeGreaterThan(last);
            last = held.epoch;
          }
          if (before.context.status === "merged") expect(status).toBe("merged");
          if (result.to === "free") expect(status).not.toBe("in_review");
        }
      }),
      runs,
    );
  });
});
