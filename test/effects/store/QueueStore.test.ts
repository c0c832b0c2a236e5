import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as Effect from "effect/Effect";
import * as Either from "effect/Either";
import * as Exit from "effect/Exit";
import * as Fiber from "effect/Fiber";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Locks } from "../../../effects/store/Locks.ts";
import { type QueueChange, QueueStore } from "../../../effects/store/QueueStore.ts";
import type { QueueRow } from "../../../src/queue/row.ts";
import { makeHome, storeLayer, type TestHome, testRow } from "../../crash/storeHarness.ts";

let home: TestHome;
beforeEach(() => {
  home = makeHome();
});
afterEach(() => home.remove());

const run = <A, E>(effect: Effect.Effect<A, E, QueueStore | Locks>, queue?: string): Promise<A> =>
  Effect.runPromise(Effect.provide(effect, storeLayer(home.data, null, queue)));

const transact = <A, E>(change: QueueChange<A, E>) => Effect.flatMap(QueueStore, (store) => store.transact(change));
const read = Effect.flatMap(QueueStore, (store) => store.read);
const add = (number: number, fields: Partial<QueueRow> = {}) =>
  transact((queue) =>
    Either.right({ queue: { ...queue, prs: [...queue.prs, testRow(number, fields)] }, result: number }),
  );

const put = (text: string): void => {
  mkdirSync(dirname(home.queue), { recursive: true });
  writeFileSync(home.queue, text);
};
const config = (): ReadonlyArray<string> => readdirSync(dirname(home.queue)).sort();

describe("transact", () => {
  it("starts from an empty queue when there is no file, and counts rev", async () => {
    expect(await run(read)).toEqual({ schema_version: 4, rev: 0, prs: [] });
    await run(Effect.zipRight(add(1), add(2)));
    expect(await run(read)).toMatchObject({ rev: 2, prs: [{ pr_number: 1 }, { pr_number: 2 }] });
  });

  it("writes nothing when the change gives the very queue back", async () => {
    await run(add(1));
    const before = statSync(home.queue);
    expect(await run(transact((queue) => Either.right({ queue, result: queue.rev })))).toBe(1);
    expect(statSync(home.queue).ino).toBe(before.ino);
  });

  it("joins what meets into one write, in order; one that fails or throws changes nothing for the others", async () => {
    const outcomes = await run(
      Effect.forEach(
        [
          Effect.exit(add(1)),
          Effect.exit(transact(() => Either.left("no"))),
          Effect.exit(
            transact(() => {
              throw new Error("broken");
            }),
          ),
          Effect.exit(add(2)),
          Effect.exit(transact((queue) => Either.right({ queue, result: queue.prs.length }))),
        ],
        (one) => one,
        { concurrency: "unbounded" },
      ),
    );
    expect(outcomes[0]).toEqual(Exit.succeed(1));
    expect(outcomes[1]).toEqual(Exit.fail("no"));
    expect(String(outcomes[2])).toMatch(/Die/);
    expect(outcomes[4]).toEqual(Exit.succeed(2));
    expect(await run(read)).toMatchObject({ rev: 1, prs: [{ pr_number: 1 }, { pr_number: 2 }] });
  });

  it("can be interrupted while it waits for the lock, and then changes nothing", async () => {
    await run(
      Effect.scoped(
        Effect.gen(function* () {
          const locks = yield* Locks;
          yield* locks.acquire("queue", { verb: "adk other" });
          const fiber = yield* Effect.fork(add(1));
          yield* Effect.yieldNow();
          yield* Fiber.interrupt(fiber);
        }),
      ),
    );
    expect((await run(read)).prs).toEqual([]);
    await run(add(2));
    expect((await run(read)).prs).toHaveLength(1);
  });

  it("keeps the file it replaces as .bak, and unknown fields at every level", async () => {
    await run(add(1, { slack: JSON.parse('{"channel_id":"C","thread_ts":"1","message_ts":"2","x":{"y":1}}') }));
    await run(add(2));
    expect(config()).toEqual(["pr-queue.json5", "pr-queue.json5.bak"]);
    expect(readFileSync(`${home.queue}.bak`, "utf8")).toContain('"rev":1,');
    expect(readFileSync(home.queue, "utf8")).toContain('"x":{"y":1}');
  });

  it("keeps the original of an older file for good, once", async () => {
    const old =
      '{ "filters": null, "prs": [{"pr_link": "https://github.com/acme/shop/pull/7", "status": "declined"}] }';
    put(old);
    await run(add(8));
    await run(add(9));
    const kept = config().filter((name) => /^pr-queue\.v3\.\d{8}T\d{6}Z\.json5$/.test(name));
    expect(kept).toHaveLength(1);
    expect(readFileSync(join(dirname(home.queue), kept[0] ?? ""), "utf8")).toBe(old);
    expect((await run(read)).prs.map((row) => [row.pr_number, row.status])).toEqual([
      [7, "closed"],
      [8, "pending"],
      [9, "pending"],
    ]);
  });

  it("refuses a newer file and leaves it alone, which reading does not refuse", async () => {
    const newer = '{"schema_version":99,"rev":5,"prs":[]}';
    put(newer);
    expect((await run(read)).schema_version).toBe(99);
    expect(await run(Effect.flip(add(1)))).toMatchObject({ _tag: "QueueReadOnly", exitCode: 3, schemaVersion: 99 });
    expect(readFileSync(home.queue, "utf8")).toBe(newer);
  });
});

describe("a broken file", () => {
  const broken = '// x\n{"schema_version": 4, "prs": [\n{"pr_url": nonsense}\n]}\n';

  it("is named with place, text and last-good copy, copied aside once, and never written over", async () => {
    await run(Effect.zipRight(add(1), add(2)));
    writeFileSync(home.queue, broken);
    for (const verb of [read, add(3), read]) {
      const error = await run(Effect.flip(verb as Effect.Effect<unknown, { readonly message: string }, QueueStore>));
      expect(error).toMatchObject({
        _tag: "QueueUnreadable",
        exitCode: 3,
        line: 3,
        column: 13,
        lastGood: `${home.queue}.bak`,
        message: expect.stringContaining(`${home.queue}:3:13`),
      });
      expect(error.message).toContain("nonsense");
    }
    expect(readFileSync(home.queue, "utf8")).toBe(broken);
    const copies = config().filter((name) => /^pr-queue\.json5\.corrupt-\d{8}T\d{6}Z-[0-9a-f]{8}$/.test(name));
    expect(copies).toHaveLength(1);
    expect(readFileSync(join(dirname(home.queue), copies[0] ?? ""), "utf8")).toBe(broken);
  });

  it("is shown from the last-good copy under a banner", async () => {
    await run(Effect.zipRight(add(1), add(2)));
    writeFileSync(home.queue, broken);
    const shown = await run(Effect.flatMap(QueueStore, (store) => store.readOrLastGood));
    expect(shown.queue.prs.map((row) => row.pr_number)).toEqual([1]);
    expect(shown.banner).toMatch(/showing the last-good copy/);
  });

  it("is replaced only by restore, which keeps it aside and says where", async () => {
    await run(Effect.zipRight(add(1), add(2)));
    writeFileSync(home.queue, broken);
    const { restored, keptBroken } = await run(Effect.flatMap(QueueStore, (store) => store.restore({})));
    expect(restored).toBe(`${home.queue}.bak`);
    expect(readFileSync(keptBroken ?? "", "utf8")).toBe(broken);
    expect(await run(read)).toMatchObject({ rev: 2, prs: [{ pr_number: 1 }] });
    await run(add(5));
  });

  it("that an editor is just saving is read when the editor has finished", async () => {
    put("{ half");
    const reading = run(read);
    setTimeout(() => writeFileSync(home.queue, '{"schema_version":4,"rev":7,"prs":[]}'), 100);
    expect((await reading).rev).toBe(7);
  });

  it("cannot be restored without a copy", async () => {
    put(broken);
    const error = await run(Effect.flip(Effect.flatMap(QueueStore, (store) => store.restore({}))));
    expect(error).toMatchObject({ _tag: "QueueUnreadable", message: expect.stringContaining("no copy") });
  });
});

describe("files", () => {
  it("are 0600 and folders 0700 whatever the umask and whatever they were", async () => {
    const umask = process.umask(0);
    try {
      await run(add(1));
      chmodSync(home.queue, 0o644);
      await run(add(2));
      writeFileSync(`${home.queue}.x`, "");
    } finally {
      process.umask(umask);
    }
    const mode = (path: string): number => statSync(path).mode & 0o777;
    expect(mode(home.queue)).toBe(0o600);
    for (const folder of [home.data, dirname(home.queue), dirname(home.lock)]) expect(mode(folder)).toBe(0o700);
    for (const name of readdirSync(dirname(home.lock))) expect(mode(join(dirname(home.lock), name))).toBe(0o600);
    await run(add(3));
    expect(mode(`${home.queue}.bak`)).toBe(0o600);
  });

  it("a link inside the data home is written through", async () => {
    mkdirSync(dirname(home.queue), { recursive: true });
    const real = join(home.data, "elsewhere.json5");
    writeFileSync(real, '{"schema_version":4,"rev":1,"prs":[]}');
    symlinkSync(real, home.queue);
    await run(add(1));
    expect(readFileSync(real, "utf8")).toContain('"rev":2,');
    expect((await run(read)).rev).toBe(2);
  });

  it("a link out of the data home is refused and its target left alone", async () => {
    mkdirSync(dirname(home.queue), { recursive: true });
    const victim = join(home.base, "victim");
    writeFileSync(victim, "mine");
    symlinkSync(victim, home.queue);
    for (const verb of [read, add(1)])
      expect(await run(Effect.flip(verb as Effect.Effect<unknown, unknown, QueueStore>))).toMatchObject({
        _tag: "QueueUnreadable",
        message: expect.stringContaining("leaves the data home"),
      });
    expect(readFileSync(victim, "utf8")).toBe("mine");
    expect(readdirSync(home.base).sort()).toEqual(["data", "ledger", "victim"]);
  });

  it("a queue outside the data home has a lock of its own, hidden beside it and 0600", async () => {
    const other = join(home.base, "other.json5");
    await run(add(1), other);
    const locks = join(home.base, ".other.json5.locks");
    expect(readdirSync(locks).sort()).toEqual(["mechanism", "queue.lock", "queue.next.lock"]);
    expect(statSync(locks).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(locks)) expect(statSync(join(locks, name)).mode & 0o777).toBe(0o600);
    expect((await run(read)).prs).toEqual([]);
    expect((await run(read, other)).prs).toHaveLength(1);
  });

  it("a queue of another data home is guarded by that home's lock, and so is a link to it", async () => {
    await run(add(1));
    const link = join(dirname(home.queue), "link.json5");
    symlinkSync(home.queue, link);
    for (const name of [home.queue, link]) {
      const beside = Effect.flatMap(QueueStore, (store) =>
        store.transact((queue) => Either.right({ queue: { ...queue, prs: [...queue.prs] }, result: queue.prs.length })),
      );
      const held = Effect.scoped(
        Effect.gen(function* () {
          const locks = yield* Locks;
          yield* locks.acquire("queue", { verb: "adk other" });
          const layer = storeLayer(join(home.base, "second"), null, name);
          const fiber = yield* Effect.fork(Effect.provide(beside, layer));
          const early = yield* Effect.timeoutOption(Fiber.await(fiber), 150);
          return { fiber, early: early._tag };
        }),
      );
      const outcome = await run(
        Effect.flatMap(held, ({ fiber, early }) => Effect.map(Fiber.join(fiber), (rows) => ({ early, rows }))),
      );
      expect(outcome).toEqual({ early: "None", rows: 1 });
    }
    expect(config()).toEqual(["link.json5", "pr-queue.json5", "pr-queue.json5.bak"]);
  });

  it("a path that leads in a circle is named, read or written", async () => {
    const circle = join(home.base, "circle.json5");
    symlinkSync(circle, circle);
    for (const verb of [read, add(1)])
      expect(await run(Effect.flip(verb as Effect.Effect<unknown, unknown, QueueStore>), circle)).toMatchObject({
        _tag: "QueueUnreadable",
        exitCode: 3,
        message: expect.stringContaining(circle),
      });
  });
});
