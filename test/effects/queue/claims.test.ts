import { spawn } from "node:child_process";
import { it } from "@effect/vitest";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Either from "effect/Either";
import * as Layer from "effect/Layer";
import * as TestClock from "effect/TestClock";
import { describe, expect } from "vitest";
import { currentIdentity, startOf } from "../../../effects/proc/ProcessIdentity.ts";
import { Uptime } from "../../../effects/proc/Uptime.ts";
import type { ClaimCaller, ClaimProof } from "../../../effects/queue/claimRules.ts";
import { claim, heartbeat, release, setStatus } from "../../../effects/queue/claims.ts";
import { tokenHash } from "../../../effects/queue/claimToken.ts";
import { claimOwner } from "../../../effects/queue/owner.ts";
import { identityKey } from "../../../src/names.ts";
import { put, type QueueHome, queueHome, rowsNow } from "./support/queueHome.ts";
import { readyRow } from "./support/rows.ts";

const start = Date.parse("2026-01-02T00:00:00Z");
const maxAgeSeconds = 7200;
const self = currentIdentity();
const shell = { host: self.host, boot: self.boot, pid: null, start: null };
const caller = (proof: ClaimProof = {}, owner: ClaimCaller["owner"] = shell): ClaimCaller => ({
  proof,
  owner,
  maxAgeSeconds,
});
const key = identityKey(readyRow(1));
const claimIt = (proof: ClaimProof = {}, owner?: ClaimCaller["owner"], force = false) =>
  claim(key, caller(proof, owner), { force });

/** The machine's running time in these tests: as long as its clock has run, plus what it ran while the clock stood. */
let ranMore = 0;
const uptime = Layer.succeed(Uptime, {
  seconds: Effect.map(Clock.currentTimeMillis, (now) => 1_000_000 + ranMore + Math.floor((now - start) / 1000)),
});

/** Sets the clock, as a person or a time server does: no time passes. */
const setClock = (to: number) =>
  Effect.gen(function* () {
    ranMore -= (to - (yield* Clock.currentTimeMillis)) / 1000;
    yield* TestClock.setTime(to);
  });

/** A test over a queue with one prepared row, at a fixed time. */
const rule = (name: string, body: () => Effect.Effect<unknown, unknown, QueueHome>) =>
  it.effect(name, () =>
    Effect.gen(function* () {
      ranMore = 0;
      yield* TestClock.setTime(start);
      yield* put([readyRow(1)]);
      yield* body();
    }).pipe(Effect.provide(Layer.merge(queueHome(), uptime))),
  );

const row = Effect.map(rowsNow, (rows) => rows.get(1) ?? expect.fail("row 1 is gone"));

describe("claim", () => {
  rule("prints run, token, epoch and head; the row keeps the token's hash and goes in review", () =>
    Effect.gen(function* () {
      const claimed = yield* claimIt({ run_id: "run-a" });
      expect(claimed).toMatchObject({
        action: "claimed",
        pr_url: "https://github.com/acme/shop/pull/1",
        run_id: "run-a",
        epoch: 1,
        taken_at: "2026-01-02T00:00:00Z",
        status: "in_review",
        head_sha: readyRow(1).head_sha,
      });
      expect(Buffer.from(claimed.token, "hex")).toHaveLength(32);
      const stored = yield* row;
      expect(stored.claim?.token_hash).toBe(tokenHash(claimed.token));
      expect(JSON.stringify(stored)).not.toContain(claimed.token);
    }),
  );

  rule("is refused for a second shell on the same machine, and changes nothing", () =>
    Effect.gen(function* () {
      yield* claimIt();
      const before = yield* row;
      const second = yield* Effect.flip(claimIt());
      expect(second).toMatchObject({ _tag: "ClaimHeld", exitCode: 2 });
      expect(yield* row).toEqual(before);
    }),
  );

  rule("succeeds again with the token and keeps run, token and epoch", () =>
    Effect.gen(function* () {
      const first = yield* claimIt();
      yield* TestClock.adjust("1 minute");
      const again = yield* claimIt({ token: first.token });
      expect(again).toMatchObject({ run_id: first.run_id, token: first.token, epoch: first.epoch });
      expect((yield* row).last_heartbeat_at).toBe("2026-01-02T00:01:00Z");
    }),
  );

  rule("is lost for the right token under another run, and for a wrong token", () =>
    Effect.gen(function* () {
      const first = yield* claimIt({ run_id: "run-a" });
      expect((yield* Effect.flip(claimIt({ token: first.token, run_id: "run-b" })))._tag).toBe("ClaimLost");
      expect((yield* Effect.flip(claimIt({ token: "guess" })))._tag).toBe("ClaimHeld");
    }),
  );

  rule("names every rule that fails; force skips 1, 4 and 5 but never 2 or 3", () =>
    Effect.gen(function* () {
      const moved = { head_sha: "f".repeat(40) };
      yield* put([readyRow(1, { status: "merged", ...moved })]);
      const refused = yield* Effect.flip(claimIt());
      expect(refused).toMatchObject({ _tag: "NotEligible", exitCode: 2, rules: [1, 4] });
      const forced = yield* claimIt({}, shell, true);
      expect(forced.status).toBe("merged");
      expect((yield* Effect.flip(claimIt({}, shell, true)))._tag).toBe("ClaimHeld");
      yield* put([readyRow(1, { prep_status: "failed" })]);
      expect(yield* Effect.flip(claimIt({}, shell, true))).toMatchObject({ _tag: "NotEligible", rules: [3] });
    }),
  );

  rule(
    "of an unknown owner lasts its maximum age after the last heartbeat, then goes to the next with a higher epoch",
    () =>
      Effect.gen(function* () {
        const first = yield* claimIt();
        yield* TestClock.adjust("1 hour");
        yield* heartbeat(key, caller({ token: first.token }));
        yield* TestClock.adjust("119 minutes");
        expect((yield* Effect.flip(claimIt()))._tag).toBe("ClaimHeld");
        yield* TestClock.adjust("2 minutes");
        const next = yield* claimIt();
        expect(next.epoch).toBeGreaterThan(first.epoch);
        expect((yield* Effect.flip(heartbeat(key, caller({ token: first.token }))))._tag).toBe("ClaimLost");
      }),
  );

  rule("of a living process is never robbed by age; of a killed one it is taken over at once", () =>
    Effect.gen(function* () {
      const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
      const pid = child.pid ?? expect.fail("no child");
      const started = startOf(pid);
      if (started.kind !== "running") expect.fail("the child is not running");
      const owner = { ...shell, pid, start: started.start };
      const first = yield* claimIt({}, owner);
      yield* TestClock.adjust("30 days");
      expect((yield* Effect.flip(claimIt()))._tag).toBe("ClaimHeld");
      yield* Effect.promise(
        () => new Promise<void>((resolve) => child.once("exit", () => resolve()) && child.kill("SIGKILL")),
      );
      const next = yield* claimIt();
      expect(next.epoch).toBeGreaterThan(first.epoch);
    }),
  );

  rule("of a shell of an earlier boot of this machine is dead", () =>
    Effect.gen(function* () {
      yield* claimIt({}, { ...shell, boot: "an-earlier-boot" });
      expect((yield* claimIt()).action).toBe("claimed");
    }),
  );

  rule("of another host holds although no process of its pid runs here", () =>
    Effect.gen(function* () {
      yield* claimIt({}, { host: "elsewhere", boot: "b", pid: 4_000_000, start: "1" });
      expect((yield* Effect.flip(claimIt()))._tag).toBe("ClaimHeld");
    }),
  );

  rule("of a shell on this machine is neither freed nor kept by a clock that is set, however far", () =>
    Effect.gen(function* () {
      yield* claimIt();
      for (const days of [-30, -1, 1, 3650]) {
        yield* setClock(start + days * 86_400_000);
        expect((yield* Effect.flip(claimIt()))._tag).toBe("ClaimHeld");
        expect((yield* Effect.flip(release(key, caller(), { status: null, force: false })))._tag).toBe("ClaimHeld");
        expect((yield* Effect.flip(setStatus(key, caller(), "error")))._tag).toBe("ClaimHeld");
      }
      yield* setClock(start - 86_400_000);
      yield* TestClock.adjust("119 minutes");
      expect((yield* Effect.flip(claimIt()))._tag).toBe("ClaimHeld");
      yield* TestClock.adjust("1 minute");
      expect((yield* claimIt()).action).toBe("claimed");
    }),
  );

  rule("of a shell lasts from its last heartbeat or re-claim, also when the clock went back meanwhile", () =>
    Effect.gen(function* () {
      const { token } = yield* claimIt();
      const proof = { token };
      for (const again of [heartbeat(key, caller(proof)), claimIt(proof)]) {
        yield* setClock((yield* Clock.currentTimeMillis) - 86_400_000);
        yield* TestClock.adjust("119 minutes");
        yield* again;
      }
      yield* TestClock.adjust("119 minutes");
      expect((yield* Effect.flip(claimIt()))._tag).toBe("ClaimHeld");
      yield* TestClock.adjust("1 minute");
      expect((yield* claimIt()).action).toBe("claimed");
    }),
  );

  rule("records the machine, its boot and its running time, for a shell and for a driver", () =>
    Effect.gen(function* () {
      const here = { host: self.host, boot: self.boot };
      const { token } = yield* claimIt();
      expect((yield* row).claim).toMatchObject({ ...shell, beat: { ...here, uptime_s: 1_000_000 } });
      yield* TestClock.adjust("5 minutes");
      yield* heartbeat(key, caller({ token }));
      expect((yield* row).claim).toMatchObject({ ...shell, beat: { ...here, uptime_s: 1_000_300 } });
      yield* put([readyRow(1)]);
      yield* claimIt({}, { ...shell, pid: self.pid, start: self.start });
      expect((yield* row).claim?.beat).toEqual({ ...here, uptime_s: 1_000_300 });
    }),
  );

  rule("of an older program, without a running time, goes by the clock", () =>
    Effect.gen(function* () {
      yield* claimIt();
      const stored = yield* row;
      const { beat: _, ...old } = stored.claim ?? expect.fail("no claim");
      yield* put([{ ...stored, claim: old }]);
      yield* setClock(start - 3_600_000);
      expect((yield* Effect.flip(claimIt()))._tag).toBe("ClaimHeld");
      yield* setClock(start - 30 * 86_400_000);
      expect((yield* claimIt()).action).toBe("claimed");
    }),
  );
});

describe("heartbeat", () => {
  rule("is refused without the token, for another run, and on a free row", () =>
    Effect.gen(function* () {
      expect((yield* Effect.flip(heartbeat(key, caller())))._tag).toBe("ClaimLost");
      const { token } = yield* claimIt({ run_id: "run-a" });
      expect(yield* Effect.flip(heartbeat(key, caller()))).toMatchObject({ _tag: "ClaimHeld", exitCode: 2 });
      expect((yield* Effect.flip(heartbeat(key, caller({ token, run_id: "run-b" }))))._tag).toBe("ClaimLost");
      yield* TestClock.adjust("5 minutes");
      expect(yield* heartbeat(key, caller({ token, run_id: "run-a" }))).toEqual({
        action: "heartbeat",
        pr_url: "https://github.com/acme/shop/pull/1",
        status: "in_review",
        last_heartbeat_at: "2026-01-02T00:05:00Z",
      });
    }),
  );
});

describe("release", () => {
  const give = (proof: ClaimProof, status: "reviewed" | null = null, force = false) =>
    release(key, caller(proof), { status, force });

  rule("without a status puts the status from before the claim back", () =>
    Effect.gen(function* () {
      yield* put([readyRow(1, { status: "reminded" })]);
      const { token } = yield* claimIt();
      expect(yield* give({ token })).toMatchObject({ action: "released", status: "reminded", was_held: true });
      expect(yield* row).toMatchObject({
        claim: null,
        taken_at: null,
        last_heartbeat_at: null,
        last_reviewed_at: null,
      });
    }),
  );

  rule("with a verdict records the review key of the claim, not a head that moved meanwhile", () =>
    Effect.gen(function* () {
      const { token } = yield* claimIt();
      const claimed = yield* row;
      yield* put([{ ...claimed, head_sha: "f".repeat(40) }]);
      yield* give({ token }, "reviewed");
      expect(yield* row).toMatchObject({
        status: "reviewed",
        last_reviewed_at: "2026-01-02T00:00:00Z",
        last_reviewed_head_sha: readyRow(1).head_sha,
        last_reviewed_base_ref: "main",
        last_reviewed_merge_base: readyRow(1).merge_base,
      });
    }),
  );

  rule("of a free row succeeds and changes nothing", () =>
    Effect.gen(function* () {
      const before = yield* row;
      expect(yield* give({}, "reviewed")).toMatchObject({ action: "released", status: "pending", was_held: false });
      expect(yield* row).toEqual(before);
    }),
  );

  rule("needs the token on a live claim, and force without it", () =>
    Effect.gen(function* () {
      yield* claimIt();
      expect(yield* Effect.flip(give({}))).toMatchObject({ _tag: "ClaimHeld", exitCode: 2 });
      expect((yield* Effect.flip(give({ token: "guess" })))._tag).toBe("ClaimLost");
      expect(yield* give({}, null, true)).toMatchObject({ action: "released", was_held: true });
    }),
  );

  rule("never leaves merged", () =>
    Effect.gen(function* () {
      const { token } = yield* claimIt();
      yield* put([{ ...(yield* row), status: "merged" }]);
      expect(yield* give({ token }, "reviewed")).toMatchObject({ status: "merged" });
      expect((yield* row).claim).toBeNull();
    }),
  );

  rule("grows no epoch backwards: the next claim's epoch is above the released one's", () =>
    Effect.gen(function* () {
      const first = yield* claimIt();
      yield* give({ token: first.token });
      expect((yield* claimIt()).epoch).toBeGreaterThan(first.epoch);
    }),
  );
});

describe("a row of an older program, taken without a claim", () => {
  const taken = (taken_at: string) => put([readyRow(1, { taken_at, status: "in_review" })]);

  rule("holds until its time is too old, then is claimed", () =>
    Effect.gen(function* () {
      yield* taken("2026-01-01T23:30:00Z");
      expect((yield* Effect.flip(claimIt()))._tag).toBe("ClaimHeld");
      yield* taken("2026-01-01T20:00:00Z");
      expect((yield* claimIt()).action).toBe("claimed");
    }),
  );

  rule("is released by anyone once it is too old, before that by force", () =>
    Effect.gen(function* () {
      const give = (force: boolean) => release(key, caller(), { status: null, force });
      yield* taken("2026-01-01T23:30:00Z");
      expect((yield* Effect.flip(give(false)))._tag).toBe("ClaimHeld");
      expect(yield* give(true)).toMatchObject({ was_held: true, status: "pending" });
      expect((yield* row).taken_at).toBeNull();
      yield* taken("2026-01-01T20:00:00Z");
      expect(yield* give(false)).toMatchObject({ was_held: true });
    }),
  );
});

describe("setStatus", () => {
  rule("is free on a free row and needs the token under a live claim", () =>
    Effect.gen(function* () {
      expect(yield* setStatus(key, caller(), "comments")).toMatchObject({ action: "status_set", status: "comments" });
      const { token } = yield* claimIt();
      expect((yield* Effect.flip(setStatus(key, caller(), "error")))._tag).toBe("ClaimHeld");
      expect(yield* setStatus(key, caller({ token }), "error")).toMatchObject({ status: "error" });
    }),
  );

  rule("of a PR that is not in the queue is NotFound, exit 1", () =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip(setStatus("github:github.com/acme/shop#9", caller(), "error"));
      expect(refused).toMatchObject({ _tag: "NotFound", exitCode: 1 });
    }),
  );
});

describe("claimOwner", () => {
  it("is the driver of ADK_OWNER, whose start time may hold colons, else a shell of this machine", () => {
    expect(Either.getOrThrow(claimOwner({ ADK_OWNER: "boot-1:42:Mon Jan 5 10:00:00 2026" }))).toEqual({
      host: self.host,
      boot: "boot-1",
      pid: 42,
      start: "Mon Jan 5 10:00:00 2026",
    });
    expect(Either.getOrThrow(claimOwner({ ADK_OWNER: "" }))).toEqual(shell);
    for (const wrong of ["42", "a:b:c", "boot:0:1", "boot:12:", ":1:2"]) {
      expect(Either.isLeft(claimOwner({ ADK_OWNER: wrong })), wrong).toBe(true);
    }
  });
});
