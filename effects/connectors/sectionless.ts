import { isMap, isNode, isScalar, LineCounter, parseDocument } from "yaml";
import { nearest } from "../../src/cli/nearest.ts";
import { type FileNote, sectionKey } from "../../src/connectors/slackFrontMatter.ts";
import { terminalCell } from "../../src/text/sanitize.ts";
import { excessOf } from "../settings/parseSettings.ts";

/** Keys of the section that people write beside it. */
const innerKeys = ["channels", "filter_mentioned_users", "filter_users", "scan_days_default", "status_emoji"];

/**
 * Why front matter (its lines at their numbers) has no section for adk. `isWrong`: it is of the wrong kind, or cannot be
 * read; else it merely says nothing to adk, which is a warning like any unknown key (spec 2, "Configuration").
 */
export const sectionless = (text: string): { readonly isWrong: boolean; readonly note: FileNote } => {
  const said = (isWrong: boolean) => (line: number, message: string) => ({
    isWrong,
    note: { line, message: terminalCell(message) },
  });
  const [wrong, useless] = [said(true), said(false)];
  const excess = excessOf(text);
  if (excess !== null) return wrong(excess.line, excess.message);
  const lines = new LineCounter();
  const lineAt = (offset: number | undefined): number => lines.linePos(offset ?? 0).line;
  const { contents, errors } = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: false,
    merge: false,
  });
  const broken = errors[0];
  if (broken !== undefined) return wrong(lineAt(broken.pos[0]), broken.message);
  const nothing = "the front matter has no pr_reviews section, so nothing in it counts";
  if (contents === null) return useless(1, nothing);
  if (!isMap(contents)) {
    if (isScalar(contents) && contents.value === null) return useless(1, nothing);
    const kind = isScalar(contents) ? "text" : "a list";
    return wrong(
      lineAt(contents.range?.[0]),
      `the front matter must be a map with the key pr_reviews, not ${kind}; write pr_reviews:, and its keys indented below it`,
    );
  }
  for (const { key } of contents.items) {
    if (!isScalar(key)) continue;
    const name = String(key.value);
    const line = lineAt(isNode(key) ? key.range?.[0] : 0);
    if (name === sectionKey)
      return wrong(line, "write pr_reviews: at the beginning of a line, without quotes or braces around it");
    if (innerKeys.includes(name))
      return useless(line, `the key ${name} does not count here; indent it below a line pr_reviews:`);
    if (nearest(name, [sectionKey]) !== undefined)
      return useless(line, `unknown key ${name} (did you mean pr_reviews?)`);
  }
  return useless(1, nothing);
};
