import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { bytesOf, type CliHome, cliHome } from "../cli/support/queueHome.ts";
import { clockShiftedBy } from "../crash/clockShift.ts";
import { bundleProgram, start } from "../crash/storeHarness.ts";
import { freshRow, readyRow } from "../effects/queue/support/rows.ts";

let home: CliHome;
beforeEach(() => {
  home = cliHome();
});
afterEach(() => home.remove());

const names = (): ReadonlyArray<string> => readdirSync(dirname(home.queue)).sort();
const setStatus = (status: string, env: NodeJS.ProcessEnv = {}) =>
  home.run(["pr-queue", "set-status", "acme/shop#1", status], env);

describe("a queue file that is broken", () => {
  const good = `{"schema_version":4,"rev":1,"prs":[${JSON.stringify(readyRow(1))}]}`;
  const row = JSON.stringify(readyRow(1));
  it.each([
    ["empty", ""],
    ["of zeros", "\0".repeat(4096)],
    ["cut in half", good.slice(0, good.length / 2)],
    ["in conflict", `<<<<<<< HEAD\n${good}\n=======\n${good}\n>>>>>>> theirs\n`],
    ["with a key twice", `{"schema_version":4,"rev":1,"prs":[],"prs":[${row}]}`],
    ["a list", `[${row}]`],
    ["with one PR in two rows", `{"schema_version":4,"rev":1,"prs":[${row},${row}]}`],
  ])("%s is named with its place by every verb, shown from the last-good copy, and never written", async (_, bad) => {
    home.write([readyRow(1)]);
    const copy = bytesOf(home.queue);
    writeFileSync(`${home.queue}.bak`, copy);
    writeFileSync(home.queue, bad);
    const [list, add, claim] = await Promise.all([
      home.json(["pr-queue", "list"]),
      home.run(["pr-queue", "add", "acme/shop#9"], { GITHUB_API_URL: "http://127.0.0.1:9" }),
      home.run(["pr-queue", "claim", "acme/shop#1"]),
    ]);
    expect(list.code).toBe(0);
    expect(list.stderr).toContain(`${home.queue}:`);
    expect(list.stderr).toMatch(/pr-queue\.json5:\d+:\d+/);
    expect(list.stderr).toContain(`${home.queue}.bak`);
    expect(list.body.prs.map(({ pr_number }: { pr_number: number }) => pr_number)).toEqual([1]);
    for (const refused of [add, claim]) {
      expect(refused.code).toBe(3);
      expect(refused.stderr).toMatch(/^error: .*pr-queue\.json5:\d+:\d+.* — .*pr-queue restore/);
    }
    expect(bytesOf(home.queue)).toEqual(Buffer.from(bad));
    expect(bytesOf(`${home.queue}.bak`)).toEqual(copy);
    const aside = names().filter((name) => name.includes(".corrupt-"));
    expect(aside.map((name) => readFileSync(join(dirname(home.queue), name), "utf8"))).toEqual([bad]);
  });
});

describe("a disk that is full", () => {
  it("leaves the old queue in place, exits not zero and is named with the file; what is written again is whole", async () => {
    home.write([readyRow(1)]);
    await setStatus("comments");
    for (const kind of ["ENOSPC", "EDQUOT", "EIO"]) {
      const before = bytesOf(home.queue);
      const failed = await setStatus("approved", { NODE_ENV: "test", ADK_FAULT: `write:1:${kind}` });
      // The first write of a call may be the lock's own note; the next ones are the queue's.
      const again =
        failed.code === 0 ? await setStatus("pending", { NODE_ENV: "test", ADK_FAULT: `write:2:${kind}` }) : failed;
      expect(again.code).not.toBe(0);
      expect(again.stderr).toContain("cannot write");
      expect(again.stderr).toContain(home.queue);
      if (kind !== "EIO") expect(again.stderr).toMatch(/disk (?:is )?full|quota/);
      if (failed.code !== 0) expect(bytesOf(home.queue)).toEqual(before);
    }
    const short = await setStatus("approved", { NODE_ENV: "test", ADK_FAULT: "write:2:short" });
    expect(short.code).toBe(0);
    expect((await home.json(["pr-queue", "show", "acme/shop#1"])).body.status).toBe("approved");
    expect(names()).toEqual(["pr-queue.json5", "pr-queue.json5.bak"]);
  });
});

describe("a queue file of another version", () => {
  it("that is newer is read, and refused by what writes, and not touched", async () => {
    const newer = `{"schema_version":99,"rev":5,"prs":[${JSON.stringify(readyRow(1))}],"later":true}`;
    mkdirSync(dirname(home.queue), { recursive: true });
    writeFileSync(home.queue, newer);
    expect((await home.json(["pr-queue", "list"])).body.counts.total).toBe(1);
    const refused = await setStatus("approved");
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain("99");
    expect(readFileSync(home.queue, "utf8")).toBe(newer);
    expect(names()).toEqual(["pr-queue.json5"]);
  });

  const older = (): string =>
    JSON.stringify({
      schema_version: 3,
      prs: [
        { pr_link: "https://github.com/acme/shop/pull/1", head_oid: "a".repeat(40), status: "declined", note: "mine" },
        { pr_link: "https://github.com/acme/shop/pull/2", status: "needs_fix" },
        { pr_link: "https://github.com/acme/shop/pull/3", status: "pending" },
      ],
    });

  it("that is older leaves no half-made copy of it behind, also when the next write comes a second later", async () => {
    mkdirSync(dirname(home.queue), { recursive: true });
    writeFileSync(home.queue, older());
    const temps = (): ReadonlyArray<string> => names().filter((name) => name.endsWith(".tmp"));
    const copies = (): ReadonlyArray<string> => temps().filter((name) => name.startsWith(".pr-queue.v3."));
    for (let n = 1; copies().length === 0; n += 1) {
      const killed = await setStatus("approved", { NODE_ENV: "test", ADK_FAULT: `*:${n}:kill` });
      expect(killed.signal).toBe("SIGKILL");
    }
    const next = await setStatus("approved", clockShiftedBy(5000));
    expect(next).toMatchObject({ code: 0, stderr: "" });
    expect(temps()).toEqual([]);
  });

  it("that is older converges to one state, wherever the first writes are killed; no row is dropped, the original is kept", async () => {
    mkdirSync(dirname(home.queue), { recursive: true });
    writeFileSync(home.queue, older());
    let deaths = 0;
    for (let n = 1; ; n += 1) {
      const { code, signal, stderr } = await setStatus("approved", { NODE_ENV: "test", ADK_FAULT: `*:${n}:kill` });
      const text = readFileSync(home.queue, "utf8");
      for (const number of [1, 2, 3]) expect(text).toContain(`acme/shop/pull/${number}"`);
      if (signal === null) {
        expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
        break;
      }
      deaths += 1;
      // Every death is followed by the same start, so that each step of the rewrite is met by an old file.
      if (!readFileSync(home.queue, "utf8").includes("pr_link")) {
        for (const name of names()) rmSync(join(dirname(home.queue), name));
        writeFileSync(home.queue, older());
      }
    }
    expect(deaths).toBeGreaterThan(10);
    const { body } = await home.json(["pr-queue", "list"]);
    expect(body.prs.map(({ status }: { status: string }) => status)).toEqual(["approved", "comments", "pending"]);
    expect(body.prs[0]).toMatchObject({ head_sha: "a".repeat(40), note: "mine" });
    const kept = names().filter((name) => !["pr-queue.json5", "pr-queue.json5.bak"].includes(name));
    // A copy may be there from a first write that was killed right after it.
    expect(kept.length).toBeGreaterThan(0);
    for (const name of kept) expect(readFileSync(join(dirname(home.queue), name), "utf8")).toBe(older());
    expect((await setStatus("pending")).code).toBe(0);
    const again = await home.json(["pr-queue", "list"]);
    expect(again.body.prs.map(({ status }: { status: string }) => status)).toEqual(["pending", "comments", "pending"]);
    expect(names().filter((name) => !["pr-queue.json5", "pr-queue.json5.bak"].includes(name))).toEqual(kept);
  });
});

describe("the temp file of a write", () => {
  it("has the writer's pid and a random part in its name, beside the queue, and is gone after the next write", async () => {
    home.write([readyRow(1), freshRow(2)]);
    await setStatus("comments");
    const byDeath: Array<ReadonlyArray<string>> = [];
    for (const status of ["approved", "pending"]) {
      const killed = await setStatus(status, { NODE_ENV: "test", ADK_FAULT: "rename:1:kill" });
      expect(killed.signal).toBe("SIGKILL");
      const earlier = byDeath.flat();
      byDeath.push(names().filter((name) => name.endsWith(".tmp") && !earlier.includes(name)));
    }
    const shape = /^\.pr-queue\.json5\.[0-9a-f]{8}-[0-9a-f]{8}-(\d+)-[0-9a-f]{8}-([0-9a-f]{8})\.tmp$/;
    const [first, second] = byDeath.map((temps) => temps.map((name) => shape.exec(name)));
    expect(first?.length).toBeGreaterThan(0);
    const pids = [first, second].map((found) => new Set(found?.map((match) => match?.[1])));
    expect(pids.map((set) => set.size)).toEqual([1, 1]);
    expect(pids[0]).not.toEqual(pids[1]);
    const all = [...(first ?? []), ...(second ?? [])].map((match) => match?.[2]);
    expect(all).not.toContain(undefined);
    expect(new Set(all).size).toBe(all.length);
    await setStatus("approved");
    expect(names()).toEqual(["pr-queue.json5", "pr-queue.json5.bak"]);
  });
});

describe("a writer that is stopped in the middle of a change", () => {
  let writer: Awaited<ReturnType<typeof bundleProgram>>;
  beforeAll(async () => {
    writer = await bundleProgram("storeWriter.ts");
  });
  afterAll(() => writer.remove());

  it("makes the next one wait, then say who is busy since when; both changes are there afterwards", {
    timeout: 120_000,
  }, async () => {
    home.write([readyRow(1), freshRow(2)]);
    const ledger = join(home.data, "ledger");
    mkdirSync(ledger);
    const { child, ended } = start(writer.path, [home.data, ledger, "2", "0"]);
    const lock = join(home.data, "locks", "queue.lock");
    const inside = (): boolean => existsSync(lock) && readFileSync(lock, "utf8").includes(`"pid":${child.pid}`);
    // Stopped at a moment when it holds the lock; released at once and tried again when it had just let go.
    for (;;) {
      while (!inside()) await new Promise((resolve) => setImmediate(resolve));
      child.kill("SIGSTOP");
      if (inside()) break;
      child.kill("SIGCONT");
    }
    const busy = await setStatus("approved");
    expect(busy.code).toBe(3);
    expect(busy.stderr).toMatch(
      new RegExp(`^error: queue busy: held by pid ${child.pid} .* since \\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ — `),
    );
    child.kill("SIGCONT");
    expect((await setStatus("approved")).code).toBe(0);
    child.kill("SIGKILL");
    expect(await ended).toMatchObject({ signal: "SIGKILL", stderr: "" });
    const { body } = await home.json(["pr-queue", "list"]);
    const [one, two] = body.prs;
    expect(one.status).toBe("approved");
    const acked = readFileSync(join(ledger, "2.ledger"), "utf8")
      .split("\n")
      .filter((line) => line.includes('"ack"')).length;
    expect(acked).toBeGreaterThan(0);
    expect(two.prep_attempts).toBeGreaterThanOrEqual(acked);
  });
});
