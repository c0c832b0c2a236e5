import { renderTable } from "../src/cli/table.ts";

/** A table whose first row is the header; all columns left-aligned, cells made safe for a terminal. */
export const plainTable = ([header = [], ...rows]: ReadonlyArray<ReadonlyArray<string>>): string =>
  renderTable({ columns: header.map((text) => ({ header: text })), rows });
