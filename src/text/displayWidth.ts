/** Columns that a terminal gives to text; expects text without control characters (see sanitize.ts). */

const mark = /[\p{Mn}\p{Me}\p{Cf}]/u;
const emoji = /\p{Emoji_Presentation}/u;
const ascii = /^[\x20-\x7e]*$/;

// East Asian Width W and F of Unicode 15, joined over unassigned gaps; emoji come from the engine's own table.
const wideRanges: ReadonlyArray<readonly [number, number]> = [
  [0x1100, 0x115f],
  [0x2329, 0x232a],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97c],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18cff],
  [0x1aff0, 0x1b2ff],
  [0x20000, 0x3fffd],
];

const isRegionalIndicator = (code: number): boolean => code >= 0x1f1e6 && code <= 0x1f1ff;
const isSkinTone = (code: number): boolean => code >= 0x1f3fb && code <= 0x1f3ff;

/** Columns of one character that follows one of `before` columns: 0 for marks, 2 for wide ones; half a flag counts 1. */
const charWidth = (char: string, before: number): number => {
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x300) return 1;
  if (isRegionalIndicator(code)) return 1;
  if (isSkinTone(code)) return before === 2 ? 0 : 2;
  if (mark.test(char)) return 0;
  if (emoji.test(char)) return 2;
  return wideRanges.some(([from, to]) => code >= from && code <= to) ? 2 : 1;
};

/** Columns of one line of text. */
export const displayWidth = (text: string): number => {
  if (ascii.test(text)) return text.length;
  let total = 0;
  let before = 0;
  for (const char of text) {
    before = charWidth(char, before);
    total += before;
  }
  return total;
};

/** The longest beginning of `text` that fits into `columns`; a wide character is never cut in half. */
export const takeColumns = (text: string, columns: number): string => {
  if (ascii.test(text)) return text.slice(0, Math.max(0, columns));
  let taken = "";
  let total = 0;
  let before = 0;
  for (const char of text) {
    before = charWidth(char, before);
    if (total + before > columns) break;
    total += before;
    taken += char;
  }
  return taken;
};
