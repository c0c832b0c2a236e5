import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { currentIdentity, startOf } from "../../effects/proc/ProcessIdentity.ts";
import { freshRow, readyRow } from "../effects/queue/support/rows.ts";
import { bytesOf, type CliHome, cliHome } from "./support/queueHome.ts";

let home: CliHome;
beforeEach(() => {
  home = cliHome();
});
afterEach(() => home.remove());

const first = "acme/shop#1";
const url = (n: number): string => `https://github.com/acme/shop/pull/${n}`;

describe("adk pr-queue get-next", () => {
  it("never hands one row to two of eight processes that ask at once", async () => {
    home.write(Array.from({ length: 6 }, (_, n) => readyRow(n + 1)));
    const asked = await Promise.all(
      Array.from({ length: 8 }, () => home.json(["pr-queue", "get-next", "--no-validate"])),
    );
    expect(asked.map((each) => each.code)).toEqual(Array(8).fill(0));
    const claimed = asked.filter((each) => each.body.action === "claimed");
    expect(claimed.map((each) => each.body.pr_url).sort()).toEqual([1, 2, 3, 4, 5, 6].map(url));
    expect(new Set(claimed.map((each) => each.body.token)).size).toBe(6);
    expect(asked.filter((each) => each.body.action === "queue_empty")).toHaveLength(2);
  });

  it("prints queue_empty and exits 0 on an empty queue", async () => {
    const { code, body } = await home.json(["pr-queue", "get-next"]);
    expect([code, body.action]).toEqual([0, "queue_empty"]);
  });
});

describe("adk pr-queue claim", () => {
  it("is refused in a second terminal, goes on with the token, and ends with release", async () => {
    home.write([readyRow(1)]);
    const mine = await home.json(["pr-queue", "claim", first]);
    expect(mine.code).toBe(0);
    expect(Object.keys(mine.body).sort()).toEqual(
      ["action", "epoch", "head_sha", "pr_url", "run_id", "status", "taken_at", "token"].sort(),
    );
    const before = bytesOf(home.queue);
    const second = await home.run(["pr-queue", "claim", first]);
    expect(second).toMatchObject({ code: 2, stdout: "" });
    expect(second.stderr).toMatch(/^error: https:\S+ is claimed by run review-\S+ since .+ — .+\n$/);
    expect(bytesOf(home.queue).equals(before)).toBe(true);

    const token = { ADK_CLAIM_TOKEN: mine.body.token, ADK_RUN_ID: mine.body.run_id };
    expect((await home.json(["pr-queue", "claim", first], token)).body.epoch).toBe(mine.body.epoch);
    expect((await home.run(["pr-queue", "heartbeat", first])).code).toBe(2);
    const beat = await home.json(["pr-queue", "heartbeat", first, "--token", mine.body.token]);
    expect([beat.code, beat.body.action, beat.body.pr_url]).toEqual([0, "heartbeat", url(1)]);

    expect((await home.run(["pr-queue", "set-status", first, "error"])).code).toBe(2);
    expect((await home.run(["pr-queue", "release", first, "--status", "reviewed"])).code).toBe(2);
    const lost = await home.json(["pr-queue", "release", first], { ...token, ADK_RUN_ID: "another" });
    expect([lost.code, lost.body.error.tag]).toEqual([2, "ClaimLost"]);

    const done = await home.json(["pr-queue", "release", first, "--status", "reviewed"], token);
    expect([done.code, done.body.status]).toEqual([0, "reviewed"]);
    expect((await home.json(["pr-queue", "release", first])).body).toMatchObject({
      was_held: false,
      status: "reviewed",
    });
    const refused = await home.json(["pr-queue", "claim", first]);
    expect([refused.code, refused.body.error.tag]).toEqual([2, "NotEligible"]);
    expect((await home.json(["pr-queue", "claim", first, "--force"])).body.epoch).toBeGreaterThan(mine.body.epoch);
  });

  it("never prints or stores the token a second time", async () => {
    home.write([readyRow(1)]);
    const { body } = await home.json(["pr-queue", "claim", first]);
    const shown = await home.run(["pr-queue", "show", first, "--json"]);
    expect(shown.stdout).not.toContain(body.token);
    expect(bytesOf(home.queue).toString()).not.toContain(body.token);
  });

  it("of a process that was killed is taken over at once, of a living one never", async () => {
    home.write([readyRow(1)]);
    const driver = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
    const started = startOf(driver.pid ?? 0);
    if (started.kind !== "running") expect.fail("the driver is not running");
    const ADK_OWNER = `${currentIdentity().boot}:${driver.pid}:${started.start}`;
    const mine = await home.json(["pr-queue", "claim", first], { ADK_OWNER });
    expect(mine.code).toBe(0);
    expect((await home.run(["pr-queue", "claim", first])).code).toBe(2);
    const exit = once(driver, "exit");
    driver.kill("SIGKILL");
    await exit;
    const next = await home.json(["pr-queue", "claim", first]);
    expect(next.code).toBe(0);
    expect(next.body.epoch).toBeGreaterThan(mine.body.epoch);
    const late = await home.json(["pr-queue", "heartbeat", first, "--token", mine.body.token]);
    expect([late.code, late.body.error.tag]).toEqual([2, "ClaimLost"]);
  });

  it("exits 2 for a row that is not eligible and for a malformed owner, 1 for a PR that is not there", async () => {
    home.write([freshRow(1)]);
    expect((await home.run(["pr-queue", "claim", first])).code).toBe(2);
    expect((await home.run(["pr-queue", "claim", first], { ADK_OWNER: "me" })).code).toBe(2);
    expect((await home.run(["pr-queue", "claim", "acme/shop#9"])).code).toBe(1);
  });
});

describe("adk pr-queue release --force", () => {
  it("asks before it ends someone else's live claim: without a terminal only -y does it", async () => {
    home.write([readyRow(1, { status: "reminded" })]);
    await home.run(["pr-queue", "claim", first]);
    const refused = await home.json(["pr-queue", "release", first, "--force"]);
    expect([refused.code, refused.body.error.tag]).toEqual([2, "Refused"]);
    const done = await home.json(["pr-queue", "release", first, "--force", "-y"]);
    expect([done.code, done.body.status, done.body.was_held]).toEqual([0, "reminded", true]);
  });

  it("asks nothing for a free row", async () => {
    home.write([readyRow(1)]);
    expect((await home.run(["pr-queue", "release", first, "--force"])).code).toBe(0);
  });
});

describe("under an agent", () => {
  it.each(["claim", "heartbeat", "release", "show"])("adk pr-queue %s exits 2 and changes nothing", async (verb) => {
    home.write([readyRow(1)]);
    const before = bytesOf(home.queue);
    expect((await home.run(["pr-queue", verb, first], { ADK_AGENT: "1" })).code).toBe(2);
    expect(bytesOf(home.queue).equals(before)).toBe(true);
  });
});
