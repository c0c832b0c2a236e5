import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { dirname } from "node:path";
import type { BenchRow } from "./BenchRow.ts";

/** The figures of one section, with the day and the load of the machine when it began. */
export interface SectionResult {
  readonly name: string;
  readonly date: string;
  readonly load: number;
  readonly rows: ReadonlyArray<BenchRow>;
}

/** Processes that wanted to run in the last minute. */
export const loadAverage = (): number => Math.round((loadavg()[0] ?? 0) * 10) / 10;

const cells = (row: BenchRow): ReadonlyArray<string> => [
  row.name,
  String(row.value),
  row.unit,
  row.bar ?? "",
  row.ok === undefined ? "" : row.ok ? "ok" : "MISS",
  row.note ?? "",
];

/** Prints the table of a section, and a warning when others used the machine meanwhile. */
export const printSection = (result: SectionResult): void => {
  const table = [["figure", "value", "unit", "bar", "", "note"], ...result.rows.map(cells)];
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  const lines = table.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  const warning = result.load > 1 ? "; other work was running: seconds and ratios are worse than the truth" : "";
  process.stdout.write(`\n${result.name} (load average ${result.load}${warning})\n${lines.join("\n")}\n`);
};

interface Record {
  readonly node: string;
  readonly platform: string;
  readonly cores: number;
  readonly memory_gb: number;
  readonly sections: ReadonlyArray<SectionResult>;
}

const recorded = (file: string): ReadonlyArray<SectionResult> =>
  existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Record).sections : [];

/** Writes the record; sections that were not measured this time keep their last figures and date. */
export const keepResults = (file: string, results: ReadonlyArray<SectionResult>): void => {
  const measured = new Map(results.map((result) => [result.name, result]));
  const kept = recorded(file).map((old) => measured.get(old.name) ?? old);
  const fresh = results.filter((result) => !kept.includes(result));
  const record: Record = {
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    cores: cpus().length,
    memory_gb: Math.round(totalmem() / 2 ** 30),
    sections: [...kept, ...fresh],
  };
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(record, null, 2)}\n`);
};
