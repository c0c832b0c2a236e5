import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { RepoBuilder } from "../../fixtures/repos/RepoBuilder.ts";
import { misbehaviours } from "../fakes/github/behaviours.ts";
import { type FakeGitHub, startFakeGitHub } from "../fakes/github/startFakeGitHub.ts";
import type { FakeGitHubState, FakePull } from "../fakes/github/state.ts";
import { CliOver, must } from "./support/world.ts";

// Whole processes on a machine that may be busy with others.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const token = "ghp_madeUpTokenForThisTest00000000000000";
const oldUrl = (number: number): string => `https://github.com/acme/shop/pull/${number}`;
const newUrl = (number: number): string => `https://github.com/bricks/store/pull/${number}`;

let dir: string;
let repo: RepoBuilder;
let fake: FakeGitHub;
let cli: CliOver;

const pull = (number: number, fields: Partial<FakePull> = {}): FakePull => ({
  number,
  title: `Change ${number}`,
  author: "grace",
  state: "open",
  head: { ref: `work-${number}`, sha: repo.sha(`refs/pull/${number}/head`) },
  base: { ref: "main", sha: repo.sha("main") },
  files: [{ path: `src/f${number}.ts`, status: "added", additions: 1, deletions: 0 }],
  ...fields,
});

const state = (name: "acme/shop" | "bricks/store", fields: Partial<FakePull> = {}): FakeGitHubState => {
  const [owner = "", repository = ""] = name.split("/");
  return {
    users: [{ login: "grace", id: 7 }],
    tokens: [{ token, login: "grace" }],
    repositories: [
      {
        id: 501,
        owner,
        name: repository,
        ...(name === "acme/shop" ? {} : { formerNames: ["acme/shop"] }),
        pulls: [pull(1, fields), pull(2, fields)],
      },
    ],
  };
};

beforeEach(async () => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), "adk-e2e-renames-")));
  repo = new RepoBuilder(join(dir, "host", "shop.git"), { bare: true });
  repo.commit({ message: "Start", files: { "src/total.ts": "export const total = (a: number): number => a;\n" } });
  repo.branch("release", "main");
  for (const number of [1, 2]) {
    const files = { [`src/f${number}.ts`]: `export const f${number} = 1;\n` };
    repo.ref(
      `refs/pull/${number}/head`,
      repo.commit({ branch: `work-${number}`, from: "main", message: `Work ${number}`, files }),
    );
  }
  const config = join(dir, "gitconfig");
  const place = join(dir, "host", "shop.git");
  writeFileSync(
    config,
    `[url "${place}"]\n\tinsteadOf = https://github.com/acme/shop.git\n\tinsteadOf = https://github.com/bricks/store.git\n`,
  );
  fake = await startFakeGitHub({ state: state("acme/shop") });
  cli = new CliOver(join(dir, "data"), {
    env: { GITHUB_API_URL: fake.url, GITHUB_TOKEN: token, GIT_CONFIG_GLOBAL: config },
  });
  await must(cli, ["pr-queue", "add", oldUrl(1), oldUrl(2)]);
});
afterEach(async () => {
  await fake.close();
  rmSync(dir, { recursive: true, force: true });
});

const repoMeta = () => JSON.parse(readFileSync(join(cli.data, "repos", "shop", "repo-meta.json"), "utf8"));

describe("a repository that is renamed and transferred", () => {
  it("keeps its rows, clone and base; its PRs are ready again under the new name, and the old folders go", async () => {
    await must(cli, ["pr-sync"]);
    const before = [1, 2].map((number) => cli.row(oldUrl(number)));
    fake.setState(state("bricks/store"));
    const { body } = await must(cli, ["pr-sync"]);
    expect(body.ready).toEqual([newUrl(1), newUrl(2)]);
    expect(cli.rows().map((row) => row.pr_url)).toEqual([newUrl(1), newUrl(2)]);
    expect(cli.row(newUrl(1))).toMatchObject({
      node_id: before[0]?.node_id,
      added_at: before[0]?.added_at,
      prep_status: "ready",
      prep_used_base: { repo: "shop", branch: "main" },
    });
    expect(repoMeta()).toMatchObject({ owner: "bricks", repo: "store", url: "https://github.com/bricks/store.git" });
    expect(existsSync(join(cli.data, "repos", "store"))).toBe(false);
    for (const row of before) expect(existsSync(cli.taskFolder(row))).toBe(false);
    expect(existsSync(join(cli.taskFolder(cli.row(newUrl(1))), "pr-review", "state.json"))).toBe(true);
    expect(cli.plan().notes).toContain(`${oldUrl(1)} is ${newUrl(1)} now`);
    // Both names mean the row that is there.
    const again = await cli.json(["pr-queue", "add", oldUrl(1), newUrl(2)]);
    expect(again.body).toMatchObject({ added: [], existing: [newUrl(1), newUrl(2)] });
    expect(cli.rows()).toHaveLength(2);
  });

  it("has its rows found by the old name too, with the new one said; a repository that took the name comes first", async () => {
    fake.setState(state("bricks/store"));
    await must(cli, ["pr-sync"]);
    const note = `${oldUrl(1)} is ${newUrl(1)} now: its repository was renamed`;
    const shown = await must(cli, ["pr-queue", "show", oldUrl(1)]);
    expect(shown.body).toMatchObject({ pr_url: newUrl(1), former_urls: [oldUrl(1)] });
    expect(shown.stderr).toContain(note);
    expect((await cli.run(["pr-queue", "show", newUrl(1)])).stderr).not.toContain("renamed");
    const claimed = await must(cli, ["pr-queue", "claim", `${oldUrl(1)}/files`, "--force"]);
    expect(claimed.body.pr_url).toBe(newUrl(1));
    expect(claimed.stderr).toContain(note);
    const released = await must(cli, ["pr-queue", "release", "ACME/shop#1", "--token", claimed.body.token]);
    expect(released.stderr).toContain(note.replace("acme", "ACME"));
    expect(cli.row(newUrl(1)).claim).toBeNull();
    expect((await must(cli, ["pr-queue", "update", oldUrl(2)])).body).toMatchObject({ checked: 1, failed: [] });
    const unknown = await cli.json(["pr-queue", "show", oldUrl(3)]);
    expect({ code: unknown.code, message: unknown.body.error.message }).toEqual({
      code: 1,
      message: `${oldUrl(3)} is not in the queue`,
    });
    const [moved] = state("bricks/store").repositories;
    const [taker] = state("acme/shop").repositories;
    if (moved === undefined || taker === undefined) throw new Error("no repository");
    const { formerNames: _, ...own } = moved;
    fake.setState({ ...state("acme/shop"), repositories: [own, { ...taker, id: 502, pulls: [pull(1)] }] });
    expect((await must(cli, ["pr-queue", "add", oldUrl(1)])).body.added).toMatchObject([{ pr_url: oldUrl(1) }]);
    const taken = await must(cli, ["pr-queue", "show", oldUrl(1)]);
    expect(taken.body.pr_url).toBe(oldUrl(1));
    expect(taken.stderr).not.toContain("renamed");
  });

  it("comes to the same end when it is killed between its steps", async () => {
    await must(cli, ["pr-sync"]);
    fake.setState(state("bricks/store"));
    await cli.killed(["pr-queue", "update", "--all"], "queue.renaming:1:kill");
    expect(cli.rows().map((row) => row.pr_url)).toEqual([oldUrl(1), oldUrl(2)]);
    const { body } = await must(cli, ["pr-queue", "update", "--all"]);
    expect(body.renamed).toEqual([1, 2].map((number) => ({ from: oldUrl(number), to: newUrl(number) })));
    expect(repoMeta()).toMatchObject({ owner: "bricks", repo: "store" });
    expect(existsSync(join(cli.data, "repos", "store"))).toBe(false);
  });

  it("waits with its rows while one of them is under a claim, and follows when that is given back", async () => {
    await must(cli, ["pr-sync"]);
    const { body: claim } = await must(cli, ["pr-queue", "claim", oldUrl(1), "--force"]);
    fake.setState(state("bricks/store"));
    const held = await must(cli, ["pr-queue", "update", "--all"]);
    expect(held.body).toMatchObject({
      renamed: [],
      failed: [],
      notes: [expect.stringContaining("under a live claim")],
    });
    expect(cli.rows().map((row) => row.pr_url)).toEqual([oldUrl(1), oldUrl(2)]);
    await must(cli, ["pr-queue", "release", oldUrl(1), "--token", claim.token]);
    expect((await must(cli, ["pr-queue", "update", "--all"])).body.renamed).toHaveLength(2);
  });
});

describe("what the host says of a PR", () => {
  it("moves its key when it is retargeted, and shows its decision, auto-merge and merge queue", async () => {
    await must(cli, ["pr-sync"]);
    fake.setState(
      state("acme/shop", {
        base: { ref: "release", sha: repo.sha("release") },
        autoMerge: true,
        inMergeQueue: true,
        reviewDecision: "CHANGES_REQUESTED",
      }),
    );
    expect((await must(cli, ["pr-queue", "update", "--all"])).body).toMatchObject({
      checked: 2,
      moved: 2,
      unchanged: 0,
    });
    expect(cli.row(oldUrl(1))).toMatchObject({ target_branch: "release", prep_status: "pending", merge_base: null });
    expect(cli.events().some(({ event, to }) => event === "KEY_MOVED" && to === "pending")).toBe(true);
    const { stdout } = await cli.run(["pr-queue", "show", oldUrl(1)]);
    expect(stdout).toContain("changes requested, in the merge queue, merges by itself once it may");
  });
});

describe("a host that limits", () => {
  it("leaves the rows as they are, says until when, once for all of them, and is not asked before", async () => {
    const before = cli.rows();
    const asked = fake.ledger.length;
    fake.behave({ operation: "graphql", does: misbehaviours.secondaryLimit({ status: 403, retryAfter: 600 }) });
    const limited = await cli.json(["pr-queue", "update", "--all"]);
    expect(limited.code).toBe(1);
    expect(limited.body.failed).toMatchObject([1, 2].map((number) => ({ pr_url: oldUrl(number) })));
    const until: string = limited.body.failed[0].retry_at;
    expect(until).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(fake.ledger.length).toBe(asked + 1);
    const text = await cli.run(["pr-queue", "update", "--all"]);
    expect(text.code).toBe(1);
    expect(text.stdout.match(/limits/g)).toHaveLength(1);
    expect(text.stdout).toMatch(/2 failed, .* until /);
    await cli.json(["pr-sync", "-v"]);
    expect(fake.ledger.length).toBe(asked + 1);
    expect(cli.rows().map(({ head_sha, status, last_checked_at }) => [head_sha, status, last_checked_at])).toEqual(
      before.map(({ head_sha, status, last_checked_at }) => [head_sha, status, last_checked_at]),
    );
    const step = cli.plan().steps.find(({ name }) => name === "pr-queue update --all");
    expect(step).toMatchObject({ status: "warn" });
    expect(step?.summary).toContain(`limited until ${until}`);
  });
});
