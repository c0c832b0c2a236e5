import { languageOf } from "../index/languages.ts";
import { type Import, importsOf, withoutImports } from "./imports.ts";
import { isTestPath } from "./relatedTests.ts";

/** A name that a change touches. */
export interface ChangedName {
  readonly name: string;
  readonly path: string;
  /** Belongs to a class or to another function: who calls it does not import it by name. */
  readonly member: boolean;
}

/** A chunk of the index in a file that the change does not touch. */
export interface CallingChunk {
  readonly path: string;
  readonly line_start: number;
  readonly symbol: string;
  readonly text: string;
  readonly defs: ReadonlyArray<string>;
  readonly calls: ReadonlyArray<string>;
}

export interface Caller {
  readonly path: string;
  /** Line of the first call in the chunk, from 1. */
  readonly line: number;
  readonly symbol: string;
  readonly calls: ReadonlyArray<string>;
}

/** How sure it is that a call means the changed name: imported from its file, possible, or imported from elsewhere. */
type Certainty = "imported" | "possible" | "elsewhere";

const order: ReadonlyArray<Certainty> = ["imported", "possible", "elsewhere"];

const scripts = new Set(["javascript", "typescript", "tsx", "vue", "svelte"]);

/** Objects of the language and its hosts: `JSON.parse` is nobody's `parse`. */
const hostObjects =
  "(?:globalThis\\.)?(?:JSON|Math|Object|Array|Number|String|Boolean|Promise|Date|Reflect|Symbol|Intl|URL|Buffer|Atomics|BigInt|RegExp|console|process|window|document|performance|crypto|Deno|Bun)";

const escaped = (name: string): string => name.replaceAll(/[$^\\.*+?()[\]{}|]/g, "\\$&");

/** Forms in which a name is called, constructed, rendered or handed over. */
const usesOf = (name: string) => {
  const word = `${escaped(name)}(?![\\w$])`;
  const call = `${word}\\s{0,80}(?:<[^()\\n]{0,200}>\\s{0,80})?[(\`]`;
  return {
    any: new RegExp(`(?<![\\w$])${call}|<(?:\\w+\\.)?${word}|[(,{]\\s{0,80}${word}\\s{0,80}[,)}]`),
    plain: new RegExp(`(?<![\\w$.#])${call}|<${word}|[(,{]\\s{0,80}${word}\\s{0,80}[,)}]`),
    notOfHost: new RegExp(`(?<!(?<![\\w$.])${hostObjects}\\??\\.)(?<![\\w$])${call}`),
    ofObject: (object: string) => new RegExp(`(?<![\\w$.])${escaped(object)}\\??\\.${word}`),
  };
};

const lastSegments = (path: string): ReadonlyArray<string> => {
  const segments = path.split("/");
  const stem = (segments.pop() ?? "").replace(/\.[a-z.]+$/i, "");
  return /^(?:index|mod|main)$/.test(stem) ? [stem, segments.at(-1) ?? stem] : [stem];
};

const namesWord = (names: string, name: string): boolean =>
  new RegExp(`(?<![\\w$])${escaped(name)}(?![\\w$])`).test(names);

/** Whether a specifier can mean the file: by its last segment, with or without an ending. */
const meansFile = (from: string, path: string): boolean => {
  const last = (from.split("/").at(-1) ?? "").replace(/\.[cm]?[jt]sx?$/, "");
  return lastSegments(path).includes(last);
};

/** A bare specifier none of whose segments is a folder on the way to the file: another package. */
const isForeign = (from: string, path: string): boolean =>
  !/^[.~@#]?\//.test(from) && !/^\.\.?$/.test(from) && !from.split("/").some((part) => path.split("/").includes(part));

/** Objects that stand for a whole module: `import * as m`, `import m`, `const m = require(…)`. */
const objectsOf = ({ names }: Import): ReadonlyArray<string> =>
  [names.replace(/\{[^}]*\}/, "").match(/[\w$]+(?=\s*,?\s*$)/)?.[0]].filter((name) => name !== undefined);

interface CallingFile {
  readonly imports: ReadonlyArray<Import>;
  readonly defs: ReadonlySet<string>;
}

const certaintyOf = (
  changed: ChangedName,
  chunk: Pick<CallingChunk, "path" | "text">,
  file: CallingFile,
): Certainty | null => {
  if (!scripts.has(languageOf(chunk.path).name)) return "possible";
  const uses = usesOf(changed.name);
  const plain = uses.plain.test(chunk.text);
  if (!plain && !uses.notOfHost.test(chunk.text)) return uses.any.test(chunk.text) ? null : "possible";
  if (changed.member) return "possible";
  const own = file.imports.filter(({ from }) => meansFile(from, changed.path));
  if (plain) {
    if (own.some(({ names }) => namesWord(names, changed.name))) return "imported";
    const others = file.imports.filter(({ names }) => namesWord(names, changed.name));
    if (others.length === 0) return file.defs.has(changed.name) ? null : "possible";
    return others.every(({ from }) => isForeign(from, changed.path)) ? "elsewhere" : "possible";
  }
  const byObject = file.imports.filter((one) =>
    objectsOf(one).some((object) => uses.ofObject(object).test(chunk.text)),
  );
  if (byObject.some(({ from }) => meansFile(from, changed.path))) return "imported";
  return byObject.length > 0 && byObject.every(({ from }) => isForeign(from, changed.path)) ? "elsewhere" : "possible";
};

/** Line of the first use of one of the names that is not its definition; the chunk's first where none is seen. */
const lineOf = (chunk: CallingChunk, code: string, names: ReadonlyArray<string>): number => {
  const places = names.flatMap((name) => {
    const [first, second] = [...code.matchAll(new RegExp(usesOf(name).any, "g"))].map(({ index }) => index);
    return (chunk.defs.includes(name) ? (second ?? first) : first) ?? [];
  });
  return chunk.line_start + code.slice(0, places.length === 0 ? 0 : Math.min(...places)).split("\n").length - 1;
};

const groupFiles = (chunks: ReadonlyArray<CallingChunk>): ReadonlyMap<string, CallingFile> => {
  const texts = new Map<string, { text: string[]; defs: Set<string> }>();
  for (const { path, text, defs } of chunks) {
    const known = texts.get(path) ?? { text: [], defs: new Set<string>() };
    known.text.push(text);
    for (const name of defs) known.defs.add(name);
    texts.set(path, known);
  }
  return new Map([...texts].map(([path, { text, defs }]) => [path, { imports: importsOf(text.join("\n")), defs }]));
};

/**
 * Who calls the changed names, surest first, source before tests: files that import a name from its file, then those
 * where nothing speaks against it. Left out: calls of the language's own objects (`JSON.parse`), of a file's own
 * definition, and, where better is known, of a name that another package gives.
 */
export const callersOf = (
  changed: ReadonlyArray<ChangedName>,
  chunks: ReadonlyArray<CallingChunk>,
): ReadonlyArray<Caller> => {
  const files = groupFiles(chunks);
  const found = chunks.flatMap((chunk) => {
    const file = files.get(chunk.path);
    if (file === undefined) return [];
    const text = withoutImports(chunk.text);
    return changed.flatMap((name) => {
      const certainty = chunk.calls.includes(name.name) ? certaintyOf(name, { path: chunk.path, text }, file) : null;
      return certainty === null ? [] : [{ chunk, text, name: name.name, certainty }];
    });
  });
  const better = new Set(found.flatMap(({ name, certainty }) => (certainty === "elsewhere" ? [] : [name])));
  const kept = found.filter(({ name, certainty }) => certainty !== "elsewhere" || !better.has(name));
  const callers = [...new Set(kept.map(({ chunk }) => chunk))].map((chunk) => {
    const here = kept.filter((one) => one.chunk === chunk);
    const calls = [...new Set(here.map(({ name }) => name))];
    const rank = Math.min(...here.map(({ certainty }) => order.indexOf(certainty)));
    return {
      rank,
      caller: { path: chunk.path, line: lineOf(chunk, here[0]?.text ?? "", calls), symbol: chunk.symbol, calls },
    };
  });
  return callers
    .sort(
      (a, b) =>
        Number(isTestPath(a.caller.path)) - Number(isTestPath(b.caller.path)) ||
        a.rank - b.rank ||
        (a.caller.path < b.caller.path ? -1 : a.caller.path > b.caller.path ? 1 : a.caller.line - b.caller.line),
    )
    .map(({ caller }) => caller);
};
