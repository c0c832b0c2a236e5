import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { RepoBuilder } from "../../fixtures/repos/RepoBuilder.ts";
import { type CliHome, cliHome } from "../cli/support/queueHome.ts";
import {
  type FakeBitbucket,
  type FakeBitbucketPull,
  startFakeBitbucket,
} from "../fakes/bitbucket/startFakeBitbucket.ts";

let home: CliHome;
let fake: FakeBitbucket;
let repo: RepoBuilder;
let outside: string;
let env: NodeJS.ProcessEnv;

const url = (number: number): string => `https://bitbucket.org/acme/shop/pull-requests/${number}`;

const say = (pulls: ReadonlyArray<FakeBitbucketPull>): void =>
  fake.setState({ authorizations: [], repositories: [{ fullName: "acme/shop", uuid: "{repo-1}", pulls }] });

const pullOf = (id: number, over: Partial<FakeBitbucketPull> = {}): FakeBitbucketPull => ({
  id,
  title: `Change ${id}`,
  author: "mara",
  state: "OPEN",
  source: { branch: `change-${id}`, sha: repo.sha(`change-${id}`) },
  destination: { branch: "main", sha: repo.sha("main") },
  ...over,
});

beforeEach(async () => {
  home = cliHome();
  outside = realpathSync(mkdtempSync(join(tmpdir(), "adk-bitbucket-")));
  repo = new RepoBuilder(join(outside, "shop"));
  const main = repo.commit({ message: "Start", files: { "a.ts": "export const a = 1;\n" } });
  for (const n of [1, 2])
    repo.commit({
      branch: `change-${n}`,
      from: main,
      message: `Change ${n}`,
      files: { "a.ts": `export const a = ${n + 1};\n` },
    });
  const config = join(outside, "gitconfig");
  writeFileSync(config, `[url "${repo.dir}"]\n\tinsteadOf = https://bitbucket.org/acme/shop.git\n`);
  fake = await startFakeBitbucket({ state: { authorizations: [], repositories: [] } });
  env = { BITBUCKET_API_URL: fake.url, GIT_CONFIG_GLOBAL: config, GIT_CONFIG_NOSYSTEM: "1" };
});
afterEach(async () => {
  const { violations } = fake;
  expect(fake.writes()).toEqual([]);
  await fake.close();
  home.remove();
  rmSync(outside, { recursive: true, force: true });
  expect(violations).toEqual([]);
});

describe("a PR of Bitbucket in the queue", () => {
  it("is added by any of its names, prepared from its branch, claimed, released, and follows the host", async () => {
    say([
      pullOf(1, { comments: [{ id: 1, user: "otto", raw: "Is this rounded?", inline: { path: "a.ts", to: 1 } }] }),
      pullOf(2),
    ]);
    expect((await home.json(["pr-queue", "add", `${url(1)}/diff#comment-1`], env)).body.added).toEqual([
      { pr_url: url(1), status: "pending" },
    ]);
    await home.run(["config", "set", "defaults.platform", "bitbucket"]);
    expect((await home.json(["pr-queue", "add", "acme/shop#2"], env)).body.added).toEqual([
      { pr_url: url(2), status: "pending" },
    ]);
    const synced = await home.json(["pr-sync"], env);
    expect({ ready: synced.body.ready.sort(), failed: synced.body.failed }).toEqual({
      ready: [url(1), url(2)],
      failed: [],
    });
    const info = await home.json(["pr-task", "info", url(1)], env);
    const precis = readFileSync(join(info.body.task_dir, "pr-review/precis.md"), "utf8");
    expect(precis).toContain("- threads: 1 open, 0 resolved");
    expect(precis).toContain("`a.ts:1` otto: Is this rounded?");
    expect(precis).toContain("- CI state: no checks at this head");
    const claim = await home.json(["pr-queue", "claim", url(1)], env);
    expect(claim.code).toBe(0);
    const proof = { ADK_CLAIM_TOKEN: claim.body.token, ADK_RUN_ID: claim.body.run_id };
    expect((await home.json(["pr-queue", "release", url(1), "--status", "comments"], { ...env, ...proof })).code).toBe(
      0,
    );
    repo.commit({ branch: "change-1", message: "More", files: { "b.ts": "export const b = 1;\n" } });
    say([pullOf(1), pullOf(2, { state: "MERGED" })]);
    expect((await home.json(["pr-queue", "update", "--all"], env)).body).toMatchObject({
      checked: 2,
      moved: 1,
      merged: 1,
      failed: [],
    });
    expect((await home.json(["pr-sync"], env)).body.ready).toEqual([url(1)]);
  });

  it("without its source branch waits in the queue and says what to do, and the others are prepared", async () => {
    say([pullOf(1), pullOf(2)]);
    await home.json(["pr-queue", "add", url(1), url(2)], env);
    repo.deleteBranch("change-1");
    repo.git(["reflog", "expire", "--expire=now", "--all"]);
    repo.git(["gc", "--quiet", "--prune=now"]);
    const { body } = await home.json(["pr-sync"], env);
    expect(body.ready).toEqual([url(2)]);
    expect(body.failed).toEqual([
      {
        pr_url: url(1),
        error: `${url(1)}: its source branch change-1 is not in acme/shop any more, and Bitbucket keeps no ref of its own for a PR — ask the author to push the branch again; the PR stays in the queue and the next sync looks again`,
      },
    ]);
  });
});

describe("a PR of Bitbucket whose head is in a fork", () => {
  let fork: RepoBuilder;

  const forked = (sha: string, repository: string | null = "mara/shop"): FakeBitbucketPull =>
    pullOf(1, { source: { branch: "change-2", sha, repository } });

  /** As a host does: nothing keeps what no branch holds. */
  const prune = (of: RepoBuilder): void => {
    of.git(["reflog", "expire", "--expire=now", "--all"]);
    of.git(["gc", "--quiet", "--prune=now"]);
  };

  const prepared = async (): Promise<string> => {
    const info = await home.json(["pr-task", "info", url(1)], env);
    return readFileSync(join(info.body.task_dir, "pr-review/diff.patch"), "utf8");
  };

  beforeEach(() => {
    fork = new RepoBuilder(join(outside, "fork"), { bare: true });
    fork.git(["fetch", "--quiet", repo.dir, "+refs/heads/main:refs/heads/main"]);
    // The same name as a branch of the repository itself, which is another change.
    fork.commit({
      branch: "change-2",
      from: "main",
      message: "From afar",
      files: { "far.ts": "export const far = 1;\n" },
    });
    writeFileSync(
      join(outside, "gitconfig"),
      `[url "${repo.dir}"]\n\tinsteadOf = https://bitbucket.org/acme/shop.git\n[url "${fork.dir}"]\n\tinsteadOf = https://bitbucket.org/mara/shop.git\n`,
    );
  });

  it("is fetched from the fork, whatever the repository itself calls by that name", async () => {
    say([forked(fork.sha("change-2")), pullOf(2)]);
    await home.json(["pr-queue", "add", url(1), url(2)], env);
    const { body } = await home.json(["pr-sync"], env);
    expect({ ready: [...body.ready].sort(), failed: body.failed }).toEqual({ ready: [url(1), url(2)], failed: [] });
    expect(await prepared()).toContain("+export const far = 1;");
    expect(await prepared()).not.toContain("a.ts");
  });

  it("needs no fork where the repository itself hands the commit out", async () => {
    const head = fork.sha("change-2");
    repo.git(["fetch", "--quiet", fork.dir, head]);
    rmSync(fork.dir, { recursive: true, force: true });
    say([forked(head, null)]);
    await home.json(["pr-queue", "add", url(1)], env);
    expect((await home.json(["pr-sync"], env)).body).toMatchObject({ ready: [url(1)], failed: [] });
    expect(await prepared()).toContain("+export const far = 1;");
  });

  it("says that the fork was deleted, and stays open in the queue", async () => {
    const head = fork.sha("change-2");
    rmSync(fork.dir, { recursive: true, force: true });
    say([forked(head, null), pullOf(2)]);
    await home.json(["pr-queue", "add", url(1), url(2)], env);
    const { body } = await home.json(["pr-sync"], env);
    expect(body.ready).toEqual([url(2)]);
    expect(body.failed).toEqual([
      {
        pr_url: url(1),
        error: `${url(1)}: the fork that its head is in was deleted, and Bitbucket hands the head out from nowhere else — ask the author to push the branch into the repository itself and to open the PR from there`,
      },
    ]);
    expect((await home.json(["pr-queue", "show", url(1)], env)).body).toMatchObject({
      status: "pending",
      state: "OPEN",
      head_sha: head,
      prep_status: "failed",
    });
  });

  it("says which fork git cannot read, with the command that shows it", async () => {
    say([forked(fork.sha("change-2"))]);
    rmSync(fork.dir, { recursive: true, force: true });
    await home.json(["pr-queue", "add", url(1)], env);
    const { body } = await home.json(["pr-sync"], env);
    expect(body.ready).toEqual([]);
    expect(body.failed).toHaveLength(1);
    expect(body.failed[0].error).toContain(`${url(1)}: its head is in the fork mara/shop, which git cannot read: `);
    expect(body.failed[0].error).toContain("git ls-remote https://bitbucket.org/mara/shop.git has to work for you");
    expect((await home.json(["pr-queue", "show", url(1)], env)).body.status).toBe("pending");
  });

  it("that moved on by a push is prepared at the head that the queue has", async () => {
    const head = fork.sha("change-2");
    say([forked(head)]);
    await home.json(["pr-queue", "add", url(1)], env);
    fork.commit({ branch: "change-2", message: "Later", files: { "later.ts": "export const later = 1;\n" } });
    const { code, body } = await home.json(["pr-task", "prepare", url(1)], env);
    expect({ code, outcome: body.outcome, head: body.head_sha }).toEqual({ code: 0, outcome: "prepared", head });
    expect(await prepared()).not.toContain("later.ts");
  });

  it("that was rewritten meanwhile is no head at all until the queue has the new one", async () => {
    const old = fork.sha("change-2");
    say([forked(old)]);
    await home.json(["pr-queue", "add", url(1)], env);
    fork.deleteBranch("change-2");
    const head = fork.commit({
      branch: "change-2",
      from: "main",
      message: "Anew",
      files: { "anew.ts": "export const anew = 1;\n" },
    });
    prune(fork);
    const early = await home.json(["pr-task", "prepare", url(1)], env);
    expect({ code: early.code, outcome: early.body.outcome }).toEqual({ code: 1, outcome: "failed" });
    expect(early.body.error).toBe(
      `${url(1)}: the head is ${head.slice(0, 12)}, not ${old.slice(0, 12)} as the queue says — refresh it: adk pr-queue update ${url(1)}`,
    );
    say([forked(head)]);
    expect((await home.json(["pr-sync"], env)).body).toMatchObject({ ready: [url(1)], failed: [] });
    expect(await prepared()).toContain("+export const anew = 1;");
  });
});

describe("adk doctor with a token of Bitbucket", () => {
  const token = "ATBBmadeUpForThisTest0000";
  const authorization = `Bearer ${token}`;

  const finding = async (value: string = token) => {
    const { body } = await home.json(["doctor"], { PATH: process.env.PATH, ...env, BITBUCKET_TOKEN: value });
    expect(JSON.stringify(body)).not.toContain(value);
    return body.checks.find(({ name }: { readonly name: string }) => name === "bitbucket");
  };
  const grant = (
    scopes: ReadonlyArray<"account" | "repository" | "pullrequest">,
    pulls: ReadonlyArray<FakeBitbucketPull> = [pullOf(1)],
  ): void =>
    fake.setState({
      authorizations: [authorization],
      scopes: { [authorization]: scopes },
      repositories: [{ fullName: "acme/shop", uuid: "{repo-1}", isPrivate: true, pulls }],
    });

  it("proves it by one request for the PRs of a repository in the queue", async () => {
    say([pullOf(1)]);
    await home.json(["pr-queue", "add", url(1)], env);
    grant(["repository", "pullrequest"]);
    const before = fake.ledger.length;
    expect(await finding()).toEqual({
      name: "bitbucket",
      status: "pass",
      detail: "the token is accepted; it reads the pull requests of acme/shop",
      fix: "",
    });
    expect(fake.ledger.slice(before).map(({ path }) => path)).toEqual([
      "/2.0/repositories/acme/shop/pullrequests?pagelen=1",
    ]);
    grant(["repository"]);
    expect(await finding()).toMatchObject({
      status: "fail",
      detail:
        "the token for bitbucket.org may not read the pull requests of acme/shop: it lacks the scope pullrequest (it has repository)",
      fix: expect.stringContaining("https://id.atlassian.com/manage-profile/security/api-tokens"),
    });
    expect(await finding("ATBBanotherOneThatIsWrong")).toMatchObject({
      status: "fail",
      detail: expect.stringContaining("does not accept the token"),
      fix: expect.stringContaining("BITBUCKET_USERNAME"),
    });
    fake.behave({ kind: "status", status: 503, body: "" }, 9);
    expect(await finding()).toMatchObject({ status: "warn", detail: expect.stringContaining("503") });
  });

  it("asks for the token's account where no repository is known, and asks nothing without a token", async () => {
    grant(["account"]);
    expect(await finding()).toMatchObject({ status: "pass", detail: expect.stringContaining("the account") });
    grant(["repository", "pullrequest"]);
    expect(await finding()).toMatchObject({ status: "pass", detail: expect.stringContaining("once one of Bitbucket") });
    // A token of one repository is refused here in the same words as a wrong one.
    expect(await finding("ATBBanotherOneThatIsWrong")).toMatchObject({
      status: "warn",
      detail: expect.stringContaining("or it is the token of one repository"),
    });
    await home.run(["config", "set", "defaults.platform", "bitbucket"]);
    await home.run(["config", "set", "defaults.repo", "acme/shop"]);
    expect(await finding("ATBBanotherOneThatIsWrong")).toMatchObject({ status: "fail" });
    const asked = fake.ledger.length;
    const { body } = await home.json(["doctor"], { PATH: process.env.PATH, ...env });
    expect(body.checks.filter(({ name }: { readonly name: string }) => name === "bitbucket")).toEqual([]);
    expect(body.checks).toContainEqual({
      name: "token bitbucket",
      status: "warn",
      detail: "none of BITBUCKET_TOKEN is set",
      fix: "export BITBUCKET_TOKEN=…",
    });
    expect(fake.ledger.length).toBe(asked);
  });
});
