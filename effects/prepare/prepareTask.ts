import { rm } from "node:fs/promises";
import { join } from "node:path";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Either from "effect/Either";
import type { CensusFile } from "../../src/git/changes.ts";
import type { PrConversation } from "../../src/pr/conversation.ts";
import type { QueueRow } from "../../src/queue/row.ts";
import type { RepoMeta } from "../../src/repo/repoMeta.ts";
import { formatTime } from "../../src/time.ts";
import { branchMissing } from "../bases/branchMissing.ts";
import type { StageProgress } from "../bases/buildBase.ts";
import { fetchLostHead } from "../bitbucket/fetchLostHead.ts";
import { crashPoint } from "../engine/crashPoint.ts";
import { Git } from "../git/Git.ts";
import { Home } from "../home/Home.ts";
import { branchRef, cloneDir, codeIndexDir, pullRef, reviewDir, taskDir, worktreeDir } from "../home/layout.ts";
import { CodeIndex } from "../index/CodeIndex.ts";
import { PullRequests } from "../platform/PullRequests.ts";
import { fetchRepository } from "../repos/fetchRepository.ts";
import { ensureDir, writeFileDurably } from "../store/durableFile.ts";
import { JsonDocuments } from "../store/JsonDocument.ts";
import { copyDocs } from "./copyDocs.ts";
import { DiffEmpty, HeadMoved, NoMergeBase, RowIncomplete } from "./errors.ts";
import { prepareIndex } from "./prepareIndex.ts";
import { type TaskState, taskStateDocument } from "./taskState.ts";
import { writePrecis } from "./writePrecis.ts";

export interface PreparedTask {
  readonly outcome: "prepared" | "already";
  readonly state: TaskState;
  readonly folder: string;
}

/** Diffs over this many bytes are cut, and the task says so: a cut diff is never a full review. */
const maxPatchBytes = 20 * 1024 * 1024;

const json = (value: unknown): Buffer => Buffer.from(`${JSON.stringify(value, null, 2)}\n`);

const complete = (row: QueueRow) =>
  row.head_sha === null || row.target_branch === null
    ? Effect.fail(
        new RowIncomplete({
          pr_url: row.pr_url,
          message: `${row.pr_url} has no ${row.head_sha === null ? "head" : "target branch"} yet`,
          hint: `refresh it first: adk pr-queue update ${row.pr_url}`,
        }),
      )
    : Effect.succeed({ head: row.head_sha, target: row.target_branch });

const diffOf = (options: {
  readonly clone: string;
  readonly head: string;
  readonly mergeBase: string;
  readonly row: QueueRow;
}) =>
  Effect.gen(function* () {
    const git = yield* Git;
    const range = { clone: options.clone, base: options.mergeBase, head: options.head };
    const census: ReadonlyArray<CensusFile> = yield* git.census(range);
    const diff = yield* git.diffPatch({ ...range, maxBytes: maxPatchBytes });
    const counted = options.row.changed_files ?? 0;
    if ((census.length === 0 && counted > 0) || (census.length > 0 && diff.patch.length === 0)) {
      return yield* new DiffEmpty({
        changed_files: Math.max(counted, census.length),
        message: `${options.row.pr_url}: the local diff is empty although ${Math.max(counted, census.length)} files changed`,
        hint: "run adk pr-queue update and prepare again; if it stays, run with -v and look at the log",
      });
    }
    return { census, diff };
  });

/** GitHub counts no further. */
const mostCountedFiles = 3000;

/** The census decides at any count; the host's number only says that something is to be explained. */
const countsDiffer = (counted: number, census: number): string => {
  const why =
    counted === mostCountedFiles && census > counted ? "the host counts no further" : "renames count once there";
  return `the host counts ${counted} changed files, the census ${census} (${why})`;
};

/** Description and conversation as the host has them now. A host that does not answer costs a note, not the preparation. */
const askHost = (row: QueueRow, head: string) =>
  Effect.gen(function* () {
    const pulls = yield* PullRequests;
    // A local change has no description, and looking for one starts git nine times.
    const body = row.platform === "local" ? Effect.succeed("") : Effect.map(pulls.metadata(row), (meta) => meta.body);
    const [described, said] = yield* Effect.all([Effect.either(body), Effect.either(pulls.conversation(row, head))], {
      concurrency: 2,
    });
    const conversation: PrConversation = Either.isRight(said)
      ? said.right
      : {
          threads: null,
          reviews: null,
          checks: null,
          notes: [`threads, reviews and checks were not read: ${said.left.message}`],
        };
    return { body: Either.isRight(described) ? described.right : null, conversation };
  });

const alreadyPrepared = (options: {
  readonly folder: string;
  readonly head: string;
  readonly target: string;
  readonly mergeBase: string;
}) =>
  Effect.gen(function* () {
    const documents = yield* JsonDocuments;
    const index = yield* CodeIndex;
    const file = join(reviewDir(options.folder), "state.json");
    const state = yield* documents.read(file, taskStateDocument).pipe(Effect.catchAll(() => Effect.succeed(null)));
    if (state === null || state.head_sha !== options.head || state.base_ref !== options.target) return null;
    if (state.merge_base !== options.mergeBase) return null;
    const health = yield* index.health({ dir: codeIndexDir(options.folder) });
    return health.status === "ok" && health.head_sha === options.head ? state : null;
  });

/**
 * Prepares one PR (spec 4, "Preparing one PR"): fetch, merge base and census, worktree, index, documents, precis; then
 * state.json. Idempotent: a task that stands at this review key is given back at once. The caller holds the task's lock.
 */
export const prepareTask = (options: {
  readonly row: QueueRow;
  readonly repo: RepoMeta;
  readonly seed: { readonly repo: string; readonly branch: string } | null;
  readonly rebuild: boolean;
  /** Globs of the paths to index; everything when left out. */
  readonly scope?: ReadonlyArray<string>;
  /** True when the sync has fetched the refs of this PR already. */
  readonly fetched: boolean;
  readonly onProgress?: (progress: StageProgress) => void;
}) =>
  Effect.gen(function* () {
    const started = yield* Clock.currentTimeMillis;
    const git = yield* Git;
    const home = yield* Home;
    const documents = yield* JsonDocuments;
    const { row, repo } = options;
    const { head, target } = yield* complete(row);
    const stage = (name: string, done: number) =>
      Effect.sync(() => options.onProgress?.({ stage: name, done, total: 1 }));

    yield* stage("fetch", 0);
    const clone = cloneDir(home, repo.name);
    const headKnown = options.fetched && (yield* git.resolve({ clone, rev: head })) !== null;
    if (!headKnown) {
      yield* fetchRepository({ repo, branches: [target], rows: [row] });
      yield* fetchLostHead({ repo, row, head });
    }
    if ((yield* git.resolve({ clone, rev: head })) === null) {
      const found = (yield* git.resolve({ clone, rev: pullRef(row.pr_number) })) ?? "nothing";
      return yield* new HeadMoved({
        expected: head,
        found,
        message: `${row.pr_url}: the head is ${found.slice(0, 12)}, not ${head.slice(0, 12)} as the queue says`,
        hint: `refresh it: adk pr-queue update ${row.pr_url}`,
      });
    }
    const tip = yield* git.resolve({ clone, rev: branchRef(target) });
    if (tip === null) return yield* branchMissing(repo, target);
    const mergeBase = yield* git.mergeBase({ clone, a: tip, b: head });
    if (mergeBase === null) {
      return yield* new NoMergeBase({
        head,
        base: target,
        message: `${row.pr_url}: no common ancestor of the head and ${target}`,
        hint: "unrelated histories cannot be reviewed as a change; check the PR's target branch",
      });
    }

    const folder = taskDir(home, row);
    if (!options.rebuild) {
      const state = yield* alreadyPrepared({ folder, head, target, mergeBase });
      if (state !== null) return { outcome: "already" as const, state, folder };
    }
    const review = reviewDir(folder);
    yield* ensureDir(review);
    yield* writeFileDurably(join(folder, ".adk-folder"), Buffer.from(`${row.pr_url}\n`), {});
    // From here on the old state no longer describes the folder.
    yield* Effect.promise(() => rm(join(review, "state.json"), { force: true }));
    yield* crashPoint("prepare.begun");

    yield* stage("diff", 0);
    const { census, diff } = yield* diffOf({ clone, head, mergeBase, row });
    const { body, conversation } = yield* askHost(row, head);
    const write = (name: string, bytes: Uint8Array) => writeFileDurably(join(review, name), bytes, {});
    yield* write("diff.patch", diff.patch);
    yield* write("changed-files.json", json({ base: mergeBase, head, host_count: row.changed_files, files: census }));
    yield* write("pr.json", json({ ...prFacts(row), body, body_read: body !== null }));
    yield* write("threads.json", json({ fetched_at: formatTime(yield* Clock.currentTimeMillis), ...conversation }));
    yield* write(
      "queue-context.json",
      json({
        pr_url: row.pr_url,
        slack: row.slack,
        slack_threads: row.slack_threads,
        supporting_docs: row.supporting_docs,
      }),
    );

    yield* stage("worktree", 0);
    const [, prepared] = yield* Effect.all(
      [
        git.addWorktree({ clone, path: worktreeDir(folder), sha: head }),
        prepareIndex({
          clone,
          folder,
          head,
          seed: options.seed,
          scope: options.scope ?? [],
          ...(options.onProgress === undefined ? {} : { onProgress: options.onProgress }),
        }),
      ],
      { concurrency: 2 },
    );

    yield* crashPoint("prepare.indexed");
    yield* stage("precis", 0);
    const docs = yield* copyDocs({ clone, folder, sha: mergeBase, paths: census.map((file) => file.path) });
    const notes = [
      ...conversation.notes,
      ...(prepared.note === null ? [] : [prepared.note]),
      ...(options.scope === undefined || options.scope.length === 0
        ? []
        : [`the index covers only ${options.scope.join(", ")}`]),
      ...(diff.truncated ? [`diff.patch is cut at ${maxPatchBytes} bytes`] : []),
      ...(row.changed_files !== null && row.changed_files !== census.length
        ? [countsDiffer(row.changed_files, census.length)]
        : []),
    ];
    yield* writePrecis({
      row,
      repo,
      clone,
      folder,
      head,
      mergeBase,
      target,
      census,
      patch: diff.patch,
      body,
      conversation,
      docs,
      notes,
    });
    const now = yield* Clock.currentTimeMillis;
    const state: TaskState = {
      schema_version: 1,
      pr_url: row.pr_url,
      head_sha: head,
      base_ref: target,
      merge_base: mergeBase,
      used_base: prepared.usedBase,
      chunks: prepared.chunks,
      prepared_at: formatTime(now),
      seconds: Math.round((now - started) / 10) / 100,
      notes,
    };
    yield* documents.write(join(review, "state.json"), taskStateDocument, state);
    yield* crashPoint("prepare.written");
    return { outcome: "prepared" as const, state, folder };
  });

const prFacts = (row: QueueRow) => ({
  pr_url: row.pr_url,
  platform: row.platform,
  owner: row.owner,
  repo: row.repo,
  number: row.pr_number,
  title: row.title,
  author: row.author,
  state: row.state,
  is_draft: row.is_draft,
  head_sha: row.head_sha,
  head_ref: row.head_ref,
  target_branch: row.target_branch,
  additions: row.additions,
  deletions: row.deletions,
  changed_files: row.changed_files,
});
