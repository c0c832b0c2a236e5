import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { atLeast, atMost, figure } from "../../bench/BenchRow.ts";
import { keepResults } from "../../bench/report.ts";
import { median, quantile } from "../../bench/statistics.ts";

describe("the figures of a benchmark", () => {
  it("are medians, the mean of the middle two where there are two", () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([4, 1, 9, 2])).toBe(3);
    expect(median([])).toBeNaN();
  });

  it("have a p95 that a share of 95 in 100 does not exceed", () => {
    const values = Array.from({ length: 100 }, (_, i) => 100 - i);
    expect(quantile(values, 0.95)).toBe(95);
    expect(quantile(values, 1)).toBe(100);
    expect(quantile([7], 0.5)).toBe(7);
  });

  it("are judged before they are rounded", () => {
    expect(atMost(2, { name: "a", value: 2.001, unit: "x" })).toMatchObject({ value: 2, ok: false, bar: "<= 2" });
    expect(atMost(2, { name: "a", value: 2, unit: "x" }).ok).toBe(true);
    expect(atLeast(1100, { name: "a", value: 1099.9, unit: "x" }).ok).toBe(false);
    expect(atLeast(1100, { name: "a", value: 1100, unit: "x" }).ok).toBe(true);
    expect(figure({ name: "a", value: 1, unit: "x" }).ok).toBeUndefined();
  });

  it("never pass without a value", () => {
    expect(atMost(2, { name: "a", value: Number.NaN, unit: "x" }).ok).toBe(false);
    expect(atLeast(2, { name: "a", value: Number.NaN, unit: "x" }).ok).toBe(false);
  });
});

describe("the record", () => {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "adk-record-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("keeps sections that were not measured again and replaces those that were", () => {
    const file = join(folder, "results", "latest.json");
    const section = (name: string, load: number) => ({ name, date: "2026-01-02", load, rows: [] });
    keepResults(file, [section("queue", 1), section("index", 2)]);
    keepResults(file, [section("index", 3), section("sync", 4)]);
    const { sections } = JSON.parse(readFileSync(file, "utf8"));
    expect(sections.map((one: { name: string; load: number }) => [one.name, one.load])).toEqual([
      ["queue", 1],
      ["index", 3],
      ["sync", 4],
    ]);
  });
});
