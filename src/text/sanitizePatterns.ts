/** Patterns of the terminal sanitiser. Each is linear: no nested quantifier, no class that overlaps its successor. */
export const sanitizePatterns = {
  /** Printable ASCII and line feeds: nothing to do. */
  plain: /^[\n\x20-\x7e]*$/,
  plainCell: /^[\x20-\x7e]*$/,
  lineBreak: /\r\n|[\n\v\f\u0085\u2028\u2029]/g,
  /** OSC, DCS, APC, PM, SOS with their text up to BEL or ST on the same line; unended ones lose the introducer only. */
  stringSequence:
    /(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])(?:[^\x07\n\x1b\x90\x98\x9b-\x9f]{0,65536}(?:\x07|\x1b\\|\x9c))?/g,
  /** CSI with its parameters and final byte, 7- and 8-bit; then every other ESC sequence; then a lone ESC. */
  controlSequence: /(?:\x1b\[|\x9b)[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]?|\x1b[\x20-\x2f]*[\x30-\x7e]?/g,
  /** Unicode's default-ignorable characters (bidi controls, zero-width, tags, variation selectors, fillers, soft hyphen). */
  invisible: /[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu,
  /** More than three combining marks in a row spill into the rows above and below. */
  tooManyMarks: /([\p{Mn}\p{Me}]{3})[\p{Mn}\p{Me}]+/gu,
  control: /[\x00-\x09\x0b-\x1f\x7f-\x9f]/g,
  loneSurrogate: /\p{Cs}/gu,
} as const;
