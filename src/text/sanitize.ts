import { displayWidth, takeColumns } from "./displayWidth.ts";
import { sanitizePatterns as patterns } from "./sanitizePatterns.ts";

/** The visible stand-in of a control character: its picture for C0 and DEL, U+FFFD for everything else. */
const picture = (char: string): string => {
  const code = char.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? "\u2421" : "\ufffd";
};

/**
 * Text from outside made safe for a terminal, line breaks kept (threat T9, spec 6 "Untrusted text"). Whole escape
 * sequences (CSI, OSC, DCS, APC, PM, SOS, 8-bit forms too) become one `␛`; other control characters their pictures;
 * bidi controls, zero-width and tag characters, variation selectors vanish; a tab becomes two spaces.
 * Idempotent. JSON output must not pass through here: its own escapes keep the data.
 */
export const terminalText = (text: string): string => {
  if (patterns.plain.test(text)) return text;
  return text
    .replaceAll(patterns.lineBreak, "\n")
    .replaceAll("\t", "  ")
    .replaceAll(patterns.stringSequence, "\u241b")
    .replaceAll(patterns.controlSequence, "\u241b")
    .replaceAll(patterns.invisible, "")
    .replaceAll(patterns.tooManyMarks, "$1")
    .replaceAll(patterns.control, picture)
    .replaceAll(patterns.loneSurrogate, "\ufffd");
};

/** As `terminalText`, on one line: line breaks and tabs become a space. For table cells, titles, error lines. */
export const terminalCell = (text: string): string => {
  if (patterns.plainCell.test(text)) return text;
  return terminalText(text.replaceAll(patterns.lineBreak, " ").replaceAll("\t", " ")).replaceAll("\n", " ");
};

/** A cell of at most `columns` columns, ending in `…` when something was cut. Wide characters are never halved. */
export const truncateCell = (text: string, columns: number): string => {
  const cell = terminalCell(text);
  if (columns <= 0) return "";
  return displayWidth(cell) <= columns ? cell : `${takeColumns(cell, columns - 1)}…`;
};
