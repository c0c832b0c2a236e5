import { spawnSync } from "node:child_process";
import type { EvaluationCommit } from "../effects/index/evaluate.ts";
import { type Scores, scoresOf } from "../src/index/evaluate.ts";

/** Words of a message that are no prefix like `feat(router):` and that somebody would search for. */
const searched = (subject: string): ReadonlyArray<string> => {
  const text = subject.replace(/^\w+(?:\([^)]*\))?!?:\s*/, "").replace(/\(#\d+\)\s*$/, "");
  const words = text.match(/[A-Za-z_$][\w$]*/g) ?? [];
  const distinct = [...new Set(words.filter((word) => word.length >= 3))];
  // Names as code has them; a message without any is searched for by its longer words.
  const identifiers = distinct.filter((word) => /[a-z][A-Z]|_|\$|^[A-Z][a-z]+[A-Z]/.test(word));
  return identifiers.length > 0 ? identifiers : distinct.filter((word) => word.length >= 4);
};

const matchesOf = (repository: string, branch: string, word: string): ReadonlyMap<string, number> => {
  const args = ["grep", "-I", "--count", "--word-regexp", "--ignore-case", "--fixed-strings", "-z", "-e", word, branch];
  const { status, stdout } = spawnSync("git", ["--git-dir", repository, ...args], {
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  if (status !== 0 && status !== 1) throw new Error(`git grep ended with ${status}`);
  const fields = stdout.split(/\0|\n/);
  const found = new Map<string, number>();
  for (let at = 0; at + 1 < fields.length; at += 2)
    found.set((fields[at] ?? "").slice(branch.length + 1), Number(fields[at + 1]));
  return found;
};

/**
 * What whole-word search for a message's identifiers finds, as ripgrep or `git grep` would: files that hold most of them
 * first, then those with most matching lines. The other side of the comparison in docs/internals/retrieval.md.
 */
export const identifierSearch = (options: {
  readonly repository: string;
  readonly branch: string;
  readonly commits: ReadonlyArray<EvaluationCommit>;
  /** Files that the index holds: the others are wanted from neither side. */
  readonly indexed: ReadonlySet<string>;
}): Scores => {
  const known = new Map<string, ReadonlyMap<string, number>>();
  const answers = options.commits.flatMap(({ subject, files }) => {
    const wanted = files.filter((path) => options.indexed.has(path));
    if (wanted.length === 0) return [];
    const words = new Map<string, number>();
    const lines = new Map<string, number>();
    for (const word of searched(subject)) {
      const found = known.get(word) ?? matchesOf(options.repository, options.branch, word);
      known.set(word, found);
      for (const [path, count] of found) {
        words.set(path, (words.get(path) ?? 0) + 1);
        lines.set(path, (lines.get(path) ?? 0) + count);
      }
    }
    const ranked = [...words.keys()]
      .filter((path) => options.indexed.has(path))
      .sort(
        (a, b) =>
          (words.get(b) ?? 0) - (words.get(a) ?? 0) || (lines.get(b) ?? 0) - (lines.get(a) ?? 0) || (a < b ? -1 : 1),
      );
    return [{ ranked, wanted }];
  });
  return scoresOf(answers);
};
