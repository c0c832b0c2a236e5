import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RepoBuilder } from "../../../fixtures/repos/RepoBuilder.ts";
import type { CensusFile } from "../../../src/git/changes.ts";
import type { QueueRow } from "../../../src/queue/row.ts";
import { type CliHome, cliHome } from "../../cli/support/queueHome.ts";
import { type FakeGitHub, startFakeGitHub } from "../../fakes/github/startFakeGitHub.ts";
import type { FakePull } from "../../fakes/github/state.ts";

/** What the case tests need of a PR of acme/shop; the rest is filled in. */
export interface PullSpec {
  readonly number: number;
  readonly head: string;
  readonly headSha: string;
  readonly base: string;
  /** Number of changed files that the host counts. */
  readonly files?: number;
  readonly mergedAt?: string;
}

/** A data home, a repository that stands for github.com/acme/shop by the person's own insteadOf, and a fake GitHub. */
export interface HostedHome extends CliHome {
  readonly repo: RepoBuilder;
  readonly fake: FakeGitHub;
  readonly env: NodeJS.ProcessEnv;
  /** Says what PRs the host has now, and keeps refs/pull/N/head of the repository at their heads. */
  readonly pulls: (pulls: ReadonlyArray<PullSpec>) => void;
  readonly url: (number: number) => string;
  readonly close: () => Promise<void>;
}

const pullOf = (repo: RepoBuilder, spec: PullSpec): FakePull => ({
  number: spec.number,
  title: `Change ${spec.number}`,
  body: null,
  author: "grace",
  association: "MEMBER",
  state: spec.mergedAt === undefined ? "open" : "closed",
  ...(spec.mergedAt === undefined ? {} : { mergedAt: spec.mergedAt }),
  head: { ref: spec.head, sha: spec.headSha },
  base: { ref: spec.base, sha: repo.sha("main") },
  files: Array.from({ length: spec.files ?? 1 }, (_, at) => ({
    path: `f${at}`,
    status: "modified" as const,
    additions: 1,
    deletions: 0,
  })),
});

/** Everything a test of hosted PRs needs; `gitconfig` is added to the person's own configuration. */
export const hostedHome = async (options: { readonly gitconfig?: string } = {}): Promise<HostedHome> => {
  const home = cliHome();
  const outside = realpathSync(mkdtempSync(join(tmpdir(), "adk-hosted-")));
  const repo = new RepoBuilder(join(outside, "shop"));
  const config = join(outside, "gitconfig");
  writeFileSync(
    config,
    `[url "${repo.dir}"]\n\tinsteadOf = https://github.com/acme/shop.git\n${options.gitconfig ?? ""}`,
  );
  const stateOf = (pulls: ReadonlyArray<FakePull>) => ({
    users: [
      { login: "grace", id: 7 },
      { login: "acme", id: 8 },
    ],
    tokens: [],
    repositories: [{ id: 501, owner: "acme", name: "shop", pulls }],
  });
  const fake = await startFakeGitHub({ state: stateOf([]) });
  const env = { GITHUB_API_URL: fake.url, GIT_CONFIG_GLOBAL: config, GIT_CONFIG_NOSYSTEM: "1" };
  return {
    ...home,
    run: (args, more = {}) => home.run(args, { ...env, ...more }),
    json: (args, more = {}) => home.json(args, { ...env, ...more }),
    repo,
    fake,
    env,
    pulls: (pulls) => {
      for (const pull of pulls) repo.ref(`refs/pull/${pull.number}/head`, pull.headSha);
      fake.setState(stateOf(pulls.map((pull) => pullOf(repo, pull))));
    },
    url: (number) => `https://github.com/acme/shop/pull/${number}`,
    close: async () => {
      await fake.close();
      rmSync(outside, { recursive: true, force: true });
      home.remove();
    },
  };
};

/** What a preparation left in a task's folder. */
export interface Task {
  readonly folder: string;
  readonly patch: string;
  readonly files: Readonly<Record<string, CensusFile>>;
  readonly precis: string;
  readonly notes: ReadonlyArray<string>;
  /** Path → reason, of what the index leaves out. */
  readonly skipped: Readonly<Record<string, string>>;
  /** Lines of chunks.jsonl. */
  readonly chunks: ReadonlyArray<{ readonly path: string; readonly text: string; readonly kind: string }>;
}

const readJson = <A>(path: string): A => JSON.parse(readFileSync(path, "utf8")) as A;

/** Reads a task's folder. The patch is given as latin1, so that every byte is one character. */
export const readTask = (folder: string): Task => {
  const review = join(folder, "pr-review");
  const census = readJson<{ readonly files: ReadonlyArray<CensusFile> }>(join(review, "changed-files.json"));
  const meta = readJson<{ readonly skipped: ReadonlyArray<{ readonly path: string; readonly reason: string }> }>(
    join(folder, "code-index", "meta.json"),
  );
  return {
    folder,
    patch: readFileSync(join(review, "diff.patch"), "latin1"),
    files: Object.fromEntries(census.files.map((file) => [file.path, file])),
    precis: readFileSync(join(review, "precis.md"), "utf8"),
    notes: readJson<{ readonly notes: ReadonlyArray<string> }>(join(review, "state.json")).notes,
    skipped: Object.fromEntries(meta.skipped.map(({ path, reason }) => [path, reason])),
    chunks: readFileSync(join(folder, "code-index", "chunks.jsonl"), "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line)),
  };
};

/** The row of a PR as `pr-queue show` prints it. */
export const rowOf = async (
  home: Pick<CliHome, "json">,
  url: string,
): Promise<QueueRow & { readonly ready_for_review: boolean; readonly eligibility: ReadonlyArray<{ why: string }> }> =>
  (await home.json(["pr-queue", "show", url])).body;

/** Adds a branch of a local repository and prepares it; gives its folder's content. */
export const prepareLocal = async (
  home: CliHome,
  options: {
    readonly repo: RepoBuilder;
    readonly head: string;
    readonly base?: string;
    readonly env?: NodeJS.ProcessEnv;
  },
): Promise<Task & { readonly url: string }> => {
  const add = ["pr-queue", "add", "--local", options.repo.dir, `--head=${options.head}`];
  const added = await home.json(
    [...add, ...(options.base === undefined ? [] : [`--base=${options.base}`])],
    options.env,
  );
  const url: string | undefined = added.body.added?.[0]?.pr_url;
  if (url === undefined) throw new Error(`not added: ${JSON.stringify(added.body)} ${added.stderr}`);
  const { code, body, stderr } = await home.json(["pr-task", "prepare", url], options.env);
  if (code !== 0) throw new Error(`not prepared: ${JSON.stringify(body)} ${stderr}`);
  return { url, ...readTask(body.task_dir) };
};

/** Every regular file below a folder, as paths from it; nothing for a missing folder. */
export const filesBelow = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
