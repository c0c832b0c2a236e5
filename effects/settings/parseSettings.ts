import * as Effect from "effect/Effect";
import { type Document, isMap, isNode, isScalar, LineCounter, type Pair, parseDocument, visit } from "yaml";
import { checkConfig, type KeyPath } from "../../src/config/check.ts";
import type { Config } from "../../src/config/config.ts";
import { terminalCell } from "../../src/text/sanitize.ts";
import { ConfigUnreadable } from "./errors.ts";

const maxAliases = 10;
const maxDepth = 32;
const maxEntries = 8_000;
const maxWarnings = 20;

export interface ParsedSettings {
  readonly config: Config;
  readonly warnings: ReadonlyArray<string>;
  readonly document: Document.Parsed;
}

export interface Excess {
  readonly line: number;
  readonly message: string;
}

/**
 * Where a text goes beyond what any configuration has, found without parsing: the parser takes seconds on such texts,
 * or overflows (threat T16). Counts characters, so that quotes and comments count too; the bounds are wide enough.
 */
export const excessOf = (text: string): Excess | null => {
  let line = 1;
  let brackets = 0;
  let dashes = 0;
  let entries = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === "\n") {
      line += 1;
      dashes = 0;
      entries += 1;
    } else if (char === ",") entries += 1;
    else if (char === "[" || char === "{") brackets += 1;
    else if (char === "]" || char === "}") brackets = Math.max(0, brackets - 1);
    else if ((char === "-" || char === "?" || char === ":") && /\s/.test(text[at + 1] ?? " ")) dashes += 1;
    if (brackets > maxDepth || dashes > maxDepth) return { line, message: `nested deeper than ${maxDepth} levels` };
    if (entries > maxEntries) return { line, message: `more than ${maxEntries} lines and list entries` };
  }
  return null;
};

/** The first key that stands twice in one map. The parser's own check compares every pair of keys: minutes on 256 KB. */
const duplicateKey = (document: Document.Parsed): { readonly key: string; readonly at: number } | null => {
  let found: { key: string; at: number } | null = null;
  visit(document, {
    Map(_, map) {
      const seen = new Set<string>();
      for (const { key } of map.items as ReadonlyArray<Pair>) {
        if (!isScalar(key)) continue;
        const name = String(key.value);
        if (seen.has(name)) {
          found = { key: name, at: key.range?.[0] ?? 0 };
          return visit.BREAK;
        }
        seen.add(name);
      }
      return undefined;
    },
  });
  return found;
};

const lineOf = (document: Document.Parsed, lines: LineCounter, path: KeyPath): number | null => {
  for (let length = path.length; length > 0; length -= 1) {
    const parent = length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true);
    const last = path[length - 1];
    const items: ReadonlyArray<{ readonly key: unknown }> = isMap(parent) ? parent.items : [];
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
    const excess = excessOf(text);
    if (excess !== null) return fail(excess.message, excess.line);
    const lines = new LineCounter();
    return Effect.try({
      try: () => {
        const document = parseDocument(text, {
          lineCounter: lines,
          prettyErrors: false,
          uniqueKeys: false,
          merge: false,
        });
        return { document, value: document.errors.length > 0 ? null : document.toJS({ maxAliasCount: maxAliases }) };
      },
      catch: (error) => fail(error instanceof Error ? error.message : "not readable as YAML", null),
    }).pipe(
      Effect.flatMap(({ document, value }) => {
        const broken = document.errors[0];
        if (broken !== undefined) return fail(broken.message, lines.linePos(broken.pos[0]).line);
        const twice = duplicateKey(document);
        if (twice !== null) return fail(`the key ${twice.key} is given twice`, lines.linePos(twice.at).line, twice.key);
        const checked = checkConfig(value);
        const wrong = checked.errors[0];
        if (wrong !== undefined) return fail(wrong.message, lineOf(document, lines, wrong.path), wrong.path.join("."));
        const rest = checked.unknown.length - maxWarnings;
        const warnings = checked.unknown
          .slice(0, maxWarnings)
          .map((issue) => `${path}:${lineOf(document, lines, issue.path) ?? 1}: ${terminalCell(issue.message)}`);
        if (rest > 0) warnings.push(`${path}: and ${rest} more unknown keys`);
        return Effect.succeed({ config: checked.config, warnings, document });
      }),
    );
  });
