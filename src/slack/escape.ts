import { terminalText } from "../text/sanitize.ts";

/** Slack's three control characters as entities (its own rule for all text that is not markup). */
const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

const oneLine = (text: string): string => terminalText(text).replaceAll(/\s+/g, " ").trim();

const cut = (text: string, max: number): string => {
  const points = [...text];
  return points.length <= max ? text : `${points.slice(0, Math.max(0, max - 1)).join("")}…`;
};

/**
 * Text from outside as one line of a Slack message: no control or bidi character, at most `max` characters before
 * escaping, and `& < >` as entities, so that `<!channel>`, `<@U1>` and `<http://…|…>` stay text (threat T10).
 */
export const slackText = (text: string, max = 200): string =>
  cut(oneLine(text), max).replaceAll(/[&<>]/g, (character) => entities[character] ?? "");

/** Text that Slack gave (`&amp;`, `&lt;`, `&gt;`) as it was written. */
export const slackUnescape = (text: string): string =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
