import { expect, it } from "vitest";
import { effectiveJobs } from "../../../src/sync/jobs.ts";

const GiB = 2 ** 30;

it.each([
  [4, 64, 16, "ollama", 4],
  [4, 15.6, 16, "ollama", 2],
  [4, 64, 2, "builtin", 2],
  [4, 64, 2, "ollama", 4],
  [4, 4, 8, "builtin", 1],
  [0, 64, 8, "builtin", 1],
  [-3, 64, 8, "builtin", 1],
  [Number.NaN, 64, 8, "builtin", 1],
] as const)("%s configured on %s GiB and %s cores with %s are %s jobs", (configured, ram, cores, provider, jobs) => {
  expect(effectiveJobs({ configured, ramBytes: ram * GiB, cores, provider })).toBe(jobs);
});
