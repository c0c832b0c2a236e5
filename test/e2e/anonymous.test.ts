import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type FakeGitHub, startFakeGitHub } from "../fakes/github/startFakeGitHub.ts";
import type { FakeGitHubState } from "../fakes/github/state.ts";
import { CliOver, must } from "./support/world.ts";

// Whole processes on a machine that may be busy with others.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const token = "ghp_madeUpTokenForThisTest00000000000000";
const url = (number: number): string => `https://github.com/acme/shop/pull/${number}`;
const numbers = Array.from({ length: 70 }, (_, at) => at + 1);
const longAgo = "2026-01-01T00:00:00Z";

let dir: string;
let fake: FakeGitHub;
let cli: CliOver;

const state = (anonymousLimit: number): FakeGitHubState => ({
  users: [{ login: "grace", id: 7 }],
  tokens: [{ token, login: "grace" }],
  anonymousLimit,
  repositories: [
    {
      id: 501,
      owner: "acme",
      name: "shop",
      pulls: numbers.map((number) => ({
        number,
        title: `Change ${number}`,
        author: "grace",
        state: "open" as const,
        head: { ref: `change-${number}`, sha: String(number).padStart(40, "0") },
        base: { ref: "main", sha: "a".repeat(40) },
        files: [{ path: "a.ts", status: "added" as const, additions: 1, deletions: 0 }],
      })),
    },
  ],
});

/** Numbers of the PRs that the host was asked for since `from`, in order. */
const askedSince = (from: number): ReadonlyArray<number> =>
  fake.ledger
    .slice(from)
    .flatMap(({ pathname }) => /^\/repos\/acme\/shop\/pulls\/(\d+)$/.exec(pathname)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);

beforeEach(async () => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), "adk-e2e-anonymous-")));
  fake = await startFakeGitHub({ state: state(60) });
  cli = new CliOver(join(dir, "data"), { env: { GITHUB_API_URL: fake.url } });
  await must(cli, ["pr-queue", "add", ...numbers.map(url)], { GITHUB_TOKEN: token });
  const file = join(cli.data, "config", "pr-queue.json5");
  writeFileSync(file, readFileSync(file, "utf8").replaceAll(/("?last_checked_at"?: ?)"[^"]*"/g, `$1"${longAgo}"`));
});
afterEach(async () => {
  const { violations } = fake;
  await fake.close();
  rmSync(dir, { recursive: true, force: true });
  expect(violations).toEqual([]);
});

describe("many rows of a host without a token", () => {
  it("are asked as far as the host grants, oldest look first; the others keep their state and are named, and all is said before", async () => {
    const from = fake.ledger.length;
    const first = await cli.json(["pr-queue", "update", "--all"]);
    const note =
      /github\.com has no token: 70 PRs are as many requests, and 59 of 60 an hour are left until \S+: the 59 checked longest ago are asked, 11 are not; with a token \(GITHUB_TOKEN, or gh auth login --hostname github\.com\) it is 2 requests/;
    expect(first.stderr).toMatch(note);
    expect(first.body.notes).toEqual([expect.stringMatching(note)]);
    expect(first.code).toBe(1);
    expect(first.body).toMatchObject({ checked: 70, unchanged: 59 });
    expect(first.body.failed).toHaveLength(11);
    expect(first.body.failed[0]).toEqual({
      pr_url: url(60),
      error: expect.stringMatching(/^not asked: what github\.com grants without a token is used up until /),
      retry_at: expect.stringMatching(/Z$/),
    });
    expect(askedSince(from)).toEqual(numbers.slice(0, 59));
    expect(cli.row(url(60))).toMatchObject({
      status: "pending",
      last_checked_at: longAgo,
      head_sha: expect.any(String),
    });

    // Later, when the host grants twenty more.
    rmSync(join(cli.data, "cache"), { recursive: true, force: true });
    fake.setState(state(80));
    const then = fake.ledger.length;
    const second = await cli.json(["pr-queue", "update", "--all"]);
    expect(askedSince(then)).toEqual([...numbers.slice(0, 9), ...numbers.slice(59)]);
    expect(second.body.failed).toHaveLength(50);
    expect(cli.row(url(60)).last_checked_at).not.toBe(longAgo);
    const text = await cli.run(["pr-queue", "update", "--all"]);
    expect(text.stdout).toMatch(/70 failed, \S+ first: not asked: /);
  });

  it("are two requests with a token, and nothing is said", async () => {
    const from = fake.ledger.length;
    const { code, body, stderr } = await cli.json(["pr-queue", "update", "--all"], { GITHUB_TOKEN: token });
    expect({ code, notes: body.notes, failed: body.failed }).toEqual({ code: 0, notes: [], failed: [] });
    expect(stderr).not.toContain("token");
    expect(fake.ledger.length - from).toBe(2);
  });
});
