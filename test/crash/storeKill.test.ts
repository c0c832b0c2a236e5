import type { ChildProcess } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import * as Effect from "effect/Effect";
import * as Either from "effect/Either";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { epochNotePath } from "../../effects/store/epochChain.ts";
import type { MechanismName } from "../../effects/store/lockMechanism.ts";
import { QueueStore } from "../../effects/store/QueueStore.ts";
import { decodeSealedQueue } from "../../src/queue/codec.ts";
import type { QueueFile } from "../../src/queue/row.ts";
import { bundleProgram, makeHome, readLedger, start, storeLayer, type TestHome, testRow } from "./storeHarness.ts";

const long = process.env.ADK_TEST_LONG === "1";
const series: ReadonlyArray<readonly [mechanism: MechanismName, kills: number]> = [
  ["fs-native-extensions", long ? 1_000 : 200],
  ["epoch-chain", long ? 300 : 30],
];
const writers = 4;
let program: Awaited<ReturnType<typeof bundleProgram>>;
let home: TestHome;

beforeAll(async () => {
  program = await bundleProgram("storeWriter.ts");
});
afterAll(() => program.remove());
beforeEach(() => {
  home = makeHome();
});
afterEach(() => home.remove());

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The pid that the lock's note names: it stands there from the moment the lock is got until it is given back. */
const namedHolder = (): number | null => {
  try {
    const pid = /"pid":(\d+)/.exec(readFileSync(epochNotePath(home.lock) ?? home.lock, "utf8"))?.[1];
    return pid === undefined ? null : Number(pid);
  } catch {
    // The epoch was freed between the two looks.
    return null;
  }
};

/** Stops a process and waits until the system says that it stands: it runs no instruction any more. */
const stop = async (child: ChildProcess): Promise<void> => {
  child.kill("SIGSTOP");
  while (/\) [^TtZX] /.test(readFileSync(`/proc/${child.pid}/stat`, "latin1"))) await pause(0);
};

/** Reads without any lock, as the TUI does, until `stop`; gives how often, and how often in vain. */
const readAlong = () => {
  const seen = { reads: 0, unreadable: 0, backwards: 0 };
  let rev = 0;
  const timer = setInterval(() => {
    const queue = decodeSealedQueue(readFileSync(home.queue))?.queue;
    seen.reads += 1;
    if (queue === undefined) seen.unreadable += 1;
    else {
      if (queue.rev < rev) seen.backwards += 1;
      rev = queue.rev;
    }
  }, 7);
  return { seen, rev: () => rev, stop: () => clearInterval(timer) };
};

type Writers = ReadonlyMap<number, ReturnType<typeof start>>;

/** A writer that stands inside the critical section: stopped first, so that it cannot leave before its end. */
const stoppedInside = async (running: Writers): Promise<number | null> => {
  for (let look = 0; look < 5_000; look += 1) {
    const holder = namedHolder();
    const found = [...running].find(([, { child }]) => child.pid === holder);
    if (found !== undefined) {
      const [writer, { child }] = found;
      await stop(child);
      if (namedHolder() === child.pid) return writer;
      child.kill("SIGCONT");
    }
    await pause(0);
  }
  return null;
};

/** Kills writers after every second change or so, nine of ten inside the lock, and starts each again. */
const killSeries = async (mechanism: MechanismName, kills: number, reader: ReturnType<typeof readAlong>) => {
  const launch = (writer: number) => start(program.path, [home.data, home.ledger, String(writer), "0", mechanism]);
  const running = new Map(Array.from({ length: writers }, (_, index) => [index + 1, launch(index + 1)]));
  let inside = 0;
  for (let count = 0; count < kills; count += 1) {
    const from = reader.rev();
    while (reader.rev() < from + 2) await pause(1 + Math.random() * 9);
    const proven = count % 10 < 9 ? await stoppedInside(running) : null;
    if (proven !== null) inside += 1;
    const writer = proven ?? 1 + (count % writers);
    const victim = running.get(writer);
    victim?.child.kill("SIGKILL");
    expect(await victim?.ended).toMatchObject({ signal: "SIGKILL", stderr: "" });
    running.set(writer, launch(writer));
  }
  for (const { child } of running.values()) child.kill("SIGKILL");
  await Promise.all([...running.values()].map(({ ended }) => ended));
  return inside;
};

/** Compares the queue with what the writers say they attempted and were acknowledged. */
const check = (queue: QueueFile) => {
  const lines = readLedger(home.ledger);
  const last = (writer: number, event: string): number =>
    Math.max(0, ...lines.filter((line) => line.writer === writer && line.event === event).map((line) => line.seq));
  const numbers = queue.prs.map((row) => row.pr_number);
  expect(new Set(numbers).size).toBe(numbers.length);
  for (let writer = 1; writer <= writers; writer += 1) {
    const counted = queue.prs.find((row) => row.pr_number === writer)?.prep_attempts ?? -1;
    expect(counted).toBeGreaterThanOrEqual(last(writer, "ack"));
    expect(counted).toBeLessThanOrEqual(last(writer, "attempt"));
    for (const { event, seq } of lines.filter((line) => line.writer === writer)) {
      const extra = writer * 1_000_000 + seq - (seq % 5);
      if (event === "ack" && seq % 5 === 2 && last(writer, "attempt") < seq + 2) expect(numbers).toContain(extra);
      if (event === "ack" && seq % 5 === 4) expect(numbers).not.toContain(extra);
    }
  }
  return lines.filter((line) => line.event === "ack").length;
};

describe.each(series)("SIGKILLs into four writers that lock with %s", (mechanism, kills) => {
  it(`lose no acknowledged change in ${kills}, show no reader a broken file, leave no temp behind`, {
    timeout: 1_800_000,
  }, async () => {
    const layer = storeLayer(home.data, mechanism);
    const change = (f: (queue: QueueFile) => QueueFile) =>
      Effect.runPromise(
        Effect.provide(
          Effect.flatMap(QueueStore, (store) =>
            store.transact((queue) => Either.right({ queue: f(queue), result: null })),
          ),
          layer,
        ),
      );
    await change((queue) => ({ ...queue, prs: Array.from({ length: 50 }, (_, index) => testRow(index + 1)) }));
    const reader = readAlong();
    const inside = await killSeries(mechanism, kills, reader);
    reader.stop();
    await change((queue) => ({ ...queue, prs: [...queue.prs, testRow(999)] }));

    const queue = await Effect.runPromise(
      Effect.provide(
        Effect.flatMap(QueueStore, (store) => store.read),
        layer,
      ),
    );
    const acked = check(queue);
    process.stdout.write(
      `store kills (${mechanism}): ${kills}, ${inside} inside the lock, ${acked} acknowledged, ${reader.seen.reads} reads\n`,
    );
    expect(acked).toBeGreaterThan(kills / 2);
    expect(inside / kills).toBeGreaterThan(0.6);
    expect(reader.seen).toMatchObject({ unreadable: 0, backwards: 0 });
    expect(reader.seen.reads).toBeGreaterThan(kills);
    expect(decodeSealedQueue(readFileSync(`${home.queue}.bak`))?.queue.rev).toBe(queue.rev - 1);
    expect(readdirSync(dirname(home.queue)).sort()).toEqual(["pr-queue.json5", "pr-queue.json5.bak"]);
    const epochs = home.lock.replace(/lock$/, "epochs");
    expect(existsSync(epochs) ? readdirSync(epochs).filter((name) => !/^e\d+(\.free)?$/.test(name)) : []).toEqual([]);
  });
});

describe("a writer that dies at its Nth file operation, for every N", () => {
  it("leaves the queue exactly old or exactly new, and nothing behind after the next write", {
    timeout: 120_000,
  }, async () => {
    const layer = storeLayer(home.data);
    const add = (number: number) =>
      Effect.runPromise(
        Effect.provide(
          Effect.flatMap(QueueStore, (store) =>
            store.transact((queue) =>
              Either.right({ queue: { ...queue, prs: [...queue.prs, testRow(number)] }, result: null }),
            ),
          ),
          layer,
        ),
      );
    await add(1);
    let deaths = 0;
    for (let n = 1; ; n += 1) {
      const before = decodeSealedQueue(readFileSync(home.queue))?.queue;
      const { code, signal, stderr } = await start(program.path, [home.data, home.ledger, "1", "1"], {
        ADK_FAULT: `*:${n}:kill`,
      }).ended;
      const after = decodeSealedQueue(readFileSync(home.queue))?.queue;
      expect(after).toBeDefined();
      if (after?.rev !== before?.rev) {
        expect(after?.rev).toBe((before?.rev ?? 0) + 1);
        expect(after?.prs[0]?.prep_attempts).toBe((before?.prs[0]?.prep_attempts ?? 0) + 1);
      } else expect(after).toEqual(before);
      if (signal === null) {
        expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
        break;
      }
      deaths += 1;
    }
    expect(deaths).toBeGreaterThan(10);
    await add(2);
    expect(readdirSync(dirname(home.queue)).sort()).toEqual(["pr-queue.json5", "pr-queue.json5.bak"]);
  });
});
