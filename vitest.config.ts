import { defineConfig } from "vitest/config";

const long = process.env.ADK_TEST_LONG === "1";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // A whole process on a busy machine may meet a time-out that has nothing to do with the code. The reporter names
    // every test that needed its second try, so that none hides behind it.
    retry: 1,
    testTimeout: long ? 1_800_000 : 60_000,
    hookTimeout: 120_000,
    pool: "forks",
    // One more than the two cores of the smallest machine: tests wait for disks and for hosts that limit their rates.
    poolOptions: { forks: { maxForks: 3, minForks: 1 } },
    reporters: ["default", "./scripts/suiteTimesReporter.ts"],
    // Every test starts from an environment without tokens and without the developer's own data home.
    setupFiles: ["test/support/environment.ts"],
  },
});
