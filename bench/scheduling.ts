import type { Section } from "./Bench.ts";
import { atMost, type BenchRow, figure } from "./BenchRow.ts";
import { runChild } from "./children.ts";
import type { PlanningInput, PlanningResult } from "./planning.ts";
import { median } from "./statistics.ts";

/** The machines by themselves, then plan and pools of a sync of many PRs whose jobs do nothing. */
export const scheduling: Section = async (bench) => {
  const machines = await runChild<ReadonlyArray<BenchRow>>(bench, "machines", null);
  const prs = bench.quick ? 1000 : 10_000;
  const runs = bench.quick ? 1 : 5;
  const run = async (withMachines: boolean): Promise<ReadonlyArray<PlanningResult>> => {
    const results: PlanningResult[] = [];
    const input: PlanningInput = { prs, machines: withMachines };
    for (let i = 0; i < runs; i++)
      results.push((await runChild<PlanningResult>(bench, "planning", input, ["--expose-gc"])).result);
    return results;
  };
  const idle = await run(false);
  const stepped = await run(true);
  const name = (what: string): string => `${what}, ${prs} PRs`;
  const [first] = idle;
  return [
    ...machines.result,
    figure({ name: name("planSync"), value: median(idle.map((one) => one.planSeconds)), unit: "s" }),
    atMost(1, {
      name: name("planSync and pools"),
      value: median(idle.map((one) => one.seconds)),
      unit: "s",
      note: `jobs that do nothing, ${first?.built ?? 0} bases`,
    }),
    atMost(60, { name: name("planSync and pools"), value: median(idle.map((one) => one.peakMb)), unit: "MB more" }),
    atMost(4, {
      name: name("planSync, pools and machines"),
      value: median(stepped.map((one) => one.seconds)),
      unit: "s",
      note: "queue and bases in memory",
    }),
  ];
};
