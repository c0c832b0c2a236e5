/** Lines of a file's new side, 1-based, both ends included. */
export interface LineRange {
  readonly start: number;
  readonly end: number;
}

const escapes: Readonly<Record<string, string>> = { a: "\x07", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" };

/** git's C-style quoted path (`"b/caf\303\251"`) → the path; anything else is given back as it is. */
export const unquotePath = (text: string): string => {
  if (!text.startsWith('"') || !text.endsWith('"') || text.length < 2) return text;
  const bytes: Array<number> = [];
  const inner = text.slice(1, -1);
  for (let i = 0; i < inner.length; i += 1) {
    const char = inner[i] ?? "";
    if (char !== "\\") {
      const code = inner.codePointAt(i) ?? 0;
      const whole = String.fromCodePoint(code);
      bytes.push(...Buffer.from(whole, "utf8"));
      i += whole.length - 1;
      continue;
    }
    const octal = /^[0-7]{3}/.exec(inner.slice(i + 1, i + 4))?.[0];
    if (octal === undefined) {
      const next = inner[i + 1] ?? "";
      bytes.push(...Buffer.from(escapes[next] ?? next, "utf8"));
      i += 1;
    } else {
      bytes.push(Number.parseInt(octal, 8) & 0xff);
      i += 3;
    }
  }
  return Buffer.from(bytes).toString("utf8");
};

const hunkHeader = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/**
 * The changed lines of every file's new side in a unified diff with `a/` and `b/` prefixes. Lines that were only
 * removed count as the line they stood before. Lines of a hunk are counted from its header, so that a removed line
 * which reads `-- a/x` is never taken for a file header.
 */
export const changedRanges = (patch: string): ReadonlyMap<string, ReadonlyArray<LineRange>> => {
  const files = new Map<string, Array<LineRange>>();
  let ranges: Array<LineRange> | null = null;
  let line = 0;
  let oldLeft = 0;
  let newLeft = 0;
  const mark = (at: number) => {
    const last = ranges?.at(-1);
    if (last !== undefined && at <= last.end + 1)
      ranges?.splice(-1, 1, { start: last.start, end: Math.max(last.end, at) });
    else ranges?.push({ start: at, end: at });
  };
  for (const text of patch.split("\n")) {
    if (oldLeft > 0 || newLeft > 0) {
      if (text.startsWith("+")) {
        mark(line);
        line += 1;
        newLeft -= 1;
      } else if (text.startsWith("-")) {
        mark(Math.max(1, line));
        oldLeft -= 1;
      } else if (!text.startsWith("\\")) {
        line += 1;
        oldLeft -= 1;
        newLeft -= 1;
      }
      continue;
    }
    const hunk = hunkHeader.exec(text);
    if (hunk !== null) {
      line = Number(hunk[3]);
      oldLeft = hunk[2] === undefined ? 1 : Number(hunk[2]);
      newLeft = hunk[4] === undefined ? 1 : Number(hunk[4]);
    } else if (text.startsWith("+++ ")) {
      // git ends a header path that holds a space with a tab.
      const path = unquotePath(text.slice(4).replace(/\t$/, ""));
      ranges = path.startsWith("b/") ? [] : null;
      if (ranges !== null) files.set(path.slice(2), ranges);
    } else if (text.startsWith("diff --git ")) ranges = null;
  }
  return files;
};
