import { markdownPatterns as patterns } from "./markdownPatterns.ts";

// Hosts look for mentions and references after entities are decoded, so that a break must stay between the characters.
const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "@": "@&ZeroWidthSpace;",
  "#": "#&ZeroWidthSpace;",
};

/**
 * Text from outside for the middle of a Markdown document (threat T11): it reads the same, but makes no HTML, comment,
 * image, link, mention, issue reference, fence, heading or table, and closes nothing. Line breaks stay.
 */
export const markdownText = (text: string): string =>
  text
    .replaceAll(patterns.lineBreak, "\n")
    .replaceAll(patterns.invisible, "")
    .replaceAll(patterns.syntax, "\\$&")
    .replaceAll(patterns.entity, (char) => entities[char] ?? char)
    .replaceAll(patterns.scheme, ":&ZeroWidthSpace;//")
    .replaceAll(patterns.bareHost, "www&ZeroWidthSpace;.")
    .replaceAll(patterns.issueWord, "GH&ZeroWidthSpace;-")
    .replaceAll(patterns.listStart, "$1$2\\$3")
    .replaceAll(patterns.indent, "");

const longestRun = (text: string): number => {
  let longest = 0;
  for (const run of text.match(patterns.backticks) ?? []) longest = Math.max(longest, run.length);
  return longest;
};

/** A fenced block that `text` cannot end: the fence is longer than any run of backticks in it. `lang` keeps [A-Za-z0-9+#-]. */
export const fence = (text: string, lang: string): string => {
  const ticks = "`".repeat(Math.max(3, longestRun(text) + 1));
  const body = text.replaceAll(patterns.lineBreak, "\n");
  return `${ticks}${lang.replaceAll(patterns.notLang, "")}\n${body}${body.endsWith("\n") ? "" : "\n"}${ticks}`;
};

/** Inline code that `text` cannot end; line breaks become spaces. */
export const inlineCode = (text: string): string => {
  const ticks = "`".repeat(longestRun(text) + 1);
  const body = text.replaceAll(patterns.lineBreak, " ").replaceAll("\n", " ");
  return `${ticks} ${body} ${ticks}`;
};
