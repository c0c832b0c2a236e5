/** One line of the table. `ok` is there where the figure has a bar. */
export interface BenchRow {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly bar?: string;
  readonly ok?: boolean;
  /** How the figure came about, where the name does not say it. */
  readonly note?: string;
}

interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly note?: string;
}

/** Three digits are more than any of these measurements is good for; whole numbers stay whole. */
const rounded = (value: number): number => (Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3)));

/** A figure without a bar. */
export const figure = (row: Figure): BenchRow => ({ ...row, value: rounded(row.value) });

/** A figure that must not be above `limit`. */
export const atMost = (limit: number, row: Figure): BenchRow => ({
  ...figure(row),
  bar: `<= ${limit}`,
  ok: row.value <= limit,
});

/** A figure that must not be below `limit`. */
export const atLeast = (limit: number, row: Figure): BenchRow => ({
  ...figure(row),
  bar: `>= ${limit}`,
  ok: row.value >= limit,
});
