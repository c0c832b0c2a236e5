import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { queueEngineLayer } from "../../../cli/layers/queueEngine.ts";
import { cleanAutoBases } from "../../../effects/bases/cleanAutoBases.ts";
import { newBase } from "../../../effects/bases/runBase.ts";
import { layer as homeLayer, homePaths } from "../../../effects/home/Home.ts";
import { branchDir, branchMetaFile } from "../../../effects/home/layout.ts";
import { layer as logLayer } from "../../../effects/log/Log.ts";
import { Repos } from "../../../effects/repos/Repos.ts";
import { Settings } from "../../../effects/settings/Settings.ts";
import { Locks } from "../../../effects/store/Locks.ts";
import { defaultConfig } from "../../../src/config/config.ts";
import type { BranchMeta } from "../../../src/repo/repoMeta.ts";

let data: string;
let file: string;
beforeEach(() => {
  data = realpathSync(mkdtempSync(join(tmpdir(), "adk-clean-")));
  file = branchMetaFile(branchDir(homePaths({ env: { ADK_DATA_HOME: data } }), "shop", "old"));
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

const layers = () => {
  const home = homeLayer({ env: { ADK_DATA_HOME: data } });
  const log = logLayer({ verbose: false, verb: "test", argv: [], env: {} });
  const settings = Layer.succeed(Settings, { config: defaultConfig, warnings: [], path: join(data, "core.yaml") });
  return queueEngineLayer.pipe(Layer.provideMerge(Layer.merge(settings, Layer.provideMerge(log, home))));
};

const longUnused: BranchMeta = {
  ...newBase("old", "auto", "2020-01-01T00:00:00Z"),
  state: "fresh",
  last_indexed_sha: "a".repeat(40),
};

/** A clean-up in which something happens to the base between the look at the list and the base's lock. */
const cleanWith = (meanwhile: (meta: BranchMeta) => BranchMeta | null) =>
  Effect.gen(function* () {
    const repos = yield* Repos;
    const identity = { platform: "local", host: "local", owner: "0123456789", repo: "shop" } as const;
    yield* repos.register({ ...identity, url: "/nowhere/shop", default_branch: "main" });
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify(longUnused));
    const locks = yield* Locks;
    const late = Locks.of({
      ...locks,
      tryAcquire: (name, options) =>
        Effect.suspend(() => {
          const next = meanwhile(JSON.parse(readFileSync(file, "utf8")) as BranchMeta);
          if (next === null) rmSync(dirname(file), { recursive: true });
          else writeFileSync(file, JSON.stringify(next));
          return locks.tryAcquire(name, options);
        }),
    });
    return yield* Effect.provideService(cleanAutoBases({ dryRun: false }), Locks, late);
  }).pipe(Effect.provide(layers()), Effect.runPromise);

describe("cleaning auto bases", () => {
  it("removes one that nobody has used for its time to live", async () => {
    const report = await cleanWith((meta) => meta);
    expect(report).toEqual({ removed: [{ repo: "shop", branch: "old" }], kept: [] });
    expect(existsSync(dirname(file))).toBe(false);
  });

  it("keeps one that was used after the list was read", async () => {
    const used = new Date(Date.now() - 60_000).toISOString().replace(/\.\d+Z$/, "Z");
    const { removed, kept } = await cleanWith((meta) => ({ ...meta, last_used_at: used }));
    expect(removed).toEqual([]);
    expect(kept).toEqual([{ repo: "shop", branch: "old", why: expect.stringMatching(/^kept until /) }]);
    expect(existsSync(file)).toBe(true);
  });

  it("keeps one that was promoted after the list was read", async () => {
    const { removed, kept } = await cleanWith((meta) => ({ ...meta, created_by: "user" }));
    expect([removed, kept]).toEqual([[], [{ repo: "shop", branch: "old", why: "a user base now" }]]);
    expect(existsSync(file)).toBe(true);
  });

  it("says of one that somebody else removed that it is gone", async () => {
    const { removed, kept } = await cleanWith(() => null);
    expect([removed, kept]).toEqual([[], [{ repo: "shop", branch: "old", why: "gone already" }]]);
  });
});
