import type { ChildProcess } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RepoBuilder } from "../../fixtures/repos/RepoBuilder.ts";
import type { QueueRow } from "../../src/queue/row.ts";
import { type Ended, ended } from "../cli/support/program.ts";
import { clockAheadByFile, day } from "../crash/clockShift.ts";
import { CliOver } from "../e2e/support/world.ts";
import { type FakeBitbucket, startFakeBitbucket } from "../fakes/bitbucket/startFakeBitbucket.ts";
import { type FakeGitHub, startFakeGitHub } from "../fakes/github/startFakeGitHub.ts";
import { type FakeSlack, startFakeSlack } from "../fakes/slack/startFakeSlack.ts";
import { allScopes, type FakeMessage } from "../fakes/slack/state.ts";

const hour = 3_600_000;
const tokens = { github: "ghp_Week0Token1For2GitHub3Only4", slack: "xoxb-9081726354-WeekTokenForSlack" };
const sizes = { shop: 18, bff: 12, jobs: 10 } as const;
type Repo = keyof typeof sizes;

interface Pull {
  readonly repo: Repo;
  readonly number: number;
  head: string;
  target: string;
  state: "open" | "closed" | "merged" | "declined";
  draft: boolean;
  forkDeleted: boolean;
  autoMerge: boolean;
}

const key = (repo: Repo, number: number): string => `${repo}#${number}`;
const branch = (number: number): string => `change-${number}`;

/** What one undisturbed sync said. */
export interface SyncEnd {
  readonly code: number | null;
  readonly ready: number;
  readonly failed: number;
  /** Steps that could not do all of their work. */
  readonly warned: ReadonlyArray<string>;
  readonly milliseconds: number;
}

/** Three repositories with forty PRs, their hosts, a Slack workspace, and adk over an empty data home. */
export class Team {
  readonly dir = realpathSync(mkdtempSync(join(tmpdir(), "adk-week-")));
  readonly repos: Readonly<Record<Repo, RepoBuilder>>;
  readonly pulls = new Map<string, Pull>();
  /** Commits of each PR by their name in the week. */
  readonly heads = new Map<string, string>();
  /** What stands in refs/pull/N/head. */
  readonly hosted = new Map<string, string>();
  readonly messages = new Map<string, FakeMessage>();
  readonly cli: CliOver;
  readonly slack: FakeSlack;
  readonly github: FakeGitHub;
  readonly bitbucket: FakeBitbucket;
  bffName = "bff";
  today = 0;
  /** How every sync ended, in order. */
  readonly syncs: SyncEnd[] = [];
  #clock = Math.floor(Date.now() / 1000) - 7200;
  #sleptMs = 0;
  /** Called before each sync with its number in the week: a week with kills starts one here and kills it. */
  beforeSync: (team: Team, nth: number) => Promise<void> = async () => {};

  private constructor(fakes: {
    readonly slack: FakeSlack;
    readonly github: FakeGitHub;
    readonly bitbucket: FakeBitbucket;
  }) {
    this.slack = fakes.slack;
    this.github = fakes.github;
    this.bitbucket = fakes.bitbucket;
    this.repos = {
      shop: this.#repository("shop"),
      bff: this.#repository("bff"),
      jobs: this.#repository("jobs"),
    };
    const config = join(this.dir, "gitconfig");
    const maps = [
      ["shop", "https://github.com/acme/shop.git"],
      ["bff", "https://github.com/acme/bff.git"],
      ["bff", "https://github.com/acme/web-bff.git"],
      ["jobs", "https://bitbucket.org/team/jobs.git"],
    ] as const;
    writeFileSync(
      config,
      maps.map(([repo, url]) => `[url "${this.repos[repo].dir}"]\n\tinsteadOf = ${url}\n`).join(""),
    );
    this.cli = new CliOver(join(this.dir, "data"), {
      env: {
        GITHUB_API_URL: this.github.url,
        GITHUB_TOKEN: tokens.github,
        SLACK_API_URL: this.slack.url,
        SLACK_BOT_TOKEN: tokens.slack,
        BITBUCKET_API_URL: this.bitbucket.url,
        GIT_CONFIG_GLOBAL: config,
      },
    });
  }

  static async start(): Promise<Team> {
    const slackState = { team: { id: "T1", domain: "acme" }, tokens: [], channels: [] };
    const team = new Team({
      slack: await startFakeSlack({ state: slackState }),
      github: await startFakeGitHub({ state: { users: [], tokens: [], repositories: [] } }),
      bitbucket: await startFakeBitbucket({ state: { authorizations: [], repositories: [] } }),
    });
    team.publish();
    await team.run(["config", "set", "slack.channels", '["#reviews","#private","#archive"]']);
    return team;
  }

  #repository(repo: Repo): RepoBuilder {
    const git = new RepoBuilder(join(this.dir, repo));
    const files = Object.fromEntries([1, 2, 3].map((n) => [`src/m${n}.ts`, `export const ${repo}${n} = ${n};\n`]));
    const main = git.commit({ message: "Start", files });
    git.ref("refs/heads/release", main);
    this.heads.set(`${repo} start`, main);
    for (let number = 1; number <= sizes[repo]; number += 1) {
      const text = `export const change${number} = (value: number): number => value + ${number};\n`;
      const head = git.commit({
        branch: branch(number),
        from: main,
        message: `Change ${number}`,
        files: { [`src/c${number}.ts`]: text },
      });
      this.heads.set(`${key(repo, number)} first`, head);
      this.pulls.set(key(repo, number), {
        repo,
        number,
        head,
        target: "main",
        state: "open",
        draft: false,
        forkDeleted: false,
        autoMerge: false,
      });
    }
    return git;
  }

  url(repo: Repo, number: number): string {
    if (repo === "jobs") return `https://bitbucket.org/team/jobs/pull-requests/${number}`;
    return `https://github.com/acme/${repo === "bff" ? this.bffName : repo}/pull/${number}`;
  }

  pull(name: string): Pull {
    const pull = this.pulls.get(name);
    if (pull === undefined) throw new Error(`no PR ${name}`);
    return pull;
  }

  /** A new head of a PR: on top of the old one, or in its place. */
  push(name: string, how: "pushed" | "forced"): void {
    const pull = this.pull(name);
    const git = this.repos[pull.repo];
    const head = git.commit({
      branch: branch(pull.number),
      ...(how === "forced" ? { from: "main" } : {}),
      message: `${how} ${pull.number}`,
      files: { [`src/${how}${pull.number}.ts`]: `export const ${how}${pull.number} = true;\n` },
    });
    pull.head = head;
    this.heads.set(`${name} ${how}`, head);
    this.publish();
  }

  change(name: string, changes: Partial<Omit<Pull, "repo" | "number">>): void {
    Object.assign(this.pull(name), changes);
    this.publish();
  }

  /** A message by its name; replies name their thread's root. */
  say(
    name: string,
    text: string,
    over: Partial<FakeMessage> & { readonly at?: number; readonly below?: string } = {},
  ): void {
    const { at, below, ...message } = over;
    this.#clock += 1;
    const seconds = at ?? this.#clock + (this.today * day) / 1000;
    const thread = below === undefined ? {} : { thread: this.messages.get(below)?.ts ?? "" };
    this.messages.set(name, { ts: `${seconds}.000100`, user: "U0MARA", text, ...thread, ...message });
    this.publish();
  }

  edit(name: string, changes: Partial<FakeMessage>): void {
    const message = this.messages.get(name);
    if (message === undefined) throw new Error(`no message ${name}`);
    this.messages.set(name, { ...message, ...changes });
    this.publish();
  }

  /** The first commit of a repository, which nobody's merge moves. */
  #start(repo: Repo): string {
    return this.heads.get(`${repo} start`) ?? "";
  }

  /** refs/pull/N/head as GitHub has it; written only when it moved, because a week publishes some sixty times. */
  #hostHead({ repo, number, head }: Pull): void {
    const name = `${key(repo, number)} hosted`;
    if (this.hosted.get(name) === head) return;
    this.repos[repo].ref(`refs/pull/${number}/head`, head);
    this.hosted.set(name, head);
  }

  /** The three hosts have what the team has. */
  publish(): void {
    const github = (repo: "shop" | "bff", id: number) => ({
      id,
      owner: "acme",
      name: repo === "bff" ? this.bffName : repo,
      ...(repo === "bff" && this.bffName !== "bff" ? { formerNames: ["acme/bff"] } : {}),
      pulls: [...this.pulls.values()]
        .filter((pull) => pull.repo === repo)
        .map((pull) => {
          this.#hostHead(pull);
          return {
            number: pull.number,
            title: `Change ${pull.number} <!channel>`,
            author: "mara",
            state: pull.state === "open" ? ("open" as const) : ("closed" as const),
            ...(pull.state === "merged" ? { mergedAt: "2026-01-08T10:00:00Z" } : {}),
            draft: pull.draft,
            autoMerge: pull.autoMerge,
            head: { ref: branch(pull.number), sha: pull.head, ...(pull.forkDeleted ? { repo: null } : {}) },
            base: { ref: pull.target, sha: this.#start(repo) },
            files: [{ path: `src/c${pull.number}.ts`, status: "added" as const, additions: 1, deletions: 0 }],
          };
        }),
    });
    this.github.setState({
      users: [{ login: "mara", id: 7 }],
      tokens: [{ token: tokens.github, login: "adk" }],
      repositories: [github("shop", 501), github("bff", 502)],
    });
    const states = { open: "OPEN", merged: "MERGED", declined: "DECLINED", closed: "DECLINED" } as const;
    this.bitbucket.setState({
      authorizations: [],
      repositories: [
        {
          fullName: "team/jobs",
          uuid: "{jobs}",
          pulls: [...this.pulls.values()]
            .filter(({ repo }) => repo === "jobs")
            .map((pull) => ({
              id: pull.number,
              title: `Change ${pull.number}`,
              author: "otto",
              state: states[pull.state],
              source: { branch: branch(pull.number), sha: pull.head },
              destination: { branch: pull.target, sha: this.#start("jobs") },
            })),
        },
      ],
    });
    const own = this.slack
      .state()
      .channels[0]?.messages.filter(({ bot, metadata }) => bot === "B0ADK" && metadata !== undefined);
    const elsewhere = (n: number) => [{ ts: `${this.#clock}.00000${n}`, user: "U1", text: this.url("shop", 16 + n) }];
    this.slack.setState({
      team: { id: "T1", domain: "acme" },
      tokens: [{ token: tokens.slack, user: "U0ADK", bot: "B0ADK", scopes: allScopes }],
      channels: [
        { id: "C0REVIEWS", name: "reviews", messages: [...this.messages.values(), ...(own ?? [])] },
        { id: "C0PRIVATE", name: "private", isPrivate: true, isMember: false, messages: elsewhere(1) },
        { id: "C0ARCHIVE", name: "archive", isArchived: true, messages: elsewhere(2) },
      ],
    });
  }

  /** adk's clock is that of the day in the week, plus what its machine slept. */
  #setClock(): NodeJS.ProcessEnv {
    const file = join(this.dir, "clock-ahead");
    writeFileSync(file, String(this.today * day + this.#sleptMs));
    return clockAheadByFile(file);
  }

  start(args: ReadonlyArray<string>): ChildProcess {
    return this.cli.start(args, this.#setClock());
  }

  run(args: ReadonlyArray<string>): Promise<Ended> {
    return ended(this.start(args));
  }

  async #sync(child: ChildProcess): Promise<void> {
    const started = performance.now();
    const { code, stdout, stderr } = await ended(child);
    if (stdout === "") throw new Error(`pr-sync said nothing: ${stderr}`);
    const { summary, warnings } = JSON.parse(stdout) as {
      readonly summary: { readonly ready: number; readonly failed: number };
      readonly warnings: ReadonlyArray<{ readonly step: string }>;
    };
    const milliseconds = performance.now() - started;
    const warned = warnings.map(({ step }) => step);
    this.syncs.push({ code, ready: summary.ready, failed: summary.failed, warned, milliseconds });
  }

  async sync(): Promise<void> {
    await this.beforeSync(this, this.syncs.length);
    await this.#sync(this.start(["pr-sync", "--json"]));
  }

  /** A sync during which the lid is closed for the night, in the middle of a preparation, while `meanwhile` happens. */
  async sleepDuringSync(meanwhile: () => void): Promise<void> {
    const child = this.start(["pr-sync", "--json"]);
    const end = this.#sync(child);
    await this.cli.happened(
      child,
      ({ pid, machine, to }) => pid === child.pid && machine === "prep" && to === "preparing",
    );
    child.kill("SIGSTOP");
    meanwhile();
    this.#sleptMs += 9 * hour;
    this.#setClock();
    child.kill("SIGCONT");
    await end;
  }

  /**
   * Claims a PR and ends the review with a status, as a reviewer's program does. `again`: at a head that was reviewed
   * before, which takes `--force`.
   */
  async review(name: string, status: string, again = false): Promise<void> {
    const { repo, number } = this.pull(name);
    const url = this.url(repo, number);
    const claim = await this.run(["pr-queue", "claim", url, "--json", ...(again ? ["--force"] : [])]);
    if (claim.code !== 0) throw new Error(`${name} was not claimed: ${claim.stdout}`);
    const { run_id, token } = JSON.parse(claim.stdout) as { readonly run_id: string; readonly token: string };
    const release = ["pr-queue", "release", url, "--status", status, "--run-id", run_id, "--token", token];
    const released = await this.run(release);
    if (released.code !== 0) throw new Error(`${name} was not released: ${released.stderr}`);
  }

  /** A row as the expectation names it: `web-bff#4`. */
  nameOf(row: QueueRow): string {
    return `${row.repo}#${row.pr_number}`;
  }

  async close(): Promise<void> {
    await Promise.all([this.slack.close(), this.github.close(), this.bitbucket.close()]);
    rmSync(this.dir, { recursive: true, force: true });
  }
}
