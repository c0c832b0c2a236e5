import { terminalCell } from "../text/sanitize.ts";

/** Something about the file that a person should know, with its 1-based line. */
export interface FileNote {
  readonly line: number;
  readonly message: string;
}

/** Keys of older programs that say nothing to this one: which links count is fixed, and nothing unasked is posted. */
const retired = /^(\s+)(?:url_patterns|reminder|gentle_reminder_enabled|gentle_reminder)\s*:/;

/** The key of the front matter under which adk's settings stand. */
export const sectionKey = "pr_reviews";
const sectionStart = /^pr_reviews\s*:/;

/** Lines without the mark of UTF-8 and whatever ends them. */
export const linesOf = (text: string): ReadonlyArray<string> => text.replace(/^\uFEFF/, "").split(/\r?\n/);

const isFence = (line: string | undefined): boolean => line?.trim() === "---";

export type FrontMatter =
  /** Nothing but white space. */
  | { readonly kind: "empty" }
  | { readonly kind: "none"; readonly note: FileNote; readonly isMeant: boolean }
  | { readonly kind: "unclosed"; readonly note: FileNote }
  /** `end` is the index of the closing line. */
  | { readonly kind: "closed"; readonly lines: ReadonlyArray<string>; readonly end: number };

/** Where the front matter of a connector file stands, or what is wrong with it. */
export const frontMatterOf = (text: string): FrontMatter => {
  const lines = linesOf(text);
  if (lines.every((line) => line.trim() === "")) return { kind: "empty" };
  if (!isFence(lines[0])) {
    const meant = lines.findIndex((line) => sectionStart.test(line));
    const message =
      meant < 0
        ? "there is no front matter, so nothing in this file counts; begin it with a --- line, then pr_reviews: and its keys, then a --- line"
        : "pr_reviews stands in no front matter, so nothing of it would count; begin the file with a --- line, and put one after its last key";
    return { kind: "none", isMeant: meant >= 0, note: { line: Math.max(meant, 0) + 1, message } };
  }
  const end = lines.findIndex((line, at) => at > 0 && isFence(line));
  if (end < 0)
    return {
      kind: "unclosed",
      note: { line: 1, message: "the front matter that begins here has no --- line at its end" },
    };
  return { kind: "closed", lines, end };
};

type Closed = Extract<FrontMatter, { readonly kind: "closed" }>;

/** The front matter alone, its lines at their numbers. */
export const frontMatterText = ({ lines, end }: Closed): string => ["", ...lines.slice(1, end)].join("\n");

/**
 * The section as core.yaml calls it, `slack`, its lines at their numbers; keys of older programs are blank. Null when no
 * line begins with its key, and then the line of a second one where there are two.
 */
export const sectionAsCore = ({ lines, end }: Closed): string | FileNote | null => {
  const starts = lines.flatMap((line, at) => (at > 0 && at < end && sectionStart.test(line) ? [at] : []));
  const [start, second] = starts;
  if (start === undefined) return null;
  if (second !== undefined) return { line: second + 1, message: "the key pr_reviews is given twice" };
  // A list may stand below its key without being indented.
  const next = lines.findIndex((line, at) => at > start && at < end && /^(?!-(?:\s|$))[^\s#]/.test(line));
  let skipping: number | null = null;
  return lines
    .slice(0, next < 0 ? end : next)
    .map((line, at) => {
      if (at < start) return "";
      if (at === start) return line.replace(sectionKey, "slack");
      const depth = /^\s*/.exec(line)?.[0].length ?? 0;
      if (skipping !== null && line.trim() !== "" && depth <= skipping && !/^\s*-/.test(line)) skipping = null;
      const old = retired.exec(line);
      if (old !== null) skipping = old[1]?.length ?? 0;
      return skipping === null ? line.replace(/^(\s+)filter_mentioned_users\s*:/, "$1filter_users:") : "";
    })
    .join("\n");
};

/** Where the section's `url_patterns` name a host that adk does not read: which links count is fixed, and that is said. */
export const foreignPatterns = ({ lines: all, end }: Closed, hosts: ReadonlyArray<string>): ReadonlyArray<FileNote> => {
  const lines = all.slice(0, end);
  const start = lines.findIndex((line) => /^\s+url_patterns\s*:/.test(line));
  if (start < 0) return [];
  const after = lines.findIndex((line, at) => at > start && !/^\s*(?:[-#\]]|$)/.test(line));
  const known = new Set(["github.com", "bitbucket.org", ...hosts].map((host) => host.toLowerCase()));
  return lines
    .slice(start, after < 0 ? undefined : after)
    .flatMap((line, index) =>
      [
        ...line
          .slice(0, 2000)
          .replaceAll("\\", "")
          .matchAll(/\bhttps?:\/\/(?:www\.)?([a-z0-9.-]+)/gi),
      ].flatMap(([, host = ""]) =>
        known.has(host.toLowerCase())
          ? []
          : [
              {
                line: start + index + 1,
                message: `links to ${terminalCell(host)} are not read: url_patterns has no effect, name a GitHub Enterprise host in github.hosts of core.yaml`,
              },
            ],
      ),
    )
    .slice(0, 5);
};

/** The checker's words for core.yaml in the words of this file. */
export const inFileWords = (text: string): string =>
  text
    .replaceAll("slack.filter_users", `${sectionKey}.filter_mentioned_users`)
    .replaceAll(/\bslack\.(?!md\b)/g, `${sectionKey}.`)
    .replaceAll(/\bslack must be\b/g, `${sectionKey} must be`);
