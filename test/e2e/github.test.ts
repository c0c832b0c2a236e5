import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { RepoBuilder } from "../../fixtures/repos/RepoBuilder.ts";
import { type FakeGitHub, startFakeGitHub } from "../fakes/github/startFakeGitHub.ts";
import type { FakeGitHubState } from "../fakes/github/state.ts";
import { type Answer, CliOver, must } from "./support/world.ts";

// Whole processes on a machine that may be busy with others.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const token = "ghp_madeUpTokenForThisTest00000000000000";
const url = (number: number): string => `https://github.com/acme/shop/pull/${number}`;

let dir: string;
let repo: RepoBuilder;
let fake: FakeGitHub;
let cli: CliOver;
let first: Answer;

const state = (target = "main"): FakeGitHubState => {
  const pull = (number: number, ref: string, base: string) => ({
    number,
    title: `Change ${ref}`,
    author: "grace",
    state: "open" as const,
    head: { ref, sha: repo.sha(`refs/pull/${number}/head`), ...(number === 2 ? { repo: null } : {}) },
    base: { ref: base, sha: repo.sha(base) },
    files: [{ path: `src/${ref}.ts`, status: "added" as const, additions: 1, deletions: 0 }],
  });
  return {
    users: [
      { login: "grace", id: 7 },
      { login: "acme", id: 8 },
    ],
    tokens: [{ token, login: "grace" }],
    repositories: [
      {
        id: 501,
        owner: "acme",
        name: "shop",
        isPrivate: true,
        pulls: [pull(1, "round", target), pull(2, "fork", "main")],
      },
    ],
  };
};

/** A git on PATH that writes down its words and then is the real one. */
const spyOnGit = (): { readonly path: string; readonly words: () => string } => {
  const folder = join(dir, "bin");
  mkdirSync(folder);
  const real = (process.env.PATH ?? "")
    .split(delimiter)
    .map((place) => join(place, "git"))
    .find((file) => existsSync(file));
  const log = join(dir, "git-words");
  writeFileSync(join(folder, "git"), `#!/bin/sh\nprintf '%s\\n' "$*" >> '${log}'\nexec '${real}' "$@"\n`);
  chmodSync(join(folder, "git"), 0o755);
  return { path: `${folder}${delimiter}${process.env.PATH}`, words: () => readFileSync(log, "utf8") };
};

let git: ReturnType<typeof spyOnGit>;

beforeAll(async () => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), "adk-e2e-github-")));
  repo = new RepoBuilder(join(dir, "host", "shop.git"), { bare: true });
  repo.commit({ message: "Start", files: { "src/total.ts": "export const total = (a: number): number => a;\n" } });
  repo.branch("release", "main");
  for (const [number, name] of [
    [1, "round"],
    [2, "fork"],
  ] as const) {
    const sha = repo.commit({
      branch: name,
      from: "main",
      message: name,
      files: { [`src/${name}.ts`]: `export const ${name} = 1;\n` },
    });
    repo.ref(`refs/pull/${number}/head`, sha);
  }
  // The fork is gone, and with it its branch: only the host's own copy of the head is left.
  repo.deleteBranch("fork");
  const config = join(dir, "gitconfig");
  writeFileSync(config, `[url "${join(dir, "host")}/"]\n\tinsteadOf = https://github.com/acme/\n`);
  git = spyOnGit();
  fake = await startFakeGitHub({ state: state() });
  const env = { GITHUB_API_URL: fake.url, GITHUB_TOKEN: token, GIT_CONFIG_GLOBAL: config, PATH: git.path };
  cli = new CliOver(join(dir, "data"), { env });
  await must(cli, ["pr-queue", "add", url(1), `${url(2)}/files#discussion_r1`, "-v"]);
  first = await must(cli, ["pr-sync", "-v"]);
});
afterAll(async () => {
  await fake.close();
  rmSync(dir, { recursive: true, force: true });
});

describe("pull requests of GitHub", () => {
  it("become ready from a base that two share, the one whose fork is deleted too", () => {
    expect(first.body).toMatchObject({ ready: [url(1), url(2)], failed: [], summary: { bases_built: 1, ready: 2 } });
    for (const number of [1, 2]) {
      const row = cli.row(url(number));
      expect(row).toMatchObject({
        prep_status: "ready",
        prep_head_sha: repo.sha(`refs/pull/${number}/head`),
        prep_merge_base: repo.sha("main"),
        prep_used_base: { repo: "shop", branch: "main", created_by: "auto" },
      });
      expect(readFileSync(join(cli.taskFolder(row), "pr-review", "pr.json"), "utf8")).toContain("grace");
    }
  });

  it("are prepared anew when they are retargeted, and only then", async () => {
    fake.setState(state("release"));
    const { body } = await must(cli, ["pr-sync", "-v"]);
    expect(body.ready).toEqual([url(1)]);
    expect(cli.row(url(1))).toMatchObject({ target_branch: "release", prep_base_ref: "release", prep_status: "ready" });
    expect(cli.row(url(1)).prep_used_base).toBeNull();
  });

  it("are only read, with requests that GitHub's description allows", () => {
    expect(fake.violations).toEqual([]);
    expect(fake.ledger.length).toBeGreaterThanOrEqual(4);
    const writing = fake.ledger.filter(
      ({ method, pathname, body }) =>
        method !== "GET" && !(pathname === "/graphql" && /^query /.test((body as { readonly query: string }).query)),
    );
    expect(writing).toEqual([]);
    for (const entry of fake.ledger) expect(entry.headers.authorization).toContain(token);
  });

  it("never see the token in a word to git, in a log, in the plan, in the queue or in any other file", () => {
    expect(git.words()).toContain("fetch");
    expect(git.words()).not.toContain(token);
    expect(git.words()).not.toContain(Buffer.from(token).toString("base64").slice(0, 20));
    const files = readdirSync(cli.data, { recursive: true, encoding: "utf8" }).map((name) => join(cli.data, name));
    const holding = files.filter((file) => statSync(file).isFile() && readFileSync(file).includes(token));
    expect(holding).toEqual([]);
    expect(first.stderr).not.toContain(token);
  });
});
