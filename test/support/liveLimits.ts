import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Layer from "effect/Layer";
import { afterEach } from "vitest";
import { layer as homeLayer } from "../../effects/home/Home.ts";
import { silent } from "../../effects/log/Log.ts";
import { type HostLimits, layer } from "../../effects/network/HostLimits.ts";
import { layer as locksLayer } from "../../effects/store/Locks.ts";

const made: Array<string> = [];

afterEach(() => {
  for (const dir of made.splice(0)) rmSync(dir, { recursive: true, force: true });
});

/** The real limiter on a data home of its own, removed after the test. */
export const liveLimits = (): Layer.Layer<HostLimits> => {
  const dir = mkdtempSync(join(tmpdir(), "adk-limits-"));
  made.push(dir);
  const home = homeLayer({ env: { ADK_DATA_HOME: dir } });
  return layer.pipe(Layer.provide(locksLayer), Layer.provide(home), Layer.provide(silent), Layer.orDie);
};
