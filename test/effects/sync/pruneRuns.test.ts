import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { afterEach, describe, expect, it } from "vitest";
import * as Home from "../../../effects/home/Home.ts";
import * as Log from "../../../effects/log/Log.ts";
import { pruneRuns } from "../../../effects/sync/pruneRuns.ts";

const data = mkdtempSync(join(tmpdir(), "adk-runs-"));
afterEach(() => rmSync(data, { recursive: true, force: true }));

const run = () =>
  Effect.runPromise(
    pruneRuns.pipe(Effect.provide(Layer.merge(Home.layer({ env: { ADK_DATA_HOME: data } }), Log.silent))),
  );

describe("pruneRuns", () => {
  it("keeps the newest 50 sync runs and whatever else is there", async () => {
    const runs = join(data, "runs");
    mkdirSync(runs, { recursive: true });
    const names = Array.from(
      { length: 53 },
      (_, n) => `sync-202603${String(1 + (n % 28)).padStart(2, "0")}T${String(100000 + n)}Z-7.json5`,
    );
    for (const name of [...names, `${names[0]}.bak`, "worker-1.json5"]) writeFileSync(join(runs, name), "{}");
    await run();
    const left = readdirSync(runs);
    expect(left.filter((name) => name.startsWith("sync-") && name.endsWith(".json5"))).toEqual(
      [...names].sort().slice(3),
    );
    expect(left).toContain("worker-1.json5");
  });

  it("has nothing to do where there are no runs", async () => {
    await expect(run()).resolves.toBeUndefined();
  });
});
