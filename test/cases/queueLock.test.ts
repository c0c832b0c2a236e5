import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { bundleProgram, makeHome, printed, start, type TestHome } from "../crash/storeHarness.ts";

type Program = Awaited<ReturnType<typeof bundleProgram>>;

const rounds = process.env.ADK_TEST_LONG === "1" ? 300 : 5;
const contenders = 8;
let contender: Program;
let holder: Program;
let home: TestHome;
beforeAll(async () => {
  contender = await bundleProgram("../cases/support/lockContender.ts");
  holder = await bundleProgram("storeHolder.ts");
});
afterAll(() => {
  contender.remove();
  holder.remove();
});
beforeEach(() => {
  home = makeHome();
});
afterEach(() => home.remove());

/** A contender and the lines it prints, one after the other. */
const launch = (mechanism: string) => {
  const child: ChildProcess = spawn(process.execPath, [contender.path, home.data, mechanism], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, NODE_ENV: "test" },
  });
  if (child.stdout === null || child.stdin === null) throw new Error("no pipes");
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  return { go: () => child.stdin?.write("go\n"), end: () => child.stdin?.end(), line: () => lines.next(), ended };
};

describe.each(["fs-native-extensions", "epoch-chain"])("a lock by %s that a dead holder left", (mechanism) => {
  it(`goes to one of ${contenders} contenders at a time, over ${rounds} rounds, without an error`, {
    timeout: 600_000,
  }, async () => {
    const all = Array.from({ length: contenders }, () => launch(mechanism));
    for (const each of all) expect((await each.line()).value).toBe("up");
    let holds = 0;
    for (let round = 0; round < rounds; round += 1) {
      const { child, ended } = start(holder.path, [home.data, "queue", mechanism]);
      await printed(child, "held");
      for (const each of all) each.go();
      child.kill("SIGKILL");
      await ended;
      const lines = await Promise.all(all.map((each) => each.line()));
      const intervals = lines
        .map(({ value }) => String(value).split(" ").map(BigInt))
        .sort(([a = 0n], [b = 0n]) => (a < b ? -1 : 1));
      holds += intervals.length;
      intervals.reduce((end, [from = 0n, to = 0n]) => {
        expect(from).toBeGreaterThan(end);
        expect(to - from).toBeGreaterThanOrEqual(14_000_000n);
        return to;
      }, 0n);
    }
    expect(holds).toBe(rounds * contenders);
    for (const each of all) each.end();
    expect(await Promise.all(all.map((each) => each.ended))).toEqual(Array(contenders).fill(0));
  });
});
