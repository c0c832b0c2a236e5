import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { RepoBuilder } from "../fixtures/repos/RepoBuilder.ts";
import { type BenchChange, type BenchRepository, maxChangedFiles, sharedChanges } from "./changeRequests.ts";

interface Change {
  readonly mode: string;
  readonly oid: string;
  readonly path: string;
}

const absent = "000000";

/** What one commit made of its first parent, without renames. */
const changesOf = (git: RepoBuilder, commit: string): ReadonlyArray<Change> => {
  const shape = ["diff-tree", "-r", "--raw", "-z", "--no-renames", "--no-abbrev"];
  const fields = git.git([...shape, `${commit}^`, commit]).split("\0");
  const changes: Change[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, mode = absent, , oid = ""] = fields[at]?.split(" ") ?? [];
    changes.push({ mode, oid, path: fields[at + 1] ?? "" });
  }
  return changes;
};

/** Objects that a partial copy of a repository lacks; nothing that names one of them can be fetched. */
const missingObjects = (git: RepoBuilder, commit: string): ReadonlySet<string> => {
  const objects = git.git(["rev-list", "--objects", "--missing=print", "--no-object-names", commit]);
  return new Set(objects.split("\n").flatMap((line) => (line.startsWith("?") ? [line.slice(1)] : [])));
};

const pathsOf = (git: RepoBuilder, commit: string, oids: ReadonlySet<string>): ReadonlyArray<string> =>
  git
    .git(["ls-tree", "-r", "-z", "--full-tree", commit])
    .split("\0")
    .flatMap((entry) => {
      const [facts = "", path = ""] = entry.split("\t");
      return oids.has(facts.split(" ")[2] ?? "") ? [path] : [];
    });

interface Commit {
  readonly branch: string;
  readonly message: string;
  /** Parent, or with `tree` none: the whole tree of that commit. */
  readonly from: string;
  readonly tree?: string;
  readonly changes: ReadonlyArray<Change>;
}

const importLines = (commit: Commit): string =>
  [
    `commit refs/heads/${commit.branch}`,
    "committer Ada Example <ada@example.invalid> 1735722000 +0000",
    `data ${Buffer.byteLength(commit.message)}`,
    commit.message,
    ...(commit.tree === undefined ? [`from ${commit.from}`] : [`M 040000 ${commit.tree} `]),
    ...commit.changes.map(({ mode, oid, path }) => (mode === absent ? `D ${path}` : `M ${mode} ${oid} ${path}`)),
    "",
    "",
  ].join("\n");

const addCommit = (git: RepoBuilder, commit: Commit): void => {
  // By object name: a branch cannot be made from itself.
  const from = commit.tree === undefined ? git.sha(commit.from) : commit.from;
  git.git(["fast-import", "--quiet", "--force"], Buffer.from(importLines({ ...commit, from })));
};

const isPlain = ({ path }: Change): boolean => !/^"|\n/.test(path);

interface SourceCommit {
  readonly sha: string;
  readonly subject: string;
}

/**
 * `main`: an earlier commit of the source as it is, with its history. Where objects are missing, the complete files of
 * the oldest of `commits` and what the newer ones changed in complete files. `commits`: newest first. Gives the names of
 * the missing objects.
 */
const addMain = (git: RepoBuilder, commits: ReadonlyArray<SourceCommit>): ReadonlyArray<string> => {
  const [newest, oldest] = [commits[0], commits.at(-1)];
  if (newest === undefined || oldest === undefined) throw new Error("no commit to begin with");
  const missing = missingObjects(git, newest.sha);
  if (missing.size === 0) {
    git.ref("refs/heads/main", newest.sha);
    return [];
  }
  const changes = pathsOf(git, oldest.sha, missing).map((path) => ({ mode: absent, oid: "", path }));
  const tree = git.git(["rev-parse", `${oldest.sha}^{tree}`]);
  addCommit(git, { branch: "main", message: "Complete files", from: "", tree, changes });
  for (const { sha, subject } of commits.slice(0, -1).reverse()) {
    const complete = changesOf(git, sha).filter((change) => isPlain(change) && !missing.has(change.oid));
    addCommit(git, { branch: "main", message: subject, from: "main", changes: complete });
  }
  return [...missing];
};

/**
 * A repository over the objects of a real one, which it does not touch. Its change requests are the source's latest
 * commits of at most 30 files, each put on the same earlier commit: the files that it changed, as it left them.
 */
export const realRepository = (options: { readonly dir: string; readonly source: string }): BenchRepository => {
  const git = new RepoBuilder(options.dir, { bare: true });
  const objects = git.git(["-C", options.source, "rev-parse", "--git-path", "objects"]);
  writeFileSync(join(options.dir, "objects/info/alternates"), `${resolve(options.source, objects)}\n`);
  const head = git.git(["-C", options.source, "rev-parse", "HEAD"]);
  const history = git.git(["log", "--first-parent", "-n", "300", "--format=%H%x00%s", head]).split("\n");
  const commits = history.map((line) => ({ sha: line.split("\0")[0] ?? "", subject: line.split("\0")[1] ?? "" }));
  const wanted = sharedChanges + 2;
  const earlier = Math.min(150, Math.floor(commits.length / 2));
  const missing = addMain(git, commits.slice(earlier));
  for (const branch of ["release-1", "release-2"])
    addCommit(git, { branch, message: `Begin ${branch}`, from: "main", changes: [] });
  const usable = commits
    .slice(0, earlier)
    .map(({ sha, subject }) => ({ subject, changes: changesOf(git, sha).filter(isPlain) }))
    .filter(({ changes }) => changes.length > 0 && changes.length <= maxChangedFiles)
    .slice(0, wanted);
  if (usable.length < wanted) throw new Error(`${options.source} has only ${usable.length} usable commits`);
  const added = usable.map(({ subject, changes }, n): BenchChange => {
    const base = n < sharedChanges ? "main" : `release-${n - sharedChanges + 1}`;
    const change = { head: `change-${n}`, base };
    addCommit(git, { branch: change.head, message: subject, from: base, changes });
    return change;
  });
  return {
    dir: options.dir,
    shared: added.slice(0, sharedChanges),
    alone: added.slice(sharedChanges),
    subjects: commits.map(({ subject }) => subject),
    missing,
  };
};
