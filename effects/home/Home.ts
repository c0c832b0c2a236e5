import { homedir } from "node:os";
import { join, resolve } from "node:path";
import * as Context from "effect/Context";
import * as Layer from "effect/Layer";

/**
 * The roots of everything adk reads and writes (spec 2, "Layout"). Absolute paths, resolved when the layer is built,
 * never at import: tests and long-lived parents change the environment between calls.
 */
export class Home extends Context.Tag("adk/Home")<
  Home,
  {
    readonly data: string;
    readonly config: string;
    /** The queue file in use: `--queue PATH`, else config/pr-queue.json5. */
    readonly queue: string;
    readonly locks: string;
    readonly repos: string;
    readonly tasks: string;
    readonly cache: string;
    readonly runs: string;
    readonly logs: string;
    readonly tui: string;
    /** sync-plan.json: `ADK_TUI_PLAN_PATH`, else tui/workers/sync-plan.json. */
    readonly syncPlan: string;
  }
>() {}

const nonEmpty = (value: string | undefined): string | undefined => (value === "" ? undefined : value);

export interface HomeOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly queue?: string | undefined;
}

/** Paths from an environment, for callers that need no service (the TUI's readers, tests). */
export const homePaths = (options: HomeOptions): Context.Tag.Service<Home> => {
  const data = resolve(nonEmpty(options.env.ADK_DATA_HOME) ?? join(homedir(), ".agents-devkit"));
  const config = resolve(nonEmpty(options.env.ADK_CONFIG_HOME) ?? join(data, "config"));
  return {
    data,
    config,
    queue: resolve(options.queue ?? join(config, "pr-queue.json5")),
    locks: join(data, "locks"),
    repos: join(data, "repos"),
    tasks: join(data, "skill-pr-review"),
    cache: join(data, "cache"),
    runs: join(data, "runs"),
    logs: join(data, "logs"),
    tui: join(data, "tui"),
    syncPlan: resolve(nonEmpty(options.env.ADK_TUI_PLAN_PATH) ?? join(data, "tui", "workers", "sync-plan.json")),
  };
};

export const layer = (options: HomeOptions): Layer.Layer<Home> => Layer.succeed(Home, homePaths(options));
