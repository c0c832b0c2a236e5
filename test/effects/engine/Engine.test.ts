import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import * as Either from "effect/Either";
import * as Layer from "effect/Layer";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { queueEngineLayer } from "../../../cli/layers/queueEngine.ts";
import { newBase } from "../../../effects/bases/runBase.ts";
import { Engine } from "../../../effects/engine/Engine.ts";
import { layer as homeLayer } from "../../../effects/home/Home.ts";
import { layer as logLayer } from "../../../effects/log/Log.ts";
import { QueueStore } from "../../../effects/store/QueueStore.ts";
import { identityKey } from "../../../src/names.ts";
import { newRow } from "../../../src/queue/row.ts";

const at = "2026-02-03T04:05:06Z";
const row = newRow({
  platform: "github",
  host: "github.com",
  owner: "acme",
  repo: "shop",
  pr_number: 1,
  pr_url: "https://github.com/acme/shop/pull/1",
});
const key = identityKey(row);
const start = { type: "START", tier: 2, seed: null, rebuild: false, at } as const;

let data: string;
beforeEach(() => {
  data = realpathSync(mkdtempSync(join(tmpdir(), "adk-engine-")));
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

const run = <A, E>(body: Effect.Effect<A, E, Engine | QueueStore>): Promise<A> => {
  const home = homeLayer({ env: { ADK_DATA_HOME: data } });
  const log = logLayer({ verbose: false, verb: "test", argv: [], env: {} });
  const layers = queueEngineLayer.pipe(Layer.provideMerge(Layer.provideMerge(log, home)));
  const filled = Effect.zipRight(
    Effect.flatMap(QueueStore, (store) =>
      store.transact((queue) => Either.right({ queue: { ...queue, prs: [row] }, result: null })),
    ),
    body,
  );
  return Effect.runPromise(Effect.provide(filled, layers));
};

const stored = Effect.flatMap(QueueStore, (store) => store.read);
const published = (): ReadonlyArray<string> => {
  const file = join(data, "logs", "events.jsonl");
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  return lines.map((line) => (JSON.parse(line) as { readonly event: string }).event);
};

describe("the engine", () => {
  it("has the snapshot with its pending command on disk before the caller may act", () =>
    run(
      Effect.gen(function* () {
        const engine = yield* Engine;
        const { issued } = yield* engine.prep(key, start);
        expect(issued.map((command) => command.name)).toEqual(["cmd.prepare"]);
        const [kept] = (yield* stored).prs;
        expect(kept?.prep_status).toBe("preparing");
        expect(kept?.actors.prep).toMatchObject({ seq: 1, value: "preparing", pending: issued });
        expect(published()).toEqual(["START"]);
      }),
    ));

  it("refuses what the machine does not accept, by name, and writes nothing", () =>
    run(
      Effect.gen(function* () {
        const engine = yield* Engine;
        const before = yield* stored;
        const refused = yield* Effect.flip(engine.prep(key, { type: "REBUILD", at }));
        expect(refused).toMatchObject({ _tag: "IllegalEvent", state: "pending", event: "REBUILD", exitCode: 2 });
        expect(yield* stored).toEqual(before);
        expect(published()).toEqual([]);
      }),
    ));

  it("ignores the completion of a command that nobody waits for any more", () =>
    run(
      Effect.gen(function* () {
        const engine = yield* Engine;
        const { issued } = yield* engine.prep(key, start);
        yield* engine.prep(key, { type: "INTERRUPTED", at });
        const before = yield* stored;
        const late = yield* engine.prep(key, { type: "FAILED", command: issued[0]?.id ?? "", error: "late", at });
        expect(late.ignored).toBe(true);
        expect(yield* stored).toEqual(before);
        expect(published()).toEqual(["START", "INTERRUPTED"]);
      }),
    ));

  it("publishes no transition of a transaction that failed", () =>
    run(
      Effect.gen(function* () {
        const engine = yield* Engine;
        const before = yield* stored;
        const failed = yield* Effect.flip(
          engine.change((queue, step) => {
            const stepped = step.prep(queue.prs[0] ?? row, start);
            return Either.isRight(stepped) ? Either.left("changed my mind" as const) : Either.left("illegal" as const);
          }),
        );
        expect(failed).toBe("changed my mind");
        expect(yield* stored).toEqual(before);
        expect(published()).toEqual([]);
      }),
    ));

  it("names a row and a base that are not there", () =>
    run(
      Effect.gen(function* () {
        const engine = yield* Engine;
        expect(yield* Effect.flip(engine.prep("github:github.com/acme/shop#9", start))).toMatchObject({
          _tag: "NotFound",
        });
        const where = { repo: "shop", branch: "main" };
        expect(yield* Effect.flip(engine.base(where, { type: "PROMOTE", at }))).toMatchObject({ _tag: "NotFound" });
        const event = { type: "BUILD", created_by: "auto", auto_reason: "why", at } as const;
        const built = yield* engine.base({ ...where, seed: newBase("main", "auto", at) }, event);
        expect(built.meta).toMatchObject({ state: "building", created_by: "auto", auto_reason: "why" });
        expect((yield* engine.base(where, { type: "PROMOTE", at })).meta.created_by).toBe("user");
      }),
    ));
});
