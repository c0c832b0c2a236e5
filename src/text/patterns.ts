import { markdownPatterns } from "./markdownPatterns.ts";
import { redactPatterns, secretFlag, secretName } from "./redactPatterns.ts";
import { sanitizePatterns } from "./sanitizePatterns.ts";

/** Every regular expression of src/text that sees text from outside, by name: the list that the time budget runs over. */
export const textPatterns: Readonly<Record<string, RegExp>> = {
  ...sanitizePatterns,
  ...redactPatterns,
  ...Object.fromEntries(Object.entries(markdownPatterns).map(([name, pattern]) => [`markdown.${name}`, pattern])),
  secretName,
  secretFlag,
};
