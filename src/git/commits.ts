import { nulTokens } from "./tokens.ts";

/** One commit of a history, with the paths it changed against its first parent (none for a merge). */
export interface CommitRecord {
  readonly sha: string;
  readonly subject: string;
  /** Name of the author as the commit has it; mailmaps are not read. */
  readonly author: string;
  readonly parents: ReadonlyArray<string>;
  /** Full paths, renames as both names. */
  readonly files: ReadonlyArray<string>;
  /** Committer time, seconds since the epoch. */
  readonly time: number;
}

/** `--format` of a log that `parseCommits` reads; `mark` is a word that no path can hold by guessing. */
export const commitFormat = (mark: string): string => `--format=${mark}%H%x00%P%x00%ct%x00%s%x00%an%x00`;

/** Parses `git log -z --name-only` with `commitFormat(mark)`. Null when a record has another shape. */
export const parseCommits = (output: Buffer, mark: string): ReadonlyArray<CommitRecord> | null => {
  const commits: (Omit<CommitRecord, "files"> & { readonly files: string[] })[] = [];
  const tokens = nulTokens(output);
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at] ?? "";
    if (token.startsWith(mark)) {
      const [parents, time, subject, author] = tokens.slice(at + 1, at + 5);
      if (parents === undefined || time === undefined || !/^-?\d+$/.test(time)) return null;
      if (subject === undefined || author === undefined) return null;
      const sha = token.slice(mark.length);
      commits.push({
        sha,
        subject,
        author,
        parents: parents === "" ? [] : parents.split(" "),
        files: [],
        time: Number(time),
      });
      at += 4;
      continue;
    }
    const current = commits.at(-1);
    if (current === undefined) return null;
    // git separates the message from the first name by an empty record and a line feed.
    const path = current.files.length === 0 && token.startsWith("\n") ? token.slice(1) : token;
    if (path !== "") current.files.push(path);
  }
  return commits;
};
