/** Patterns of the Markdown neutraliser. Each is linear. */
export const markdownPatterns = {
  lineBreak: /\r\n?|[\v\f\u0085\u2028\u2029]/g,
  invisible: /[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\x00-\x08\x0e-\x1f\x7f-\x9f]/gu,
  /** What begins a construct inside a line; a backslash makes it literal. */
  syntax: /[\\`*_{}[\]()!|~$]/g,
  entity: /[&<>@#]/g,
  scheme: /:\/\//g,
  bareHost: /\bwww\./gi,
  issueWord: /\bGH-(?=\d)/gi,
  /** Lists, headings under a text, quotes, thematic breaks at the start of a line. */
  listStart: /^([ \t]{0,1000})(\d{0,9})([-+=.:])/gm,
  /** Four spaces would make a code block, where entities are shown as they are written. */
  indent: /^[ \t]+/gm,
  backticks: /`+/g,
  notLang: /[^A-Za-z0-9+#-]/g,
} as const;
