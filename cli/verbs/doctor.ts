import type { VerbSpec } from "../verb.ts";

export const doctorVerbs: ReadonlyArray<VerbSpec> = [
  {
    path: ["doctor"],
    summary: "Check this machine and adk's own files; each finding comes with its fix",
    args: [],
    flags: [
      { name: "strict", type: "boolean", describe: "a warning fails too (exit 1)" },
      { name: "fix", type: "boolean", describe: "mend what can be mended: permissions, old logs" },
    ],
    examples: ["adk doctor", "adk doctor --strict --json"],
    load: () => import("../commands/doctor.ts"),
    survivesBrokenConfig: true,
  },
];
