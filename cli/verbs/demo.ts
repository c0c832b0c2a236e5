import type { VerbSpec } from "../verb.ts";

export const demoVerbs: ReadonlyArray<VerbSpec> = [
  {
    path: ["demo"],
    summary: "Try everything on small repositories made for it: no token, no server, no network",
    args: [],
    flags: [
      {
        name: "dir",
        type: "string",
        value: "DIR",
        describe: "data home of the demo, which stays (default: a temporary folder)",
      },
      { name: "keep", type: "boolean", describe: "keep the temporary folder, or use a DIR that is not empty" },
    ],
    examples: ["adk demo", "adk demo --dir ./adk-demo"],
    load: () => import("../commands/demo.ts"),
  },
];
