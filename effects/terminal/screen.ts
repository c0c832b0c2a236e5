import { truncateCell } from "../../src/text/sanitize.ts";

/** The part of a stream that is written to. */
export interface TerminalOutput {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly write: (text: string) => unknown;
}

/** stderr with lines of progress at its end, which other lines do not tear. */
export interface Screen {
  readonly isTty: boolean;
  readonly columns: number;
  /** Whole lines above the progress; their text is made safe by the caller. */
  readonly print: (text: string) => void;
  /** Replaces the lines of progress; each is made safe and cut to the width. */
  readonly draw: (lines: ReadonlyArray<string>) => void;
}

/** Starts with no progress; without a terminal, or on one that cannot move its cursor, there never is any. */
export const makeScreen = (output: TerminalOutput): Screen => {
  const isTty = output.isTTY === true;
  let shown: ReadonlyArray<string> = [];
  const erase = (): string => (shown.length === 0 ? "" : `\u001b[${shown.length}A\r\u001b[0J`);
  const frame = (): string => {
    const width = Math.max(1, (output.columns || 80) - 1);
    return shown.map((line) => `${truncateCell(line, width)}\n`).join("");
  };
  return {
    isTty,
    columns: output.columns || 80,
    print: (text) => void output.write(erase() + text + frame()),
    draw: (lines) => {
      if (!isTty || (lines.length === 0 && shown.length === 0)) return;
      const before = erase();
      shown = lines;
      output.write(before + frame());
    },
  };
};
