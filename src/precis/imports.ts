/** An import or export-from of a JavaScript module, and where it stands in the text. */
export interface Import {
  /** What stands between the first word and the specifier: `{ a, b as c }`, `* as m`, `m`. */
  readonly names: string;
  readonly from: string;
  readonly start: number;
  readonly end: number;
}

/** Longer than any statement that people write; the text comes from outside. */
const longest = 1000;

const specifiers = /\b(?:from\s{0,9}|(?:import|require)\s{0,9}\(\s{0,9})["']([^"'\n]{1,300})["']/g;
const openers = /\b(?:import|export)\s/g;
const declarations = /\b(?:const|let|var)\s/g;
const importedNames = /^[\w$*{}\s,]+$/;
const declaredNames = /^([\w$]+|\{[\w$\s,:]+\})\s*=\s*(?:await\s*)?$/;

const lastEnd = (text: string, pattern: RegExp): { readonly start: number; readonly end: number } | null => {
  const last = [...text.matchAll(pattern)].at(-1);
  return last === undefined ? null : { start: last.index, end: last.index + last[0].length };
};

/** The names that a statement ending before its specifier binds; null where the specifier belongs to none. */
const binding = (before: string, isFrom: boolean): { readonly names: string; readonly start: number } | null => {
  const opener = lastEnd(before, isFrom ? openers : declarations);
  if (opener === null) return null;
  const rest = before.slice(opener.end);
  if (isFrom) return importedNames.test(rest) ? { names: rest, start: opener.start } : null;
  const names = declaredNames.exec(rest.trimStart())?.[1];
  return names === undefined ? null : { names, start: opener.start };
};

/** Static imports, exports from, and declarations by `require` or `await import`; in linear time, each text seen once. */
export const importsOf = (text: string): ReadonlyArray<Import> => {
  const found: Array<Import> = [];
  let done = 0;
  for (const match of text.matchAll(specifiers)) {
    const floor = Math.max(done, match.index - longest);
    const bound = binding(text.slice(floor, match.index), match[0].startsWith("from"));
    done = match.index + match[0].length;
    if (bound !== null) found.push({ names: bound.names, from: match[1] ?? "", start: floor + bound.start, end: done });
  }
  return found;
};

/** The text with blanks for its import statements, which hand nothing over. */
export const withoutImports = (text: string): string => {
  let out = "";
  let done = 0;
  for (const { start, end } of importsOf(text)) {
    out += text.slice(done, start) + text.slice(start, end).replaceAll(/[^\n]/g, " ");
    done = end;
  }
  return out + text.slice(done);
};
