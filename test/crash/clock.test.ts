import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { currentIdentity, startTimeOf } from "../../effects/proc/ProcessIdentity.ts";
import { bytesOf, type CliHome, cliHome } from "../cli/support/queueHome.ts";
import { readyRow } from "../effects/queue/support/rows.ts";
import { clockShiftedBy, day, runningLongerBy } from "./clockShift.ts";

const first = "acme/shop#1";
let home: CliHome;
let drivers: Array<ChildProcess> = [];
beforeEach(() => {
  home = cliHome();
  home.write([readyRow(1), readyRow(2)]);
});
afterEach(async () => {
  for (const driver of drivers) await end(driver);
  drivers = [];
  home.remove();
});

/** A process that could be driving a review, and the ADK_OWNER that names it. */
const startDriver = async () => {
  const child = spawn("sleep", ["600"], { stdio: "ignore" });
  drivers.push(child);
  await once(child, "spawn");
  return { child, ADK_OWNER: `${currentIdentity().boot}:${child.pid}:${startTimeOf(child.pid ?? 0)}` };
};

const end = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
};

const ask = (verb: string, env: NodeJS.ProcessEnv = {}, ...more: ReadonlyArray<string>) =>
  home.json(["pr-queue", verb, first, ...more], env);

describe("the clock that these tests shift", () => {
  it("is the one that adk stores times by", async () => {
    const claims = await Promise.all(
      [first, "acme/shop#2"].map((pr, index) =>
        home.json(["pr-queue", "claim", pr], clockShiftedBy(index === 0 ? day : -day)),
      ),
    );
    const [ahead, behind] = claims.map(({ body }) => (Date.parse(body.taken_at) - Date.now()) / day);
    expect(ahead).toBeCloseTo(1, 1);
    expect(behind).toBeCloseTo(-1, 1);
  });
});

describe.each([
  ["a day ahead", day],
  ["a day behind", -day],
])("a claim whose owner lives and a second asker whose clock is %s", (_, shift) => {
  it("has one holder, also when the owner stands still, until the owner is dead; then it is free at once", async () => {
    const driver = await startDriver();
    const mine = await ask("claim", { ADK_OWNER: driver.ADK_OWNER });
    expect(mine.code).toBe(0);
    const before = bytesOf(home.queue);
    driver.child.kill("SIGSTOP");
    const other = { ...clockShiftedBy(shift), ADK_OWNER: (await startDriver()).ADK_OWNER };
    const tries = [
      ask("claim", other),
      ask("claim", other, "--force"),
      ask("release", other),
      ask("set-status", other, "reviewed"),
    ];
    for (const { code, body } of await Promise.all(tries)) expect([code, body.error.tag]).toEqual([2, "ClaimHeld"]);
    expect(bytesOf(home.queue).equals(before)).toBe(true);
    driver.child.kill("SIGCONT");
    await end(driver.child);
    const next = await ask("claim", other);
    expect(next.code).toBe(0);
    expect(next.body.epoch).toBeGreaterThan(mine.body.epoch);
    const late = await ask("heartbeat", { ADK_CLAIM_TOKEN: mine.body.token, ADK_RUN_ID: mine.body.run_id });
    expect([late.code, late.body.error.tag]).toEqual([2, "ClaimLost"]);
  });
});

describe.each([
  ["the future", day],
  ["the past", -day],
])("a claim that was dated into %s by a wrong clock", (_, shift) => {
  it("blocks and is freed by its owner's life, not by its date", async () => {
    const driver = await startDriver();
    const mine = await ask("claim", { ...clockShiftedBy(shift), ADK_OWNER: driver.ADK_OWNER });
    expect(mine.code).toBe(0);
    const refused = await ask("claim");
    expect([refused.code, refused.body.error.tag]).toEqual([2, "ClaimHeld"]);
    // The heartbeat of a right clock goes back in time; the claim is the same.
    const token = { ADK_CLAIM_TOKEN: mine.body.token, ADK_RUN_ID: mine.body.run_id };
    expect((await ask("heartbeat", token)).code).toBe(0);
    expect((await ask("claim", clockShiftedBy(-shift))).body.error.tag).toBe("ClaimHeld");
    await end(driver.child);
    expect((await ask("claim")).body.epoch).toBeGreaterThan(mine.body.epoch);
  });
});

describe.each([day, -day])(
  "a claim of a person's shell, whose life nobody can watch, and a clock off by %d ms",
  (shift) => {
    const other = clockShiftedBy(shift);
    const refusedAll = async (env: NodeJS.ProcessEnv): Promise<void> => {
      const tries = [
        ask("claim", env),
        ask("claim", env, "--force"),
        ask("release", env),
        ask("set-status", env, "error"),
      ];
      for (const { code, body } of await Promise.all(tries)) expect([code, body.error.tag]).toEqual([2, "ClaimHeld"]);
    };

    it("is not freed by an asker with that clock", async () => {
      const mine = await ask("claim");
      const before = bytesOf(home.queue);
      await refusedAll(other);
      expect(bytesOf(home.queue).equals(before)).toBe(true);
      expect((await home.json(["pr-queue", "get-next", "--no-validate"], other)).body.pr_url).toMatch(/\/2$/);
      const shown = await ask("show", other);
      expect(shown.body.lock).toMatchObject({ held: true, run_id: mine.body.run_id });
      expect((await ask("heartbeat", { ADK_CLAIM_TOKEN: mine.body.token })).code).toBe(0);
    });

    it("made by that clock holds for everyone with a right one, and as long as any other", async () => {
      const mine = await ask("claim", other);
      await refusedAll({});
      await refusedAll(runningLongerBy(7100));
      const late = await ask("claim", runningLongerBy(7200));
      expect(late.code).toBe(0);
      expect(late.body.epoch).toBeGreaterThan(mine.body.epoch);
      const beat = await ask("heartbeat", { ADK_CLAIM_TOKEN: mine.body.token, ADK_RUN_ID: mine.body.run_id });
      expect([beat.code, beat.body.error.tag]).toEqual([2, "ClaimLost"]);
    });
  },
);
