import { fence, markdownText } from "../text/markdown.ts";
import { terminalCell, terminalText } from "../text/sanitize.ts";

/** How outside text becomes safe in Markdown that a person, a terminal or an agent reads. */
export interface PrecisText {
  /** One line, neutralised. */
  readonly inline: (text: string) => string;
  /** One line inside a code span: nothing in it is markup, so only what a terminal obeys is taken out. */
  readonly code: (text: string) => string;
  /** A block of at most `max` characters marked as data, in a fence longer than any run of backticks in it. */
  readonly block: (text: string, max: number) => string;
}

export const precisText: PrecisText = {
  inline: (text) => markdownText(terminalCell(text)).trim(),
  code: (text) => terminalCell(text).replaceAll("`", "'"),
  block: (text, max) => fence(terminalText(text).slice(0, max), "text"),
};
