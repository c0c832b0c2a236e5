import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { EvaluationCommit } from "../effects/index/evaluate.ts";
import { RepoBuilder } from "../fixtures/repos/RepoBuilder.ts";
import type { RequestLabel } from "./retrievalLabels.ts";

/** Commits after the indexed one whose files are looked for. */
const heldOut = 200;
/** As `adk index eval` has it: a commit of many files says little about any of them. */
const maxFiles = 10;

/** A bare repository over the objects of a real one, with the branches that the figures need. */
export interface RetrievalRepository {
  readonly dir: string;
  /** Commits of `main` that `before` does not have. */
  readonly later: ReadonlyArray<EvaluationCommit>;
  /** Whether the source has the labelled commit, as branch `labels`. */
  readonly labelled: boolean;
  /** Labelled change requests that the source has, as branches `head-N` for `base-N`. */
  readonly requests: ReadonlyArray<{ readonly label: RequestLabel; readonly head: string; readonly base: string }>;
}

const commitsOf = (log: string): ReadonlyArray<EvaluationCommit> =>
  log
    .split("\x01")
    .slice(1)
    .map((entry) => {
      const [subject = "", ...files] = entry.trim().split("\n");
      return { subject, files: files.filter((path) => path !== "") };
    })
    .filter(({ subject, files }) => files.length > 0 && files.length <= maxFiles && /\S\s+\S/.test(subject));

export const retrievalRepository = (options: {
  readonly dir: string;
  readonly source: string;
  readonly labelled: string;
  readonly requests: ReadonlyArray<RequestLabel>;
}): RetrievalRepository => {
  const git = new RepoBuilder(options.dir, { bare: true });
  const objects = git.git(["-C", options.source, "rev-parse", "--git-path", "objects"]);
  writeFileSync(join(options.dir, "objects/info/alternates"), `${resolve(options.source, objects)}\n`);
  const known = (commit: string): boolean => {
    try {
      return git.git(["cat-file", "-t", commit]) === "commit";
    } catch {
      return false;
    }
  };
  const head = git.git(["-C", options.source, "rev-parse", "HEAD"]);
  const history = git.git(["rev-list", "--first-parent", "-n", String(heldOut + 1), head]).split("\n");
  const before = history.at(-1) ?? head;
  git.ref("refs/heads/main", head);
  git.ref("refs/heads/before", before);
  const labelled = known(options.labelled);
  if (labelled) git.ref("refs/heads/labels", options.labelled);
  const shape = ["--first-parent", "--no-merges", "--name-only", "--no-renames", "--format=%x01%s"];
  const requests = options.requests
    .filter((label) => known(label.head) && known(label.base))
    .map((label, n) => {
      git.ref(`refs/heads/head-${n}`, label.head);
      git.ref(`refs/heads/base-${n}`, label.base);
      return { label, head: `head-${n}`, base: `base-${n}` };
    });
  return { dir: options.dir, later: commitsOf(git.git(["log", ...shape, head, `^${before}`])), labelled, requests };
};
