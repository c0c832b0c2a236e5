import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { afterEach } from "vitest";
import * as git from "../../../effects/git/Git.ts";
import * as home from "../../../effects/home/Home.ts";
import * as log from "../../../effects/log/Log.ts";
import * as platform from "../../../effects/platform/PullRequests.ts";
import * as locks from "../../../effects/store/Locks.ts";
import { liveLimits } from "../../support/liveLimits.ts";

const made: Array<string> = [];

/** A folder of this test; removed after it. */
export const temporaryFolder = (): string => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "adk-local-")));
  made.push(dir);
  return dir;
};

afterEach(() => {
  for (const dir of made.splice(0)) rmSync(dir, { recursive: true, force: true });
});

type Service = Context.Tag.Service<platform.PullRequests>;

/** Runs one effect on the live door to all platforms, with real git and a data home in `dir`. */
export const onPlatforms = <A, E>(
  dir: string,
  use: (service: Service) => Effect.Effect<A, E>,
  env: NodeJS.ProcessEnv = {},
): Promise<A> => {
  const roots = home.layer({ env: { ADK_DATA_HOME: join(dir, "data") } });
  const held = locks.layer.pipe(Layer.provide(roots), Layer.orDie);
  const gitLayer = git.layer.pipe(Layer.provide(roots), Layer.provide(held), Layer.provide(log.silent));
  const all = platform
    .layer({ env, githubHosts: [] })
    .pipe(Layer.provide(gitLayer), Layer.provide(log.silent), Layer.provide(liveLimits()));
  return Effect.runPromise(Effect.provide(Effect.flatMap(platform.PullRequests, use), all));
};
