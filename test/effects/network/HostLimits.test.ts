import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "@effect/vitest";
import * as Chunk from "effect/Chunk";
import * as Effect from "effect/Effect";
import * as Either from "effect/Either";
import * as Fiber from "effect/Fiber";
import * as Layer from "effect/Layer";
import * as TestClock from "effect/TestClock";
import { afterAll, afterEach, beforeAll, describe, expect } from "vitest";
import { layer as homeLayer } from "../../../effects/home/Home.ts";
import { Log, silent } from "../../../effects/log/Log.ts";
import { HostLimits, layer, type Pace } from "../../../effects/network/HostLimits.ts";
import { layer as locksLayer } from "../../../effects/store/Locks.ts";
import { bundleProgram, start } from "../../crash/storeHarness.ts";

const made: Array<string> = [];
const newHome = (): string => {
  const dir = mkdtempSync(join(tmpdir(), "adk-limits-"));
  made.push(dir);
  return dir;
};
afterEach(() => {
  for (const dir of made.splice(0)) rmSync(dir, { recursive: true, force: true });
});

const over = (data: string, log: Layer.Layer<Log> = silent) =>
  Layer.fresh(layer).pipe(
    Layer.provide(locksLayer),
    Layer.provide(homeLayer({ env: { ADK_DATA_HOME: data } })),
    Layer.provide(log),
    Layer.orDie,
  );
const pace = (fields: Partial<Pace> = {}): Pace => ({
  key: "github.com rest",
  host: "github.com",
  perMinute: 2,
  maxWaitMs: 120_000,
  ...fields,
});
const onlyFile = (data: string): string => {
  const folder = join(data, "cache", "limits");
  const [name = "", ...others] = readdirSync(folder);
  expect(others).toEqual([]);
  return join(folder, name);
};
const start0 = Date.parse("2026-01-05T08:00:00Z");

describe("a limiter of one process", () => {
  it.scoped("lets the pace through at once and the next when the first is a minute old", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start0);
      const limits = yield* HostLimits;
      yield* limits.turn(pace());
      yield* limits.turn(pace());
      const third = yield* Effect.fork(limits.turn(pace({ maxWaitMs: 59_999 })).pipe(Effect.either));
      expect(Either.isLeft(yield* Fiber.join(third))).toBe(true);
      const fourth = yield* Effect.fork(limits.turn(pace()));
      // The turn is taken through real files first; the test's clock may move once it sleeps.
      while (Chunk.isEmpty(yield* TestClock.sleeps())) yield* Effect.promise(() => new Promise(setImmediate));
      yield* TestClock.adjust(59_999);
      expect(yield* Fiber.poll(fourth)).toMatchObject({ _tag: "None" });
      yield* TestClock.adjust(1);
      yield* Fiber.join(fourth);
    }).pipe(Effect.provide(over(newHome()))),
  );

  it.scoped("refuses with the time from which on it is worth trying, and says so in states", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start0);
      const limits = yield* HostLimits;
      yield* limits.heard(pace(), {
        blockedUntil: start0 + 300_000,
        remaining: 0,
        limit: 5000,
        resetAt: start0 + 300_000,
      });
      const refused = yield* Effect.flip(limits.turn(pace()));
      expect(refused).toMatchObject({ _tag: "RateLimited", host: "github.com", retry_at: "2026-01-05T08:05:00Z" });
      expect(yield* limits.states).toEqual([
        {
          key: "github.com rest",
          host: "github.com",
          blocked_until: "2026-01-05T08:05:00Z",
          remaining: 0,
          limit: 5000,
          reset_at: "2026-01-05T08:05:00Z",
        },
      ]);
      yield* TestClock.setTime(start0 + 300_000);
      yield* limits.turn(pace());
      expect(yield* limits.states).toMatchObject([
        { blocked_until: null, remaining: null, limit: 5000, reset_at: null },
      ]);
    }).pipe(Effect.provide(over(newHome()))),
  );

  it.scoped("does not believe a block of more than a day, and keeps another key's turns apart", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start0);
      const limits = yield* HostLimits;
      yield* limits.heard(pace(), { blockedUntil: start0 + 25 * 3_600_000 });
      yield* limits.turn(pace({ maxWaitMs: 0 }));
      yield* limits.heard(pace({ key: "github.com graphql" }), { blockedUntil: start0 + 3_600_000 });
      yield* limits.turn(pace({ maxWaitMs: 0 }));
      expect(yield* Effect.flip(limits.turn(pace({ key: "github.com graphql", maxWaitMs: 0 })))).toMatchObject({
        retry_at: "2026-01-05T09:00:00Z",
      });
    }).pipe(Effect.provide(over(newHome()))),
  );

  it.scoped("keeps every key of a host from sending when the host as a whole asked to wait, and no other host's", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start0);
      const limits = yield* HostLimits;
      yield* limits.heard(pace(), { blockedUntil: start0 + 90_000, blocksHost: true });
      const refused = yield* Effect.flip(limits.turn(pace({ key: "github.com graphql", maxWaitMs: 89_999 })));
      expect(refused.retry_at).toBe("2026-01-05T08:01:30Z");
      yield* limits.turn(pace({ key: "git.corp rest", host: "git.corp", maxWaitMs: 0 }));
      yield* TestClock.setTime(start0 + 90_000);
      yield* limits.turn(pace({ key: "github.com graphql", maxWaitMs: 0 }));
    }).pipe(Effect.provide(over(newHome()))),
  );

  it.scoped("goes by the clock of now when it has been set back by a year", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start0);
      const limits = yield* HostLimits;
      yield* limits.turn(pace());
      yield* limits.turn(pace());
      yield* limits.heard(pace(), { blockedUntil: start0 + 90_000 });
      yield* TestClock.setTime(start0 - 365 * 86_400_000);
      const { retry_at } = yield* Effect.flip(limits.turn(pace({ maxWaitMs: 0 })));
      expect(retry_at).toBe("2025-01-05T08:01:30Z");
    }).pipe(Effect.provide(over(newHome()))),
  );

  it.scoped.each(["", "{", "[]", '{"key":1}', '{"key":"k","host":"h","sent":["x"]}'])(
    "takes a file of %j for none, with a record in the log, and writes a good one",
    (text) => {
      const data = newHome();
      const events: Array<string> = [];
      const log = Layer.map(silent, (context) => context).pipe(
        Layer.flatMap(() =>
          Layer.effect(
            Log,
            Effect.map(Effect.provide(Log, silent), (quiet) => ({
              ...quiet,
              record: (event: string) => Effect.sync(() => void events.push(event)),
            })),
          ),
        ),
      );
      return Effect.gen(function* () {
        const limits = yield* HostLimits;
        yield* limits.turn(pace());
        const file = onlyFile(data);
        writeFileSync(file, text);
        yield* limits.turn(pace({ maxWaitMs: 0 }));
        expect(events).toEqual(["limits_broken"]);
        expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ key: "github.com rest", sent: [0] });
        expect(statSync(file).mode & 0o777).toBe(0o600);
      }).pipe(Effect.provide(over(data, log)));
    },
  );

  it.scoped("never stops a request because its folder cannot be used", () => {
    const data = newHome();
    mkdirSync(join(data, "cache"), { recursive: true });
    writeFileSync(join(data, "cache", "limits"), "a file in the folder's place");
    return Effect.gen(function* () {
      const limits = yield* HostLimits;
      for (let i = 0; i < 5; i++) yield* limits.turn(pace({ maxWaitMs: 0 }));
      expect(yield* limits.states).toEqual([]);
    }).pipe(Effect.provide(over(data)));
  });

  it.live("takes little time a turn", () =>
    Effect.gen(function* () {
      const limits = yield* HostLimits;
      const times: Array<number> = [];
      for (let i = 0; i < 60; i++) {
        const began = performance.now();
        yield* limits.turn(pace({ perMinute: 1000 }));
        times.push(performance.now() - began);
      }
      // 3 ms where nothing else runs (docs/internals/performance.md); this only notices another order of magnitude.
      expect(times.sort((a, b) => a - b)[30]).toBeLessThan(30);
    }).pipe(Effect.provide(over(newHome()))),
  );
});

interface Line {
  readonly sent?: number;
  readonly status?: number;
  readonly refused?: string;
  readonly heard?: number;
  readonly until?: number;
}

describe("four processes", () => {
  let program: Awaited<ReturnType<typeof bundleProgram>>;
  beforeAll(async () => {
    program = await bundleProgram("../effects/network/support/limitedSender.ts");
  });
  afterAll(() => program.remove());

  const together = async (options: {
    readonly count: number;
    readonly perMinute: number;
    readonly limitFirst: number;
  }) => {
    const data = newHome();
    let arrived = 0;
    const server = createServer((_, response) => {
      arrived += 1;
      if (arrived <= options.limitFirst) response.writeHead(429, { "retry-after": "1" });
      response.end("{}");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const args = [data, url, String(options.count), String(options.perMinute)];
    const outputs = await Promise.all(
      [1, 2, 3, 4].map(async () => {
        const { child, ended } = start(program.path, args);
        let text = "";
        child.stdout?.on("data", (chunk: Buffer) => {
          text += chunk.toString("utf8");
        });
        expect(await ended).toMatchObject({ code: 0 });
        return text;
      }),
    );
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    const lines = outputs.flatMap((text) => text.trimEnd().split("\n")).map((line) => JSON.parse(line) as Line);
    return { arrived, lines };
  };

  it("send no more in a minute than one may, together", async () => {
    const { arrived, lines } = await together({ count: 4, perMinute: 9, limitFirst: 0 });
    expect(arrived).toBe(9);
    expect(lines.filter((line) => line.refused !== undefined)).toHaveLength(7);
  }, 60_000);

  it("send nothing during a Retry-After that any of them heard, and everything after it", async () => {
    const { arrived, lines } = await together({ count: 5, perMinute: 600, limitFirst: 1 });
    expect(arrived).toBe(20);
    const blocks = lines.filter((line) => line.heard !== undefined);
    expect(blocks.length).toBeGreaterThanOrEqual(1);
    for (const { heard = 0, until = 0 } of blocks) {
      const inside = lines.filter(({ sent }) => sent !== undefined && sent > heard && sent < until);
      expect(inside).toEqual([]);
    }
    const latest = Math.max(...blocks.map(({ until = 0 }) => until));
    expect(lines.filter(({ sent = 0 }) => sent >= latest).length).toBeGreaterThanOrEqual(12);
  }, 60_000);
});
