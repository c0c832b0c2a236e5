import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { RepoBuilder } from "../../fixtures/repos/RepoBuilder.ts";
import { type FakeGitHub, startFakeGitHub } from "../fakes/github/startFakeGitHub.ts";
import { CliOver, must } from "./support/world.ts";

// Whole processes on a machine that may be busy with others.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let dir: string;
let fake: FakeGitHub;
let cli: CliOver;

/** An ssh whose configuration knows two aliases; it connects to nothing. */
const ssh = `#!/bin/sh
[ "$1" = -G ] || exit 255
case "$2" in
git@github-work) echo "hostname github.com" ;;
git@github-443) echo "hostname ssh.github.com" ;;
git@*) echo "hostname \${2#git@}" ;;
esac
`;

beforeEach(async () => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), "adk-e2e-alias-")));
  const repo = new RepoBuilder(join(dir, "shop.git"), { bare: true });
  const main = repo.commit({ message: "Start", files: { "a.ts": "export const a = 1;\n" } });
  const head = repo.commit({ branch: "work", from: main, message: "Work", files: { "b.ts": "export const b = 1;\n" } });
  repo.ref("refs/pull/1/head", head);
  mkdirSync(join(dir, "bin"));
  writeFileSync(join(dir, "bin", "ssh"), ssh, { mode: 0o755 });
  // Only the alias leads to the repository: git must not ask for it at any other address.
  const config = `[url "${repo.dir}"]\n\tinsteadOf = ssh://git@github-work/acme/shop.git\n\tinsteadOf = ssh://git@github-443/acme/shop.git\n`;
  writeFileSync(join(dir, "gitconfig"), config);
  fake = await startFakeGitHub({
    state: {
      users: [{ login: "grace", id: 7 }],
      tokens: [],
      repositories: [
        {
          id: 501,
          owner: "acme",
          name: "shop",
          pulls: [
            {
              number: 1,
              title: "Work",
              author: "grace",
              state: "open",
              head: { ref: "work", sha: head },
              base: { ref: "main", sha: main },
              files: [{ path: "b.ts", status: "added", additions: 1, deletions: 0 }],
            },
          ],
        },
      ],
    },
  });
  cli = new CliOver(join(dir, "data"), {
    env: {
      GITHUB_API_URL: fake.url,
      GIT_CONFIG_GLOBAL: join(dir, "gitconfig"),
      PATH: `${join(dir, "bin")}${delimiter}${process.env.PATH}`,
    },
  });
});
afterEach(async () => {
  await fake.close();
  rmSync(dir, { recursive: true, force: true });
});

describe("a repository behind an alias of the ssh configuration", () => {
  it("is that of its real host: its PRs are asked for there, and git fetches by the alias", async () => {
    const { body } = await must(cli, ["repo", "add", "git@github-work:acme/shop.git"]);
    expect(body).toMatchObject({
      platform: "github",
      url: "ssh://git@github-work/acme/shop.git",
      default_branch: "main",
    });
    await must(cli, ["pr-queue", "add", "https://github.com/acme/shop/pull/1"]);
    const synced = await must(cli, ["pr-sync"]);
    expect(synced.body).toMatchObject({ ready: ["https://github.com/acme/shop/pull/1"], failed: [] });
    expect((await must(cli, ["repo", "list"])).body.repos).toHaveLength(1);
  });

  it("may be written as a URL, and lead to the host's ssh name for port 443", async () => {
    const { body } = await must(cli, ["repo", "add", "ssh://git@github-443/acme/shop.git"]);
    expect(body).toMatchObject({ platform: "github", url: "ssh://git@github-443/acme/shop.git" });
  });

  it("is refused by name where the alias leads to no known host", async () => {
    const { code, body } = await cli.json(["repo", "add", "git@elsewhere:acme/shop.git"]);
    expect({ code, message: body.error.message }).toEqual({
      code: 2,
      message: expect.stringContaining("host elsewhere is not known"),
    });
  });
});
