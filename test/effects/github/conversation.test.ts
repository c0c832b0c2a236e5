import * as Effect from "effect/Effect";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type FakeGitHub, startFakeGitHub } from "../../fakes/github/startFakeGitHub.ts";
import type { FakeCheck, FakeThread } from "../../fakes/github/state.ts";
import { onGitHub, pr } from "./support.ts";

const token = "ghp_0123456789012345678901234567890123456";
const head = "b".repeat(40);
const earlier = "c".repeat(40);

const thread = (n: number, over: Partial<FakeThread> = {}): FakeThread => ({
  id: `RT_${n}`,
  path: "src/a.ts",
  line: n,
  comments: [{ id: `RC_${n}`, author: "otto", body: `Remark ${n}` }],
  ...over,
});

const start = (checks: ReadonlyArray<FakeCheck>, threads: ReadonlyArray<FakeThread>) =>
  startFakeGitHub({
    state: {
      users: [
        { login: "mara", id: 7 },
        { login: "otto", id: 8 },
        { login: "linter[bot]", id: 9, type: "Bot" },
      ],
      tokens: [{ token, login: "mara" }],
      repositories: [
        {
          id: 501,
          owner: "acme",
          name: "shop",
          checks,
          pulls: [
            {
              number: 1,
              title: "Round prices",
              author: "mara",
              state: "open",
              head: { ref: "round", sha: head },
              base: { ref: "main", sha: "d".repeat(40) },
              files: [],
              threads,
              comments: [
                { id: "IC_1", author: "linter[bot]", body: "Two warnings" },
                { id: "IC_2", author: null, body: "By nobody any more" },
              ],
              reviews: [{ id: "PRR_1", author: "otto", state: "CHANGES_REQUESTED", sha: earlier }],
            },
          ],
        },
      ],
    },
  });

let fake: FakeGitHub;
beforeEach(async () => {
  fake = await start(
    [
      { sha: head, name: "test", kind: "run", conclusion: "SUCCESS" },
      { sha: head, name: "lint", kind: "run", conclusion: null },
      { sha: earlier, name: "test", kind: "run", conclusion: "FAILURE" },
      { sha: head, name: "deploy/preview", kind: "status", conclusion: "SUCCESS" },
    ],
    [
      thread(3, { resolved: true }),
      thread(4, { outdated: true, line: null, side: "LEFT" }),
      ...Array.from({ length: 118 }, (_, n) => thread(n + 10)),
    ],
  );
});
afterEach(async () => {
  const { violations } = fake;
  await fake.close();
  expect(violations).toEqual([]);
});

const read = (sha = head, env: NodeJS.ProcessEnv = { GITHUB_TOKEN: token }) =>
  onGitHub({ env: { GITHUB_API_URL: fake.url, ...env }, githubHosts: [] }, (github) =>
    github.conversation(pr("acme", "shop", 1), sha),
  );

describe("what was said on a pull request", () => {
  it("is read to the last page: threads with their state, comments, reviews, bots by their kind", async () => {
    const { threads, reviews, notes } = await read();
    expect(threads).toHaveLength(122);
    expect(threads?.slice(0, 2)).toEqual([
      {
        id: "RT_3",
        path: "src/a.ts",
        side: "RIGHT",
        line: 3,
        resolved: true,
        outdated: false,
        comments: [
          {
            id: "RC_3",
            author: { login: "otto", kind: "user" },
            body: "Remark 3",
            created_at: "2026-01-06T08:00:00Z",
            url: "https://github.com/comments/RC_3",
          },
        ],
      },
      expect.objectContaining({ id: "RT_4", side: "LEFT", line: null, outdated: true, resolved: false }),
    ]);
    expect(threads?.slice(-2).map(({ path, resolved, comments }) => [path, resolved, comments[0]?.author])).toEqual([
      [null, null, { login: "linter[bot]", kind: "bot" }],
      [null, null, { login: null, kind: "unknown" }],
    ]);
    expect(reviews).toEqual([
      {
        id: "PRR_1",
        author: { login: "otto", kind: "user" },
        state: "CHANGES_REQUESTED",
        submitted_at: "2026-01-06T09:00:00Z",
        commit_sha: earlier,
      },
    ]);
    expect(notes).toEqual([]);
    expect(fake.ledger).toHaveLength(3);
  });

  it("has the checks of exactly that commit, the worst of them first in mind", async () => {
    expect((await read()).checks).toEqual({
      head_sha: head,
      state: "pending",
      checks: [
        { name: "test", state: "success", url: null },
        { name: "lint", state: "pending", url: null },
        { name: "deploy/preview", state: "success", url: null },
      ],
    });
    expect((await read(earlier)).checks).toMatchObject({ head_sha: earlier, state: "failure" });
    expect((await read("e".repeat(40))).checks).toEqual({ head_sha: "e".repeat(40), state: "none", checks: [] });
  });

  it("is not read without a token, and says so instead of being empty", async () => {
    const { threads, reviews, checks, notes } = await read(head, { PATH: "/nowhere" });
    expect([threads, reviews, checks]).toEqual([null, null, null]);
    expect(notes).toEqual([expect.stringContaining("only with a token")]);
    expect(fake.ledger).toEqual([]);
  });

  it("has a failed check that stands on a later page than the others", async () => {
    await fake.close();
    const check = (n: number, conclusion: string): FakeCheck => ({
      sha: head,
      name: `job ${n}`,
      kind: "run",
      conclusion,
    });
    fake = await start([...Array.from({ length: 130 }, (_, n) => check(n, "SUCCESS")), check(130, "FAILURE")], []);
    const { checks } = await read();
    expect(checks?.checks).toHaveLength(131);
    expect(checks?.state).toBe("failure");
  });

  it("lacks the part that the token may not read, by name, and has the others to their end", async () => {
    fake.behave({
      operation: "graphql",
      does: {
        kind: "answer",
        status: 200,
        body: {
          data: { repository: { pullRequest: null, object: { oid: head, statusCheckRollup: null } } },
          errors: [
            {
              type: "FORBIDDEN",
              path: ["repository", "object", "statusCheckRollup"],
              message: "Resource not accessible by personal access token",
            },
          ],
        },
      },
    });
    const { threads, reviews, checks, notes } = await read();
    expect(threads).toHaveLength(122);
    expect(reviews).toHaveLength(1);
    expect(checks).toBeNull();
    expect(notes).toEqual([
      expect.stringMatching(/^checks were not read: .*Resource not accessible by personal access token/),
    ]);
    expect(fake.ledger).toHaveLength(4);
  });

  it("fails as a whole when the error is about the pull request itself", async () => {
    const error = await onGitHub(
      { env: { GITHUB_API_URL: fake.url, GITHUB_TOKEN: token }, githubHosts: [] },
      (github) => Effect.flip(github.conversation(pr("acme", "shop", 9), head)),
    );
    expect(error).toMatchObject({ _tag: "NotFoundOnHost" });
  });

  it("says that a thread goes on past its first twenty comments", async () => {
    await fake.close();
    const comments = Array.from({ length: 21 }, (_, n) => ({ id: `RC_${n}`, author: "otto", body: `Remark ${n}` }));
    fake = await start([], [thread(1, { comments }), thread(2)]);
    const { threads, notes } = await read();
    expect(threads?.[0]?.comments).toHaveLength(20);
    expect(notes).toEqual(["1 long threads are shown with their first comments only"]);
  });

  it("fails by name when the host does not answer", async () => {
    fake.behave({ operation: "graphql", does: { kind: "raw", status: 503, body: "<html>" } });
    const error = await onGitHub(
      { env: { GITHUB_API_URL: fake.url, GITHUB_TOKEN: token }, githubHosts: [] },
      (github) => Effect.flip(github.conversation(pr("acme", "shop", 1), head)),
    );
    expect(error).toMatchObject({ _tag: "HostUnreachable", host: "github.com" });
  });
});
