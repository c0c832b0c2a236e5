import * as Effect from "effect/Effect";
import * as Either from "effect/Either";
import * as Layer from "effect/Layer";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { GitHub, layer } from "../../../effects/github/GitHub.ts";
import { HostLimits } from "../../../effects/network/HostLimits.ts";
import { identityKey } from "../../../src/names.ts";
import type { PlatformRequest } from "../../../src/pr/prMetadata.ts";
import { type FakeGitHub, startFakeGitHub } from "../../fakes/github/startFakeGitHub.ts";
import type { FakeGitHubState, FakePull } from "../../fakes/github/state.ts";
import { keepingLog, onGitHub, pr } from "./support.ts";

const token = "ghp_0123456789012345678901234567890123456";
const sha = (n: number): string => n.toString(16).padStart(40, "a");
const pull = (number: number, over: Partial<FakePull> = {}): FakePull => ({
  number,
  title: `Change ${number}`,
  author: "mara",
  state: "open",
  head: { ref: `change-${number}`, sha: sha(number) },
  base: { ref: "main", sha: sha(0) },
  files: [{ path: "a.ts", status: "modified", additions: 2, deletions: 1 }],
  ...over,
});

const state = (): FakeGitHubState => ({
  users: [{ login: "mara", id: 7 }],
  tokens: [{ token, login: "mara", ssoMissing: ["locked"] }],
  repositories: [
    {
      id: 501,
      owner: "acme",
      name: "shop",
      formerNames: ["acme/store"],
      pulls: [
        ...Array.from({ length: 120 }, (_, n) => pull(n + 1)),
        pull(200, { state: "closed", mergedAt: "2026-01-08T10:00:00Z" }),
        pull(201, { state: "closed" }),
        pull(202, { draft: true, autoMerge: true, inMergeQueue: true, reviewDecision: "APPROVED" }),
        pull(203, { head: { ref: "gone", sha: sha(203), repo: null } }),
      ],
    },
    { id: 502, owner: "locked", name: "safe", pulls: [pull(1)] },
  ],
});

let fake: FakeGitHub;
beforeEach(async () => {
  fake = await startFakeGitHub({ state: state() });
});
afterEach(async () => {
  const { violations } = fake;
  await fake.close();
  expect(violations).toEqual([]);
});

const lookAtAll = (prs: ReadonlyArray<PlatformRequest>, env: NodeJS.ProcessEnv = { GITHUB_TOKEN: token }) =>
  onGitHub({ env: { GITHUB_API_URL: fake.url, ...env }, githubHosts: [] }, (github) => github.metadataAll(prs));

describe("many pull requests of GitHub", () => {
  it("take one request for fifty, by name or by their lasting id, and say the same as one by one", async () => {
    const prs = Array.from({ length: 120 }, (_, n) => ({
      ...pr("acme", "shop", n + 1),
      ...(n % 2 === 0 ? { node_id: `PR_501_${n + 1}` } : {}),
    }));
    const seen = await lookAtAll(prs);
    expect(fake.ledger.map(({ operation }) => operation)).toEqual(["graphql", "graphql", "graphql"]);
    expect(seen.size).toBe(120);
    for (const asked of prs) expect(Either.isRight(seen.get(identityKey(asked)) ?? Either.left(null))).toBe(true);
    const single = await onGitHub(
      { env: { GITHUB_API_URL: fake.url, GITHUB_TOKEN: token }, githubHosts: [] },
      (github) => github.metadata(pr("acme", "shop", 5)),
    );
    expect(seen.get(identityKey(pr("acme", "shop", 5)))).toEqual(Either.right({ ...single, in_merge_queue: false }));
  });

  it("tell merged, closed, draft, auto-merge, merge queue, decision and a deleted fork apart", async () => {
    const prs = [200, 201, 202, 203].map((number) => pr("acme", "shop", number));
    const seen = await lookAtAll(prs);
    const of = (number: number) => seen.get(identityKey(pr("acme", "shop", number)));
    expect(of(200)).toMatchObject({
      right: { disposition: "merged", merged_at: "2026-01-08T10:00:00Z", state: "closed" },
    });
    expect(of(201)).toMatchObject({ right: { disposition: "closed", merged_at: null } });
    expect(of(202)).toMatchObject({
      right: { is_draft: true, auto_merge: true, in_merge_queue: true, review_decision: "APPROVED" },
    });
    expect(of(203)).toMatchObject({ right: { head_repo_deleted: true, pull_ref: "refs/pull/203/head" } });
  });

  it("have each their own failure: none there, no single sign-on; the others are read", async () => {
    const prs = [pr("acme", "shop", 1), pr("acme", "shop", 999), pr("acme", "nothing", 1), pr("locked", "safe", 1)];
    const seen = [...(await lookAtAll(prs)).values()].map((one) =>
      Either.isRight(one) ? one.right.title : `${one.left._tag}: ${one.left.message}`,
    );
    expect(seen).toEqual([
      "Change 1",
      "NotFoundOnHost: github.com shows no acme/shop#999",
      "NotFoundOnHost: github.com shows no acme/nothing#1",
      "NotPermitted: github.com refuses the token for locked/safe#1: the organisation asks for SAML single sign-on (SSO)",
    ]);
  });

  it("are found under a former name of their repository, which the answer names", async () => {
    const seen = await lookAtAll([pr("acme", "store", 1), pr("acme", "store", 2)]);
    expect([...seen.values()].map((one) => Either.isRight(one) && one.right.renamed_to)).toEqual([
      { owner: "acme", repo: "shop" },
      { owner: "acme", repo: "shop" },
    ]);
  });

  it("go in halves when the host cannot answer so many at once", async () => {
    fake.behave({ operation: "graphql", does: { kind: "raw", status: 502, body: "<html>Bad Gateway</html>" } });
    const seen = await lookAtAll(Array.from({ length: 20 }, (_, n) => pr("acme", "shop", n + 1)));
    expect([...seen.values()].every(Either.isRight)).toBe(true);
    expect(fake.ledger.map(({ status }) => status)).toEqual([502, 200, 200]);
  });

  it("are not halved for ever when the host is down", async () => {
    fake.behave({
      operation: "graphql",
      times: 50,
      does: { kind: "raw", status: 502, body: "<html>Bad Gateway</html>" },
    });
    const seen = await lookAtAll(Array.from({ length: 50 }, (_, n) => pr("acme", "shop", n + 1)));
    expect(seen.size).toBe(50);
    expect([...seen.values()].every((one) => Either.isLeft(one) && one.left._tag === "HostUnreachable")).toBe(true);
    expect(fake.ledger).toHaveLength(4);
  });

  it.each([
    ["does not serve GraphQL", 404, { message: "Not Found" }],
    [
      "serves an older GraphQL",
      200,
      { errors: [{ path: ["fragment pull"], message: "Field 'isInMergeQueue' doesn't exist on type 'PullRequest'" }] },
    ],
  ])("are read one by one from a host that %s", async (_, status, body) => {
    fake.behave({ operation: "graphql", does: { kind: "answer", status, body } });
    const seen = await lookAtAll([1, 2, 999].map((number) => pr("acme", "shop", number)));
    expect([...seen.values()].map((one) => (Either.isRight(one) ? one.right.title : one.left._tag))).toEqual([
      "Change 1",
      "Change 2",
      "NotFoundOnHost",
    ]);
    expect(fake.ledger.map(({ operation }) => operation)).toEqual(["graphql", "pulls/get", "pulls/get", "pulls/get"]);
  });

  it("of an Enterprise Server are asked below its own path", async () => {
    const seen = await lookAtAll([pr("acme", "shop", 1, "127.0.0.1"), pr("acme", "shop", 2, "127.0.0.1")], {
      GITHUB_TOKEN: token,
      GITHUB_API_URL: `${fake.url}/api/v3`,
    });
    expect([...seen.values()].map((one) => Either.isRight(one) && one.right.clone_url)).toEqual([
      "https://127.0.0.1/acme/shop.git",
      "https://127.0.0.1/acme/shop.git",
    ]);
    expect(fake.ledger.map(({ pathname }) => pathname)).toEqual(["/api/graphql"]);
  });

  it.each([
    ["until the reset that its headers name", { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "4102444800" }],
    ["for a minute when it does not say", {}],
  ])("stop at a spent limit that a good answer tells, %s", async (_, headers) => {
    const body = { errors: [{ type: "RATE_LIMITED", message: "API rate limit exceeded for user ID 7." }] };
    fake.behave({ operation: "graphql", does: { kind: "answer", status: 200, headers, body } });
    const blocks: Array<number> = [];
    const limits = Layer.succeed(HostLimits, {
      turn: () => Effect.void,
      heard: (_key, { blockedUntil }) =>
        Effect.sync(() => void (blockedUntil === undefined || blocks.push(blockedUntil))),
      states: Effect.succeed([]),
    });
    const before = Date.now();
    const seen = await Effect.runPromise(
      Effect.flatMap(GitHub, (github) => github.metadataAll([pr("acme", "shop", 1), pr("acme", "shop", 2)])).pipe(
        Effect.provide(layer({ env: { GITHUB_API_URL: fake.url, GITHUB_TOKEN: token }, githubHosts: [] })),
        Effect.provide(Layer.merge(limits, keepingLog().layer)),
      ),
    );
    expect([...seen.values()].map((one) => Either.isLeft(one) && one.left._tag)).toEqual([
      "RateLimited",
      "RateLimited",
    ]);
    const last = blocks.at(-1) ?? 0;
    if ("x-ratelimit-reset" in headers) expect(last).toBe(4_102_444_800_000);
    else expect(Math.abs(last - before - 60_000)).toBeLessThan(10_000);
  });

  it("all wait for the moment that a rate limit names, and nothing is sent before", async () => {
    const retryAfter = 120;
    fake.behave({
      operation: "graphql",
      does: {
        kind: "answer",
        status: 403,
        headers: { "retry-after": String(retryAfter) },
        body: { message: "You have exceeded a secondary rate limit." },
      },
    });
    const prs = [pr("acme", "shop", 1), pr("acme", "shop", 2)];
    const failures = await onGitHub(
      { env: { GITHUB_API_URL: fake.url, GITHUB_TOKEN: token }, githubHosts: [] },
      (github) =>
        Effect.gen(function* () {
          const first = yield* github.metadataAll(prs);
          const second = yield* github.metadataAll(prs);
          return [...first.values(), ...second.values()].map((one) => (Either.isLeft(one) ? one.left._tag : "read"));
        }),
    );
    expect(failures).toEqual(["RateLimited", "RateLimited", "RateLimited", "RateLimited"]);
    expect(fake.ledger).toHaveLength(1);
  });

  it("are read one by one from an Enterprise Server whose GraphQL lacks a field", async () => {
    const message = "Field 'isInMergeQueue' doesn't exist on type 'PullRequest'";
    const errors = [{ message, extensions: { code: "undefinedField" } }];
    fake.behave({ operation: "graphql", does: { kind: "answer", status: 200, body: { data: null, errors } } });
    const host = "127.0.0.1";
    const prs = [1, 2].map((number) => ({
      ...pr("acme", "shop", number, host),
      pr_url: `https://${host}/acme/shop/pull/${number}`,
    }));
    // The path names an Enterprise Server, whose host is then the fake's own.
    const seen = await lookAtAll(prs, { GITHUB_TOKEN: token, GITHUB_API_URL: `${fake.url}/api/v3` });
    expect([...seen.values()].map((one) => Either.isRight(one) && one.right.clone_url)).toEqual([
      `https://${host}/acme/shop.git`,
      `https://${host}/acme/shop.git`,
    ]);
    expect(fake.ledger.map(({ pathname }) => pathname)).toEqual([
      "/api/graphql",
      "/api/v3/repos/acme/shop/pulls/1",
      "/api/v3/repos/acme/shop/pulls/2",
    ]);
  });

  it("are read one by one, conditionally, without a token", async () => {
    const seen = await lookAtAll([pr("acme", "shop", 1), pr("acme", "shop", 2)], { PATH: "/nowhere" });
    expect([...seen.values()].every(Either.isRight)).toBe(true);
    expect(fake.ledger.map(({ operation }) => operation)).toEqual(["pulls/get", "pulls/get"]);
  });
});
