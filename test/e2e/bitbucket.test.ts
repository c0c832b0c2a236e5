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

  it("whose head is in a fork says why it cannot be prepared, and the others are", async () => {
    say([pullOf(1, { source: { branch: "only-there", sha: "c3".repeat(20), repository: "mara/shop" } }), pullOf(2)]);
    await home.json(["pr-queue", "add", url(2)], env);
    const forked = await home.json(["pr-queue", "add", url(1)], env);
    expect(forked.code === 0 || forked.body.failed.length === 1).toBe(true);
    const { body } = await home.json(["pr-sync"], env);
    expect(body.ready).toEqual([url(2)]);
    expect(JSON.stringify(body.failed) + JSON.stringify(forked.body.failed)).toMatch(/fork|only-there|shows no/);
  });
});
