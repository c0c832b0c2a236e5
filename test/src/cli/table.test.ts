import { describe, expect, it } from "vitest";
import { renderTable } from "../../../src/cli/table.ts";
import { displayWidth } from "../../../src/text/displayWidth.ts";

const columns = [{ header: "#", align: "right" }, { header: "title", shrinks: true }, { header: "status" }] as const;

describe("renderTable", () => {
  it("aligns columns and leaves no space at the end of a line", () => {
    expect(
      renderTable({
        columns,
        rows: [
          ["7", "Fix", "pending"],
          ["12", "Round totals", ""],
        ],
      }),
    ).toBe([" #  title         status", " 7  Fix           pending", "12  Round totals"].join("\n"));
  });

  it("counts wide characters as the terminal does", () => {
    const [, wide, narrow] = renderTable({
      columns,
      rows: [
        ["1", "修正", "a"],
        ["2", "abcd", "b"],
      ],
    }).split("\n");
    expect(displayWidth(wide ?? "")).toBe(displayWidth(narrow ?? ""));
  });

  it("cuts the shrinking column alone when the terminal is narrow", () => {
    const lines = renderTable({ columns, rows: [["1", "a".repeat(60), "pending"]], width: 30 }).split("\n");
    expect(lines.map((line) => line.length)).toEqual([expect.any(Number), 30]);
    expect(lines[1]).toMatch(/^1 {2}a+… {2}pending$/);
  });

  it("lets nothing from a cell move the cursor or start a new line", () => {
    const text = renderTable({ columns, rows: [["1", "a\u001b[2Jb\nc\u202ed", "x\u0007"]] });
    expect(text.split("\n")).toHaveLength(2);
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  });
});
