import * as Effect from "effect/Effect";
import { type Document, isNode, LineCounter, parseDocument } from "yaml";
import { checkConfig, type KeyPath } from "../../src/config/check.ts";
import type { Config } from "../../src/config/config.ts";
import { terminalCell } from "../../src/text/sanitize.ts";
import { ConfigUnreadable } from "./errors.ts";

const maxAliases = 10;
const maxDepth = 32;

export interface ParsedSettings {
  readonly config: Config;
  readonly warnings: ReadonlyArray<string>;
  readonly document: Document.Parsed;
}

/** Line of the first place that nests deeper than any configuration does; the parser would be slow on it, or overflow. */
export const tooDeepLine = (text: string): number | null => {
  let line = 1;
  let brackets = 0;
  let dashes = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === "\n") {
      line += 1;
      dashes = 0;
    } else if (char === "[" || char === "{") brackets += 1;
    else if (char === "]" || char === "}") brackets = Math.max(0, brackets - 1);
    else if ((char === "-" || char === "?" || char === ":") && /\s/.test(text[at + 1] ?? " ")) dashes += 1;
    if (brackets > maxDepth || dashes > maxDepth) return line;
  }
  return null;
};

const lineOf = (document: Document.Parsed, lines: LineCounter, path: KeyPath): number | null => {
  for (let length = path.length; length > 0; length -= 1) {
    const parent = document.getIn(path.slice(0, length - 1), true) as unknown;
    const last = path[length - 1];
    const items = (parent as { items?: ReadonlyArray<{ key?: unknown }> } | null | undefined)?.items ?? [];
    const pair = items.find(
      (item) => isNode(item?.key) && "value" in item.key && String(item.key.value) === String(last),
    );
    const key = pair?.key;
    const node = isNode(key) ? key : (document.getIn(path.slice(0, length), true) as unknown);
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
  }
  return document.contents === null ? null : 1;
};

/** Parses and checks the text of core.yaml; `path` is named in errors. Bounded in depth, aliases and time (threat T16). */
export const parseSettings = (path: string, text: string): Effect.Effect<ParsedSettings, ConfigUnreadable> =>
  Effect.suspend(() => {
    const fail = (what: string, line: number | null, key: string | null = null) =>
      new ConfigUnreadable({
        message: `${path}${line === null ? "" : `:${line}`}: ${terminalCell(what)}`,
        hint: "fix that line; `adk config show` then prints what is in force, docs/config.md lists every key",
        path,
        line,
        key,
      });
    const deep = tooDeepLine(text);
    if (deep !== null) return fail(`nested deeper than ${maxDepth} levels`, deep);
    const lines = new LineCounter();
    return Effect.try({
      try: () => {
        const document = parseDocument(text, {
          lineCounter: lines,
          prettyErrors: false,
          uniqueKeys: true,
          merge: false,
        });
        return { document, value: document.errors.length > 0 ? null : document.toJS({ maxAliasCount: maxAliases }) };
      },
      catch: (error) => fail(error instanceof Error ? error.message : "not readable as YAML", null),
    }).pipe(
      Effect.flatMap(({ document, value }) => {
        const broken = document.errors[0];
        if (broken !== undefined) {
          const { line } = lines.linePos(broken.pos[0]);
          const word = /^[^\s:#]{1,80}/.exec(text.slice(broken.pos[0]))?.[0] ?? null;
          const key = broken.code === "DUPLICATE_KEY" ? word : null;
          return fail(key === null ? broken.message : `the key ${key} is given twice`, line, key);
        }
        const checked = checkConfig(value);
        const wrong = checked.errors[0];
        if (wrong !== undefined) return fail(wrong.message, lineOf(document, lines, wrong.path), wrong.path.join("."));
        const warnings = checked.unknown.map(
          (issue) => `${path}:${lineOf(document, lines, issue.path) ?? 1}: ${terminalCell(issue.message)}`,
        );
        return Effect.succeed({ config: checked.config, warnings, document });
      }),
    );
  });
