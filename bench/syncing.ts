import { join } from "node:path";
import type { Bench, Section } from "./Bench.ts";
import { atMost, figure } from "./BenchRow.ts";
import { addChanges } from "./benchHome.ts";
import { benchRepository } from "./benchRepository.ts";
import type { BenchChange } from "./changeRequests.ts";
import { type Ended, runAdk } from "./program.ts";

const sync = async (bench: Bench, name: string, changes: ReadonlyArray<BenchChange>): Promise<Ended> => {
  const home = join(bench.folder, name);
  await addChanges(bench, home, changes);
  const jobs = String(bench.jobs);
  const ended = await runAdk(bench, ["pr-sync", "--base-jobs", jobs, "--prepare-jobs", jobs, "--json"], { home });
  const { ready }: { ready: ReadonlyArray<string> } = JSON.parse(ended.stdout);
  if (ready.length !== changes.length)
    throw new Error(`${ready.length} of ${changes.length} are ready: ${ended.stdout}`);
  return ended;
};

const withoutBases = async (bench: Bench, home: string, changes: ReadonlyArray<BenchChange>): Promise<Ended> => {
  await addChanges(bench, home, changes);
  const jobs = String(bench.jobs);
  return runAdk(bench, ["pr-task", "prepare", "--all", "--no-base-seed", "--jobs", jobs, "--json"], { home });
};

/**
 * What bases save: a sync of eight change requests of one branch, then of these and two of branches of their own,
 * against preparing the same ones from scratch, with as many jobs.
 */
export const syncing: Section = async (bench) => {
  const { shared, alone } = benchRepository(bench);
  const eight = shared.slice(0, 8);
  const planned = await sync(bench, "sync-8", eight);
  const mixed = await sync(bench, "sync-10", [...eight, ...alone]);
  const home = join(bench.folder, "from-scratch");
  const full = await withoutBases(bench, home, eight);
  // The eight are prepared by now, so this measures the two others.
  const fullAlone = await withoutBases(bench, home, alone);
  // Without the git processes, which are the same on both sides.
  const byCpu = (planned.cpuSeconds / full.cpuSeconds).toFixed(2);
  const mixedByCpu = (mixed.cpuSeconds / (full.cpuSeconds + fullAlone.cpuSeconds)).toFixed(2);
  const jobs = bench.jobs === 1 ? "one job" : `${bench.jobs} jobs`;
  return [
    figure({ name: "eight from scratch", value: full.seconds, unit: "s", note: jobs }),
    figure({ name: "base and eight seeded", value: planned.seconds, unit: "s", note: jobs }),
    atMost(0.27, {
      name: "eight on one base",
      value: planned.seconds / full.seconds,
      unit: "x",
      note: `goal 0.20; by CPU ${byCpu}`,
    }),
    figure({
      name: "ten, two of them alone",
      value: mixed.seconds / (full.seconds + fullAlone.seconds),
      unit: "x",
      note: `floor 0.30, three full indexes of ten; by CPU ${mixedByCpu}`,
    }),
    figure({ name: "sync, peak memory", value: mixed.peakMb, unit: "MB" }),
  ];
};
