import type { TaskState } from "../effects/prepare/taskState.ts";
import type { Bench, Section } from "./Bench.ts";
import { atMost, figure } from "./BenchRow.ts";
import { addChanges, indexedHome, indexMeta } from "./benchHome.ts";
import { benchRepository } from "./benchRepository.ts";
import { type Ended, runAdk } from "./program.ts";
import { median, quantile } from "./statistics.ts";

interface Prepared extends Ended {
  readonly indexSeconds: number;
  readonly chunks: number;
}

const prepare = async (bench: Bench, home: string, url: string): Promise<Prepared> => {
  const ended = await runAdk(bench, ["pr-task", "prepare", url, "--json"], { home });
  const result: { outcome: string; used_base: TaskState["used_base"]; task_dir: string; chunks: TaskState["chunks"] } =
    JSON.parse(ended.stdout);
  if (result.outcome !== "prepared" || result.used_base === null) throw new Error(`not seeded: ${ended.stdout}`);
  const { seconds } = indexMeta(`${result.task_dir}/code-index`);
  return { ...ended, indexSeconds: seconds, chunks: result.chunks.embedded };
};

/** Change requests prepared from the indexed main branch: one at a time, then four processes at once. */
export const seededPreparation: Section = async (bench) => {
  const { home } = await indexedHome(bench);
  const urls = await addChanges(bench, home, benchRepository(bench).shared);
  const together = urls.slice(0, 4);
  const single: Prepared[] = [];
  for (const url of urls.slice(4, bench.quick ? 7 : urls.length)) single.push(await prepare(bench, home, url));
  const started = performance.now();
  const four = await Promise.all(together.map((url) => prepare(bench, home, url)));
  const fourSeconds = (performance.now() - started) / 1000;
  const whole = single.map((one) => one.seconds);
  const index = single.map((one) => one.indexSeconds);
  const all = [...single, ...four];
  return [
    atMost(3, {
      name: "seeded preparation, p50",
      value: median(whole),
      unit: "s, whole process",
      note: `${single.length} runs, slowest ${quantile(whole, 1).toFixed(1)} s, CPU ${median(single.map((one) => one.cpuSeconds)).toFixed(1)} s`,
    }),
    atMost(1, {
      name: "its index part, p50",
      value: median(index),
      unit: "s",
      note: `slowest ${quantile(index, 1).toFixed(1)} s, ${median(single.map((one) => one.chunks))} chunks made anew`,
    }),
    atMost(7, { name: "four at once", value: fourSeconds, unit: "s, until the last ends" }),
    atMost(500, { name: "peak memory", value: Math.max(...all.map((one) => one.peakMb)), unit: "MB" }),
    figure({ name: "changed chunks, most", value: Math.max(...all.map((one) => one.chunks)), unit: "chunks" }),
  ];
};
