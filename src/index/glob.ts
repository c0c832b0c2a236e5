/**
 * Glob over `/`-separated paths: `*` within a segment, `**` over segments, `?` one character, `{a,b}` alternatives.
 * A pattern without `/` matches the file name at any depth; one that ends in `/` everything below that folder.
 * Matching is bounded by pattern length × path length: patterns come from users and agents, paths from anyone.
 */
export const globMatcher = (pattern: string): ((path: string) => boolean) => {
  const anchored = pattern.replace(/^\.?\//, "");
  const whole = anchored.endsWith("/") ? `${anchored}**` : anchored;
  const full = anchored.includes("/") ? whole : `**/${whole}`;
  const alternatives = expandBraces(full).map((alternative) => alternative.split("/"));
  return (path) => {
    const segments = path.split("/");
    return alternatives.some((parts) => matchParts(parts, segments));
  };
};

const maxAlternatives = 64;

/** `a{b,c}d` → abd, acd; nested braces too, up to 64 alternatives. An unclosed brace is a plain character. */
const expandBraces = (pattern: string): string[] => {
  let done: string[] = [];
  let open: string[] = [pattern];
  while (open.length > 0 && done.length + open.length <= maxAlternatives) {
    const next: string[] = [];
    for (const one of open) {
      const inner = /\{([^{}]*)\}/.exec(one);
      if (inner === null) done.push(one);
      else
        for (const choice of (inner[1] ?? "").split(","))
          next.push(`${one.slice(0, inner.index)}${choice}${one.slice(inner.index + inner[0].length)}`);
    }
    open = next;
  }
  done = [...new Set([...done, ...open])];
  return done.slice(0, maxAlternatives);
};

/** Greedy matching with one point of return per star: O(length × length), never exponential. */
const matchGreedy = <T>(options: {
  readonly pattern: ArrayLike<T>;
  readonly text: ArrayLike<T>;
  readonly isStar: (part: T) => boolean;
  readonly equal: (part: T, value: T) => boolean;
}): boolean => {
  const { pattern, text } = options;
  let p = 0;
  let t = 0;
  let star = -1;
  let mark = 0;
  while (t < text.length) {
    const part = pattern[p];
    const value = text[t] as T;
    if (p < pattern.length && part !== undefined && options.isStar(part)) {
      star = p++;
      mark = t;
    } else if (p < pattern.length && part !== undefined && options.equal(part, value)) {
      p++;
      t++;
    } else if (star >= 0) {
      p = star + 1;
      t = ++mark;
    } else return false;
  }
  while (p < pattern.length && options.isStar(pattern[p] as T)) p++;
  return p === pattern.length;
};

const matchSegment = (pattern: string, segment: string): boolean =>
  matchGreedy({
    pattern: [...pattern],
    text: [...segment],
    isStar: (part) => part === "*",
    equal: (part, value) => part === "?" || part === value,
  });

const matchParts = (pattern: ReadonlyArray<string>, segments: ReadonlyArray<string>): boolean =>
  matchGreedy({ pattern, text: segments, isStar: (part) => part === "**", equal: matchSegment });
