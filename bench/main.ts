// The benchmarks: npm run bench -- [--only startup,queue,…] [--repo PATH] [--quick] [--jobs N] [--runs N]
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import type { Bench, Section } from "./Bench.ts";
import { fullIndexing } from "./fullIndexing.ts";
import { fullIndex, queries } from "./indexParts.ts";
import { run as machines } from "./machines.ts";
import { planning } from "./planning.ts";
import { queue, writesPerSecond } from "./queue.ts";
import { keepResults, loadAverage, printSection, type SectionResult } from "./report.ts";
import { retrieval } from "./retrieval.ts";
import { scheduling } from "./scheduling.ts";
import { searching } from "./searching.ts";
import { seededPreparation } from "./seededPreparation.ts";
import { startup } from "./startup.ts";
import { syncing } from "./syncing.ts";
import { updating } from "./updating.ts";

const sections: Readonly<Record<string, Section>> = {
  startup,
  queue,
  machines: scheduling,
  index: async (bench) => [...(await fullIndexing(bench)), ...(await seededPreparation(bench))],
  query: searching,
  retrieval,
  sync: syncing,
  update: updating,
};

// biome-ignore lint/suspicious/noExplicitAny: each part decodes what its own caller passed
const parts: Readonly<Record<string, (input: any) => Promise<unknown>>> = {
  fullIndex,
  machines,
  planning,
  queries,
  writes: writesPerSecond,
};

const { values } = parseArgs({
  args: process.argv.slice(2),
  allowPositionals: true,
  options: {
    only: { type: "string" },
    repo: { type: "string" },
    quick: { type: "boolean", default: false },
    jobs: { type: "string", default: "1" },
    runs: { type: "string" },
    child: { type: "string" },
  },
});

const runPart = async (name: string, input: string | undefined): Promise<void> => {
  const part = parts[name];
  if (part === undefined) throw new Error(`no part ${name}`);
  process.stdout.write(JSON.stringify(await part(JSON.parse(input ?? "null"))));
};

const chosenSections = (): ReadonlyArray<readonly [string, Section]> => {
  const names = values.only?.split(",") ?? Object.keys(sections);
  return names.map((name) => {
    const section = sections[name];
    if (section === undefined) throw new Error(`no section ${name}; there are ${Object.keys(sections).join(", ")}`);
    return [name, section];
  });
};

const runSections = async (): Promise<void> => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "adk-bench-")));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const bench: Bench = {
    root: dirname(dirname(process.argv[1] ?? "")),
    folder,
    quick: values.quick,
    repo: values.repo === undefined ? null : realpathSync(values.repo),
    jobs: Number(values.jobs),
    fullRuns: Number(values.runs ?? (values.quick ? 1 : 3)),
  };
  const results: SectionResult[] = [];
  for (const [name, section] of chosenSections()) {
    const load = loadAverage();
    const rows = await section(bench);
    const result: SectionResult = { name, date: new Date().toISOString().slice(0, 10), load, rows };
    printSection(result);
    results.push(result);
  }
  // Small data and somebody's own repository say nothing about the bars of the record.
  if (!bench.quick && bench.repo === null) keepResults(join(bench.root, "bench/results/latest.json"), results);
  if (results.some((result) => result.rows.some((row) => row.ok === false))) process.exitCode = 1;
};

await (values.child === undefined ? runSections() : runPart(values.child, process.argv.at(-1)));
