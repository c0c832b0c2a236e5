/** A fault in the text of a queue file that its grammar allows but adk does not. */
export interface KeyFault {
  readonly kind: "duplicate" | "forbidden";
  readonly key: string;
  readonly offset: number;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Where things stand in a JSON5 queue file: spans are offsets into the text. */
export interface QueueOutline {
  /** Opening brace of the whole. */
  readonly root: Span;
  /** From behind `[` to `]` of the rows; null when there is no such list. */
  readonly list: Span | null;
  readonly rows: ReadonlyArray<Span>;
  readonly comments: ReadonlyArray<Span>;
  readonly fault: KeyFault | null;
}

const forbiddenKeys: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** True for a key that must not occur at any level: a later merge could take it for more than data. */
export const isForbiddenKey = (key: string): boolean => forbiddenKeys.has(key);

const token =
  /\/\/[^\n\r\u2028\u2029]*|\/\*[\s\S]*?\*\/|"[^"\\]*(?:\\[\s\S][^"\\]*)*"|'[^'\\]*(?:\\[\s\S][^'\\]*)*'|[{}[\]:,]|[^\s\ufeff{}[\]:,"'/]+/g;

interface Frame {
  readonly open: "{" | "[";
  readonly keys: Set<string>;
  key: string;
  atKey: boolean;
}

const escapes: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v", 0: "\0" };

const decodeEscapes = (text: string): string =>
  text.replaceAll(
    /\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(\r\n|[\s\S]))/g,
    (_, u?: string, x?: string, c?: string) => {
      const hex = u ?? x;
      if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
      const char = c ?? "";
      return /^[\r\n\u2028\u2029]/.test(char) ? "" : (escapes[char] ?? char);
    },
  );

/** The name that a key token stands for: quoted or bare, with escapes. */
const keyName = (text: string): string => {
  const bare = /^["']/.test(text) ? text.slice(1, -1) : text;
  return bare.includes("\\") ? decodeEscapes(bare) : bare;
};

/**
 * Outline of a text that a JSON5 parser accepted: rows and comments with their places, and the first key that is twice
 * in one object or must not be there (parsers keep the last of two equal keys without a word, so that rows vanish).
 */
export const outlineQueue = (text: string): QueueOutline => {
  const frames: Array<Frame> = [];
  const rows: Array<Span> = [];
  const comments: Array<Span> = [];
  let root: Span = { start: 0, end: text.length };
  let list: Span | null = null;
  let fault: KeyFault | null = null;
  let rowStart = 0;
  const inRows = (): boolean => frames.length === 2 && frames[0]?.key === "prs" && frames[1]?.open === "[";

  const open = (bracket: "{" | "[", at: number): void => {
    if (frames.length === 0) root = { start: at, end: text.length };
    if (bracket === "{" && inRows()) rowStart = at;
    frames.push({ open: bracket, keys: new Set(), key: "", atKey: bracket === "{" });
    if (bracket === "[" && inRows()) list = { start: at + 1, end: at + 1 };
  };
  const shut = (at: number): void => {
    if (inRows() && list !== null) list = { start: list.start, end: at };
    frames.pop();
    if (inRows()) rows.push({ start: rowStart, end: at + 1 });
    if (frames.length === 0) root = { start: root.start, end: at + 1 };
  };
  const name = (frame: Frame, word: string, at: number): void => {
    const key = keyName(word);
    if (fault === null && isForbiddenKey(key)) fault = { kind: "forbidden", key, offset: at };
    if (fault === null && frame.keys.has(key)) fault = { kind: "duplicate", key, offset: at };
    frame.keys.add(key);
    frame.key = key;
    frame.atKey = false;
  };

  for (const match of text.matchAll(token)) {
    const word = match[0];
    const at = match.index;
    const frame = frames.at(-1);
    if (word === "{" || word === "[") open(word, at);
    else if (word === "}" || word === "]") shut(at);
    else if (word === ",") {
      if (frame?.open === "{") frame.atKey = true;
    } else if (word.startsWith("/")) comments.push({ start: at, end: at + word.length });
    else if (word !== ":" && frame?.atKey === true) name(frame, word, at);
  }
  return { root, list, rows, comments, fault };
};

/** Comments before a row: what stands apart from it, by an empty line, and what is its own. Texts as they were. */
export interface CommentsAbove {
  readonly apart: string;
  readonly own: string;
}

export const noComments: CommentsAbove = { apart: "", own: "" };

const commentToken = /\/\/[^\n\r\u2028\u2029]*|\/\*[\s\S]*?\*\//g;

const breaks = (text: string): number => text.split(/\r\n|[\n\r\u2028\u2029]/).length - 1;

/**
 * Splits a text of white space and comments that ends where a row begins. A comment with an empty line between it and
 * the row belongs to the place, any other to the row. `continues`: the text begins in mid-line, behind `[`.
 */
export const splitComments = (region: string, options: { readonly continues: boolean }): CommentsAbove => {
  const found = [...region.matchAll(commentToken)];
  if (found.length === 0) return noComments;
  let apartEnd = 0;
  let apart = "";
  found.forEach((match, index) => {
    const next = found[index + 1]?.index ?? region.length;
    const gap = breaks(region.slice(match.index + match[0].length, next));
    const behindBracket = options.continues && index === 0 && breaks(region.slice(0, match.index)) === 0;
    if (gap >= 2 || behindBracket) {
      apart += found
        .slice(apartEnd, index + 1)
        .map(([text]) => `${text}\n`)
        .join("");
      apart += "\n";
      apartEnd = index + 1;
    }
  });
  return {
    apart: apart.trimEnd(),
    own: found
      .slice(apartEnd)
      .map(([text]) => text)
      .join("\n"),
  };
};

/** Lines that stand before a row in the written file; splitting them again gives the same two parts. */
export const renderComments = ({ apart, own }: CommentsAbove): string =>
  `${apart === "" ? "" : `${apart}\n\n`}${own === "" ? "" : `${own}\n`}`;
