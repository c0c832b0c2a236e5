import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import * as Effect from "effect/Effect";
import type { Config } from "../../src/config/config.ts";
import { type Check, pass, warn } from "./finding.ts";

const isExecutable = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );

const isInstalled = async (bin: string, env: NodeJS.ProcessEnv): Promise<boolean> => {
  const folders = isAbsolute(bin) ? [""] : (env.PATH ?? "").split(delimiter).filter(isAbsolute);
  const found = await Promise.all(folders.map((folder) => isExecutable(join(folder, bin))));
  return found.includes(true);
};

const binOf = (config: Config, name: string): string =>
  (Object.hasOwn(config.agents, name) ? config.agents[name]?.bin : undefined) ?? name;

/** Which agents are installed: the configured ones must be; the default one is a hint only, since no review may be wanted. */
export const agentsCheck: Check = {
  name: "agents",
  run: ({ config, env }) =>
    Effect.promise(async () => {
      const configured = Object.keys(config.agents);
      const names = [...new Set([config.tui.default_agent, ...configured])];
      const missing: string[] = [];
      for (const name of names) if (!(await isInstalled(binOf(config, name), env))) missing.push(name);
      const wrong = missing.filter((name) => configured.includes(name));
      if (wrong.length > 0)
        return [
          warn("agents", `not installed: ${wrong.join(", ")}`, `adk config set agents.${wrong[0]}.bin /path/to/it`),
        ];
      return [
        pass(
          "agents",
          names.map((name) => `${name}: ${missing.includes(name) ? "not installed" : "installed"}`).join(", "),
        ),
      ];
    }),
};
