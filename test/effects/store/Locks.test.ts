import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Locks } from "../../../effects/store/Locks.ts";
import type { MechanismName } from "../../../effects/store/lockMechanism.ts";
import { bundleProgram, makeHome, printed, start, storeLayer, type TestHome } from "../../crash/storeHarness.ts";

let program: Awaited<ReturnType<typeof bundleProgram>>;
let home: TestHome;
beforeAll(async () => {
  program = await bundleProgram("storeHolder.ts");
});
afterAll(() => program.remove());
beforeEach(() => {
  home = makeHome();
});
afterEach(() => home.remove());

const mechanisms: ReadonlyArray<MechanismName> = ["fs-native-extensions", "epoch-chain"];

describe.each(mechanisms)("a lock by %s", (mechanism) => {
  const run = <A, E>(effect: Effect.Effect<A, E, Locks>): Promise<A> =>
    Effect.runPromise(Effect.provide(effect, storeLayer(home.data, mechanism)));
  const withLock = <A, E>(body: Effect.Effect<A, E>, deadlineMs = 10_000) =>
    Effect.flatMap(Locks, (locks) => locks.withLock("queue", { deadlineMs, verb: "adk test" }, body));
  const holder = Effect.flatMap(Locks, (locks) => locks.holder("queue"));

  it("lets one fiber in at a time, in the order they came, and the lock file stays", async () => {
    const order: Array<number> = [];
    let inside = 0;
    let together = 0;
    const turn = (number: number) =>
      withLock(
        Effect.gen(function* () {
          inside += 1;
          together = Math.max(together, inside);
          order.push(number);
          yield* Effect.sleep(1);
          inside -= 1;
        }),
      );
    await run(Effect.forEach([1, 2, 3, 4, 5, 6], turn, { concurrency: "unbounded" }));
    expect(together).toBe(1);
    expect(order).toEqual([1, 2, 3, 4, 5, 6]);
    expect(readFileSync(join(dirname(home.lock), "mechanism"), "utf8")).toBe(`${mechanism}\n`);
    expect(await run(holder)).toBeNull();
  });

  it("is free again after a failure, a defect and an interruption of its body", async () => {
    await run(Effect.exit(withLock(Effect.fail("no"))));
    await run(Effect.exit(withLock(Effect.die("broken"))));
    await run(
      Effect.gen(function* () {
        const fiber = yield* Effect.fork(withLock(Effect.never));
        while ((yield* holder) === null) yield* Effect.sleep(1);
        yield* Fiber.interrupt(fiber);
      }),
    );
    expect(await run(withLock(Effect.succeed("in"), 0))).toBe("in");
  });

  it("that stays taken is an error after the deadline, which says who holds it since when", async () => {
    const { child, ended } = start(program.path, [home.data, "queue", mechanism]);
    await printed(child, "held");
    const error = await run(Effect.flip(withLock(Effect.void, 30)));
    expect(error).toMatchObject({ _tag: "LockBusy", exitCode: 3, pid: child.pid });
    expect(error.message).toMatch(
      new RegExp(
        `^queue busy: held by pid ${child.pid} \\(adk holder\\) since \\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$`,
      ),
    );
    child.kill("SIGKILL");
    await ended;
    expect(await run(holder)).toBeNull();
  });

  it("is not tried twice by tryAcquire, and held until the scope closes", async () => {
    const tries = Effect.flatMap(Locks, (locks) =>
      Effect.scoped(
        Effect.all([locks.tryAcquire("slot", {}), locks.tryAcquire("slot", {}), locks.tryAcquire("other", {})]),
      ),
    );
    expect(await run(tries)).toEqual([true, false, true]);
    expect(await run(tries)).toEqual([true, false, true]);
  });

  it("stays with a holder that is stopped, however long, and is free at once when it is killed", async () => {
    const { child, ended } = start(program.path, [home.data, "queue", mechanism]);
    await printed(child, "held");
    child.kill("SIGSTOP");
    expect(await run(Effect.flip(withLock(Effect.void, 200)))).toMatchObject({ _tag: "LockBusy", pid: child.pid });
    child.kill("SIGCONT");
    expect(await run(Effect.flip(withLock(Effect.void, 50)))).toMatchObject({ _tag: "LockBusy" });
    child.kill("SIGKILL");
    await ended;
    expect(await run(withLock(Effect.succeed("in"), 1_000))).toBe("in");
  });

  it("is not kept by a detached child of a killed holder", async () => {
    const { child, ended } = start(program.path, [home.data, "queue", mechanism, "child"]);
    let pid = 0;
    child.stdout?.on("data", (chunk: Buffer) => {
      pid ||= Number(/child (\d+)/.exec(chunk.toString("utf8"))?.[1] ?? 0);
    });
    await printed(child, "held");
    try {
      child.kill("SIGKILL");
      await new Promise<void>((resolve) => child.on("exit", () => resolve()));
      expect(process.kill(pid, 0)).toBe(true);
      expect(await run(withLock(Effect.succeed("in"), 1_000))).toBe("in");
    } finally {
      process.kill(pid, "SIGKILL");
    }
    await ended;
  });
});

describe("the mechanism of a data home", () => {
  const use = (mechanism: MechanismName | null) =>
    Effect.runPromise(
      Effect.either(
        Effect.provide(
          Effect.flatMap(Locks, (locks) =>
            locks.withLock(
              "a",
              {},
              Effect.sync(() => locks.mechanism),
            ),
          ),
          storeLayer(home.data, mechanism),
        ),
      ),
    );

  it("is recorded with the first lock and followed by who has no wish of its own", async () => {
    expect(await use("epoch-chain")).toMatchObject({ right: "epoch-chain" });
    expect(await use(null)).toMatchObject({ right: "epoch-chain" });
  });

  it("is never mixed with another", async () => {
    await use("epoch-chain");
    expect(await use("fs-native-extensions")).toMatchObject({ left: { _tag: "LockFailed", exitCode: 3 } });
    expect(readdirSync(dirname(home.lock)).filter((name) => name.endsWith(".lock"))).toEqual([]);
  });

  it("that this adk does not know is an error", async () => {
    mkdirSync(dirname(home.lock), { recursive: true });
    writeFileSync(join(dirname(home.lock), "mechanism"), "pigeons\n");
    expect(await use(null)).toMatchObject({ left: { _tag: "LockFailed" } });
  });
});
