import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { branchDir, branchMetaFile, taskDir } from "../../../effects/home/layout.ts";
import { RepoBuilder } from "../../../fixtures/repos/RepoBuilder.ts";
import { decodeSealedQueue } from "../../../src/queue/codec.ts";
import type { QueueRow } from "../../../src/queue/row.ts";
import type { BranchMeta } from "../../../src/repo/repoMeta.ts";
import { decodeSyncPlan, type SyncPlanFile } from "../../../src/sync/syncPlanFile.ts";
import { type Ended, ended, root, start } from "../../cli/support/program.ts";
import { expectNoCanaryBelow } from "../../support/canaries.ts";

/** One line of logs/events.jsonl. */
export interface Transition {
  readonly ts: string;
  readonly pid: number;
  readonly actor: string;
  readonly machine: string;
  readonly from: string;
  readonly event: string;
  readonly to: string;
}

export interface Answer {
  readonly code: number | null;
  // biome-ignore lint/suspicious/noExplicitAny: a document is looked at field by field in assertions
  readonly body: any;
  readonly stderr: string;
}

/** The CLI under test: dist, or another build of it. */
const defaultProgram = (): string => process.env.ADK_TEST_PROGRAM ?? join(root, "bin/adk");

const eventsOf = (data: string): ReadonlyArray<Transition> => {
  const file = join(data, "logs", "events.jsonl");
  if (!existsSync(file)) return [];
  // A line may be half written at this moment.
  const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Transition);
};

/** A data home and the whole CLI over it, as a person's terminal would have it. */
export class CliOver {
  readonly data: string;
  readonly program: string;
  readonly env: NodeJS.ProcessEnv;

  constructor(data: string, options: { readonly program?: string; readonly env?: NodeJS.ProcessEnv } = {}) {
    this.data = data;
    this.program = options.program ?? defaultProgram();
    this.env = options.env ?? {};
  }

  get #fixed(): NodeJS.ProcessEnv {
    const mutant = process.env.ADK_TEST_MUTANT;
    return {
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_CONFIG_NOSYSTEM: "1",
      ...(mutant === undefined ? {} : { ADK_TEST_MUTANT: mutant }),
    };
  }

  start(args: ReadonlyArray<string>, env: NodeJS.ProcessEnv = {}): ChildProcess {
    return start(this.program, args, {
      ...this.#fixed,
      ...this.env,
      ADK_DATA_HOME: this.data,
      ...env,
    });
  }

  run(args: ReadonlyArray<string>, env: NodeJS.ProcessEnv = {}): Promise<Ended> {
    return ended(this.start(args, env));
  }

  /** Runs a verb and tells how much processor time it and its children took. */
  async timed(args: ReadonlyArray<string>): Promise<Ended & { readonly cpuSeconds: number }> {
    const script = '"$0" "$@"; code=$?; times >&2; exit $code';
    const child = spawn("sh", ["-c", script, process.execPath, this.program, ...args], {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...this.#fixed, ...this.env, ADK_DATA_HOME: this.data },
    });
    const end = await ended(child);
    const spent = [...(end.stderr.trimEnd().split("\n").at(-1) ?? "").matchAll(/(\d+)m([\d.]+)s/g)];
    return { ...end, cpuSeconds: spent.reduce((sum, [, min, sec]) => sum + Number(min) * 60 + Number(sec), 0) };
  }

  async json(args: ReadonlyArray<string>, env: NodeJS.ProcessEnv = {}): Promise<Answer> {
    const { code, signal, stdout, stderr } = await this.run([...args, "--json"], env);
    if (signal !== null || stdout === "") throw new Error(`adk ${args.join(" ")}: ${signal ?? code}: ${stderr}`);
    return { code, body: JSON.parse(stdout), stderr };
  }

  /** Runs a verb with a fault armed; the fault must have ended it by SIGKILL. */
  async killed(args: ReadonlyArray<string>, fault: string): Promise<void> {
    const end = await this.run(args, { NODE_ENV: "test", ADK_FAULT: fault });
    if (end.signal !== "SIGKILL") throw new Error(`adk ${args.join(" ")} was not killed at ${fault}: ${end.stderr}`);
  }

  rows(): ReadonlyArray<QueueRow> {
    const queue = decodeSealedQueue(readFileSync(join(this.data, "config", "pr-queue.json5")));
    if (queue === undefined || queue === null) throw new Error("the queue is not one that adk wrote");
    return queue.queue.prs;
  }

  row(url: string): QueueRow {
    const row = this.rows().find((other) => other.pr_url === url);
    if (row === undefined) throw new Error(`no row ${url}`);
    return row;
  }

  events(): ReadonlyArray<Transition> {
    return eventsOf(this.data);
  }

  plan(): SyncPlanFile {
    const plan = decodeSyncPlan(readFileSync(join(this.data, "tui", "workers", "sync-plan.json"), "utf8"));
    if (plan === null || plan === undefined) throw new Error("no readable sync plan");
    return plan;
  }

  get #roots() {
    return { repos: join(this.data, "repos"), tasks: join(this.data, "skill-pr-review") };
  }

  baseFolder(repo: string, branch: string): string {
    return branchDir(this.#roots, repo, branch);
  }

  taskFolder(row: QueueRow): string {
    return taskDir(this.#roots, row);
  }

  base(repo: string, branch: string): BranchMeta | null {
    const file = branchMetaFile(this.baseFolder(repo, branch));
    return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as BranchMeta) : null;
  }

  baseMetaFile(repo: string, branch: string): string {
    return branchMetaFile(this.baseFolder(repo, branch));
  }

  /** Resolves when a transition that fits is on record; rejects when the process ends without one. */
  async happened(child: ChildProcess, fits: (event: Transition) => boolean): Promise<void> {
    for (;;) {
      if (this.events().some(fits)) return;
      if (child.exitCode !== null || child.signalCode !== null) {
        if (this.events().some(fits)) return;
        throw new Error("the process ended and the event never came");
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  /** Every record of every verbose call, oldest file first. */
  logRecords(): ReadonlyArray<Readonly<Record<string, unknown>>> {
    const folder = join(this.data, "logs");
    return readdirSync(folder)
      .filter((name) => name.endsWith(".log"))
      .flatMap((name) => readFileSync(join(folder, name), "utf8").trimEnd().split("\n"))
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  }
}

const total = `import { cents } from "./money.ts";

/** Sum of a cart in cents. */
export const total = (lines: ReadonlyArray<{ price: number; count: number }>): number =>
  lines.reduce((sum, line) => sum + cents(line.price) * line.count, 0);
`;
const money = `/** Euros as whole cents. */
export const cents = (euros: number): number => Math.round(euros * 100);
`;
const revenue = `def revenue(values):
    """Adds up what came in."""
    return sum(values)
`;

/** `shop` with a release branch and four changes, `report` with one: every tier occurs once shop's main is indexed. */
const buildRepositories = (dir: string) => {
  const shop = new RepoBuilder(join(dir, "shop"));
  shop.commit({
    message: "Start",
    files: { "src/total.ts": total, "src/money.ts": money, "README.md": "# Shop\n\nSells things.\n" },
  });
  shop.branch("release/v2", "main");
  shop.commit({ message: "Changelog", files: { "CHANGELOG.md": "# Changes\n\nNone yet.\n" } });
  const change = (branch: string, from: string, text: string) =>
    shop.commit({ branch, from, message: `Change ${branch}`, files: { [`src/${branch}.ts`]: text } });
  change("round", "main", "export const round = (value: number): number => Math.round(value);\n");
  change("tax", "main", "export const tax = (value: number): number => value * 0.19;\n");
  change("fix-a", "release/v2", "export const fixA = (value: number): number => value + 1;\n");
  change("fix-b", "release/v2", "export const fixB = (value: number): number => value + 2;\n");
  shop.checkout();
  const report = new RepoBuilder(join(dir, "report"));
  report.commit({ message: "Start", files: { "jobs/revenue.py": revenue } });
  report.commit({
    branch: "refunds",
    from: "main",
    message: "Leave refunds out",
    files: { "jobs/revenue.py": revenue.replace("sum(values)", "sum(value for value in values if value > 0)") },
  });
  report.checkout();
  return { shop, report };
};

/** Two small repositories and a data home, in one temporary folder. */
export class World extends CliOver {
  readonly dir: string;
  readonly shop: RepoBuilder;
  readonly report: RepoBuilder;

  constructor(options: { readonly program?: string } = {}) {
    const dir = realpathSync(mkdtempSync(join(tmpdir(), "adk-e2e-")));
    super(join(dir, "data"), options);
    this.dir = dir;
    const repos = buildRepositories(join(dir, "repositories"));
    this.shop = repos.shop;
    this.report = repos.report;
  }

  /** Another data home over the same repositories. */
  sibling(name: string): CliOver {
    // A test's second try begins from nothing, too.
    rmSync(join(this.dir, name), { recursive: true, force: true });
    mkdirSync(join(this.dir, name), { mode: 0o700 });
    return new CliOver(join(this.dir, name), { program: this.program });
  }

  /** Fails when a secret of the world's programs stands in anything that they wrote. */
  remove(): void {
    try {
      expectNoCanaryBelow(this.dir);
    } finally {
      rmSync(this.dir, { recursive: true, force: true });
    }
  }
}

/** A verb that must end well. */
export const must = async (cli: CliOver, args: ReadonlyArray<string>, env: NodeJS.ProcessEnv = {}): Promise<Answer> => {
  const answer = await cli.json(args, env);
  if (answer.code !== 0) throw new Error(`adk ${args.join(" ")} ended ${answer.code}: ${JSON.stringify(answer.body)}`);
  return answer;
};

/** Puts a change of one of the world's repositories into a queue. */
export const addLocal = (cli: CliOver, repo: RepoBuilder, head: string, base = "main"): Promise<Answer> =>
  must(cli, ["pr-queue", "add", "--local", repo.dir, "--head", head, "--base", base]);

/** shop's main indexed and all five changes queued: what every whole sync starts from. */
export const fill = async (world: World, cli: CliOver = world): Promise<void> => {
  await must(cli, ["repo", "add", world.shop.dir]);
  for (const head of ["round", "tax"]) await addLocal(cli, world.shop, head);
  for (const head of ["fix-a", "fix-b"]) await addLocal(cli, world.shop, head, "release/v2");
  await addLocal(cli, world.report, "refunds");
};

/** Two changes that share a base nobody has indexed, and a lone one: the smallest queue with a base to build. */
export const fillSmall = async (world: World, cli: CliOver = world): Promise<void> => {
  for (const head of ["fix-a", "fix-b"]) await addLocal(cli, world.shop, head, "release/v2");
  await addLocal(cli, world.report, "refunds");
};
