import type { FlagSpec } from "./verb.ts";

/** Flags that every level and every verb takes. */
export const globalFlags: ReadonlyArray<FlagSpec> = [
  { name: "json", type: "boolean", describe: "print one JSON document on stdout and nothing else there" },
  { name: "verbose", short: "v", type: "boolean", describe: "write a log of this call and say on stderr what is done" },
  { name: "queue", type: "string", value: "PATH", describe: "queue file to use instead of the configured one" },
  { name: "yes", short: "y", type: "boolean", describe: "confirm whatever would be asked" },
  { name: "no-color", type: "boolean", describe: "no colour, also on a terminal" },
  { name: "help", short: "h", type: "boolean", describe: "show help for this level" },
];
