import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Section } from "./Bench.ts";
import { atLeast, atMost, figure } from "./BenchRow.ts";
import { indexedHome, indexMeta } from "./benchHome.ts";
import { runChild } from "./children.ts";
import type { FullInput, FullResult } from "./indexParts.ts";
import { median } from "./statistics.ts";

/** Full indexes: through `adk repo add`, then with one thread and with two worker threads. */
export const fullIndexing: Section = async (bench) => {
  const { home, clone, base, added } = await indexedHome(bench);
  const meta = indexMeta(base);
  const runs = bench.fullRuns;
  const bySecond: Record<number, number[]> = { 0: [], 1: [], 2: [] };
  const byCpu: number[] = [];
  let files = 0;
  // The kinds take turns, so that all meet the same machine.
  for (let run = 0; run < runs; run++)
    for (const threads of [0, 1, 2]) {
      const dir = join(home, `full-${threads}-${run}`);
      const input: FullInput = { root: bench.root, home, clone, sha: meta.head_sha, dir, threads };
      const { ended, result } = await runChild<FullResult>(bench, "fullIndex", input);
      if (result.rows !== meta.rows) throw new Error(`${threads} threads made ${result.rows} of ${meta.rows} rows`);
      files = result.files;
      bySecond[threads]?.push(result.rows / result.seconds);
      if (threads === 0) byCpu.push(result.rows / ended.cpuSeconds);
      rmSync(dir, { recursive: true });
    }
  const rate = (threads: number): number => median(bySecond[threads] ?? []);
  return [
    figure({ name: "indexed files", value: files, unit: "files", note: `${meta.rows} chunks` }),
    figure({
      name: "adk repo add",
      value: added.seconds,
      unit: "s, whole process",
      note: `index ${meta.seconds.toFixed(1)} s, CPU ${added.cpuSeconds.toFixed(1)} s`,
    }),
    atMost(900, { name: "adk repo add, peak memory", value: added.peakMb, unit: "MB" }),
    atLeast(1100, { name: "full index, one thread", value: rate(0), unit: "chunks/s", note: `median of ${runs}` }),
    figure({ name: "full index, one thread", value: median(byCpu), unit: "chunks per CPU-second" }),
    figure({ name: "full index, one worker thread", value: rate(1), unit: "chunks/s" }),
    figure({ name: "full index, two worker threads", value: rate(2), unit: "chunks/s" }),
    atLeast(1.7, { name: "two threads against one", value: rate(2) / rate(0), unit: "x" }),
  ];
};
