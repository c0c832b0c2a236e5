import type { VerbSpec } from "../verb.ts";

export const configVerbs: ReadonlyArray<VerbSpec> = [
  {
    path: ["config", "path"],
    summary: "Print where core.yaml is",
    args: [],
    flags: [],
    examples: ["adk config path"],
    load: () => import("../commands/configPath.ts"),
    survivesBrokenConfig: true,
  },
  {
    path: ["config", "show"],
    summary: "Print the configuration in effect, defaults included",
    args: [],
    flags: [],
    examples: ["adk config show", "adk config show --json"],
    load: () => import("../commands/configShow.ts"),
  },
  {
    path: ["config", "set"],
    summary: "Set one key of core.yaml; comments and layout stay",
    args: [
      { name: "KEY", describe: "dotted key, see docs/config.md", required: true, multiple: false },
      { name: "VALUE", describe: "the new value, as YAML", required: true, multiple: false },
    ],
    flags: [],
    examples: ["adk config set defaults.repo acme/storefront-bff", "adk config set pr_sync.prepare_jobs 2"],
    load: () => import("../commands/configSet.ts"),
    survivesBrokenConfig: true,
  },
];
