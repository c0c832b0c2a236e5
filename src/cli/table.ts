import { displayWidth } from "../text/displayWidth.ts";
import { terminalCell, truncateCell } from "../text/sanitize.ts";

export interface TableColumn {
  readonly header: string;
  readonly align?: "left" | "right";
  /** Gives way when the table is wider than the terminal; at most one column should. */
  readonly shrinks?: boolean;
}

export interface TableOptions {
  readonly columns: ReadonlyArray<TableColumn>;
  /** Cells as they come from outside; they are made safe for a terminal here. */
  readonly rows: ReadonlyArray<ReadonlyArray<string>>;
  /** Columns of the terminal; left out where nothing should be cut (a pipe). */
  readonly width?: number;
}

const gap = "  ";
const least = 8;

const pad = (cell: string, width: number, align: "left" | "right"): string => {
  const space = " ".repeat(Math.max(0, width - displayWidth(cell)));
  return align === "right" ? space + cell : cell + space;
};

/** A table of text with aligned columns, one row a line, no trailing spaces and no newline at the end. */
export const renderTable = (options: TableOptions): string => {
  const lines = [options.columns.map((column) => column.header), ...options.rows].map((row) =>
    options.columns.map((_, index) => terminalCell(row[index] ?? "")),
  );
  const widths = options.columns.map((_, index) => Math.max(...lines.map((line) => displayWidth(line[index] ?? ""))));
  const total = widths.reduce((sum, width) => sum + width, 0) + gap.length * (widths.length - 1);
  const shrinking = options.columns.findIndex((column) => column.shrinks === true);
  if (options.width !== undefined && shrinking !== -1 && total > options.width) {
    widths[shrinking] = Math.max(least, (widths[shrinking] ?? 0) - (total - options.width));
  }
  return lines
    .map((line) =>
      line
        .map((cell, index) => {
          const width = widths[index] ?? 0;
          return pad(truncateCell(cell, width), width, options.columns[index]?.align ?? "left");
        })
        .join(gap)
        .trimEnd(),
    )
    .join("\n");
};
