import type { Section } from "./Bench.ts";
import { atMost, figure } from "./BenchRow.ts";
import { indexedHome } from "./benchHome.ts";
import { benchRepository } from "./benchRepository.ts";
import { runChild } from "./children.ts";
import type { QueryInput, QueryResult } from "./indexParts.ts";
import { runAdk } from "./program.ts";
import { median, quantile } from "./statistics.ts";

/** Hybrid searches: of an open index, and as a verb of its own. */
export const searching: Section = async (bench) => {
  const { home, base } = await indexedHome(bench);
  const texts = benchRepository(bench).subjects.slice(0, bench.quick ? 20 : 100);
  const input: QueryInput = { root: bench.root, home, dir: base, texts };
  const { result } = await runChild<QueryResult>(bench, "queries", input);
  if (result.found === 0) throw new Error("no search found anything");
  const verb: number[] = [];
  for (const text of texts.slice(0, 5))
    verb.push((await runAdk(bench, ["index", "query", text, "--repo", "bench"], { home })).seconds);
  return [
    atMost(50, {
      name: "query of an open index, p95",
      value: quantile(result.millis, 0.95),
      unit: "ms",
      note: `${result.rows} chunks, ${result.millis.length} queries, p50 ${median(result.millis).toFixed(0)} ms`,
    }),
    figure({ name: "opening", value: result.openMs, unit: "ms" }),
    figure({ name: "first query", value: result.firstMs, unit: "ms" }),
    figure({ name: "adk index query", value: median(verb), unit: "s, whole process" }),
  ];
};
