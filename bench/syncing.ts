import { readdirSync } from "node:fs";
import { join } from "node:path";
import { homePaths } from "../effects/home/Home.ts";
import { codeIndexDir } from "../effects/home/layout.ts";
import { tableRows, tenBest } from "../fixtures/index/indexContents.ts";
import type { Bench, Section } from "./Bench.ts";
import { atLeast, atMost, figure } from "./BenchRow.ts";
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

/** How many tasks have in both homes the same rows, and the same ten best hits for twenty subjects of the history. */
const equalIndexes = async (homes: readonly [string, string], subjects: ReadonlyArray<string>): Promise<number> => {
  const [seeded, full] = homes.map((home) => homePaths({ env: { ADK_DATA_HOME: home } }).tasks) as [string, string];
  const queries = subjects.slice(0, 20);
  let equal = 0;
  for (const task of readdirSync(seeded)) {
    const [one, other] = [codeIndexDir(join(seeded, task)), codeIndexDir(join(full, task))];
    const sameRows = JSON.stringify(await tableRows(one)) === JSON.stringify(await tableRows(other));
    const sameHits = JSON.stringify(await tenBest(one, queries)) === JSON.stringify(await tenBest(other, queries));
    if (sameRows && sameHits) equal += 1;
    else
      process.stderr.write(`${task}: rows ${sameRows ? "equal" : "differ"}, hits ${sameHits ? "equal" : "differ"}\n`);
  }
  return equal;
};

/**
 * What bases save: a sync of eight change requests of one branch, then of these and two of branches of their own,
 * against preparing the same ones from scratch, with as many jobs.
 */
export const syncing: Section = async (bench) => {
  const { shared, alone, subjects, missing } = benchRepository(bench);
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
    atLeast(eight.length, {
      name: "seeded indexes equal to full ones",
      value: await equalIndexes([join(bench.folder, "sync-8"), home], subjects),
      unit: "PRs",
      note: "rows with their vectors, and the ten best hits of 20 searches",
    }),
    ...(missing.length === 0
      ? []
      : [
          figure({
            name: "git objects that the source lacks",
            value: missing.length,
            unit: "left out",
            note: missing.slice(0, 20).join(" "),
          }),
        ]),
    figure({ name: "sync, peak memory", value: mixed.peakMb, unit: "MB" }),
  ];
};
