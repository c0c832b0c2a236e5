import * as Effect from "effect/Effect";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { GitHubOptions } from "../../../effects/github/GitHub.ts";
import type { PlatformFailure } from "../../../effects/platform/errors.ts";
import { shopState, shopToken } from "../../../fixtures/github/shopState.ts";
import { misbehaviours } from "../../fakes/github/behaviours.ts";
import { type FakeGitHub, startFakeGitHub } from "../../fakes/github/startFakeGitHub.ts";
import { keepingLog, onGitHub, pr } from "./support.ts";

let fake: FakeGitHub;

beforeEach(async () => {
  fake = await startFakeGitHub({ state: shopState });
});

afterEach(async () => {
  const { violations } = fake;
  await fake.close();
  expect(violations).toEqual([]);
});

const options = (env: NodeJS.ProcessEnv = {}) => ({ env: { GITHUB_API_URL: fake.url, ...env }, githubHosts: [] });
const withToken = () => options({ GITHUB_TOKEN: shopToken });
const look = (number: number, given = options(), owner = "acme", repo = "shop-api") =>
  onGitHub(given, (github) => github.metadata(pr(owner, repo, number)));

const failureOf = async (
  given: GitHubOptions = options(),
  asked = pr("acme", "shop-api", 1),
): Promise<PlatformFailure> => onGitHub(given, (github) => Effect.flip(github.metadata(asked)));

describe("one pull request of GitHub", () => {
  it("is read without a token when it is public", async () => {
    expect(await look(1)).toEqual({
      node_id: "PR_501_1",
      title: "Round prices to cents",
      author: "grace",
      author_id: "7",
      author_association: "MEMBER",
      body: "Prices came out with five digits.",
      head_sha: "a".repeat(40),
      head_ref: "round-prices",
      head_repo_deleted: false,
      target_branch: "main",
      base_sha: "b".repeat(40),
      is_draft: false,
      additions: 35,
      deletions: 4,
      changed_files: 2,
      merged_at: null,
      state: "open",
      disposition: "open",
      clone_url: "https://github.com/acme/shop-api.git",
      pull_ref: "refs/pull/1/head",
      auto_merge: false,
      in_merge_queue: null,
      review_decision: null,
      renamed_to: null,
    });
    expect(fake.ledger).toHaveLength(1);
    expect(fake.ledger[0]?.headers.authorization).toBeUndefined();
  });

  it("says draft, merged and closed as the host does", async () => {
    expect(await look(2)).toMatchObject({ is_draft: true, disposition: "open", body: "" });
    expect(await look(3)).toMatchObject({
      disposition: "merged",
      state: "closed",
      merged_at: "2026-02-03T04:05:06Z",
    });
    expect(await look(4)).toMatchObject({ disposition: "closed", state: "closed", merged_at: null });
  });

  it("of a deleted fork keeps its pull ref; a fork's branch never names what is fetched", async () => {
    expect(await look(5)).toMatchObject({ head_repo_deleted: true, pull_ref: "refs/pull/5/head", head_ref: "patch-1" });
    expect(await look(6)).toMatchObject({
      head_repo_deleted: false,
      clone_url: "https://github.com/acme/shop-api.git",
      pull_ref: "refs/pull/6/head",
    });
  });

  it("of a renamed repository is followed on the same host, and the new name is told", async () => {
    expect(await look(1, withToken(), "acme", "old-shop")).toMatchObject({
      auto_merge: false,
      in_merge_queue: null,
      review_decision: null,
      renamed_to: { owner: "acme", repo: "shop-api" },
      clone_url: "https://github.com/acme/shop-api.git",
    });
    expect(fake.ledger.map((entry) => entry.status)).toEqual([301, 200]);
  });

  it("is the same repository whatever the case it was asked in", async () => {
    expect((await look(1, options(), "ACME", "Shop-API")).renamed_to).toBeNull();
  });

  it("of a private repository is read with GITHUB_TOKEN or GH_TOKEN", async () => {
    await look(1, withToken(), "acme", "secret-plans");
    await look(1, options({ GH_TOKEN: shopToken }), "acme", "secret-plans");
    expect(fake.ledger.map((entry) => entry.headers.authorization)).toEqual([
      `token ${shopToken}`,
      `token ${shopToken}`,
    ]);
  });

  it("costs a conditional request when it is looked at again in one process", async () => {
    const [first, again] = await onGitHub(options(), (github) =>
      Effect.all([github.metadata(pr("acme", "shop-api", 1)), github.metadata(pr("acme", "shop-api", 1))]),
    );
    expect(again).toEqual(first);
    expect(fake.ledger.map((entry) => entry.status)).toEqual([200, 304]);
  });

  it("is seen anew after it changed", async () => {
    const heads = await onGitHub(options(), (github) =>
      Effect.gen(function* () {
        const before = yield* github.metadata(pr("acme", "shop-api", 1));
        const [shop, ...rest] = shopState.repositories;
        const [first, ...others] = shop?.pulls ?? [];
        if (shop === undefined || first === undefined) return [];
        const pushed = { ...first, head: { ...first.head, sha: "e".repeat(40) } };
        fake.setState({ ...shopState, repositories: [{ ...shop, pulls: [pushed, ...others] }, ...rest] });
        return [before.head_sha, (yield* github.metadata(pr("acme", "shop-api", 1))).head_sha];
      }),
    );
    expect(heads).toEqual(["a".repeat(40), "e".repeat(40)]);
  });
});

describe("a look that fails says why", () => {
  it("404: unknown, or hidden from a caller without token", async () => {
    const failure = await failureOf(options(), pr("acme", "secret-plans", 1));
    expect(failure).toMatchObject({ _tag: "NotFoundOnHost", message: "github.com shows no acme/secret-plans#1" });
    expect(failure.hint).toMatch(/GITHUB_TOKEN/);
    expect(await failureOf(withToken(), pr("acme", "shop-api", 99))).toMatchObject({ _tag: "NotFoundOnHost" });
  });

  it("401: the token is refused", async () => {
    expect(await failureOf(options({ GITHUB_TOKEN: "ghp_unknown" }))).toMatchObject({
      _tag: "NotPermitted",
      sso: false,
      message: expect.stringMatching(/does not accept the token/),
    });
  });

  it("401 without a token: a token is missing", async () => {
    fake.behave({ does: misbehaviours.badCredentials });
    expect(await failureOf()).toMatchObject({ _tag: "TokenMissing" });
  });

  it("403 of single sign-on names SAML and SSO", async () => {
    expect(await failureOf(withToken(), pr("guarded", "vault", 1))).toMatchObject({
      _tag: "NotPermitted",
      sso: true,
      message: expect.stringMatching(/SAML single sign-on \(SSO\)/),
    });
  });

  it("403 of a fine-grained token without the right", async () => {
    fake.behave({ does: misbehaviours.notAllowed });
    expect(await failureOf(withToken())).toMatchObject({ _tag: "NotPermitted", sso: false });
  });

  it.each([403, 429] as const)("%i of a spent rate limit carries the time of its reset", async (status) => {
    fake.behave({ does: misbehaviours.rateLimitSpent({ status, resetAt: Date.UTC(2027, 0, 2, 3, 4, 5) / 1000 }) });
    expect(await failureOf()).toMatchObject({ _tag: "RateLimited", retry_at: "2027-01-02T03:04:05Z" });
    expect(fake.ledger).toHaveLength(1);
  });

  it.each([403, 429] as const)("%i of the secondary limit carries now plus Retry-After", async (status) => {
    fake.behave({ does: misbehaviours.secondaryLimit({ status, retryAfter: 60 }) });
    const before = Math.floor(Date.now() / 1000) * 1000;
    const failure = await failureOf(withToken());
    if (failure._tag !== "RateLimited") throw new Error(failure._tag);
    const at = Date.parse(failure.retry_at ?? "");
    expect(at).toBeGreaterThanOrEqual(before + 60_000);
    expect(at).toBeLessThanOrEqual(Date.now() + 60_000);
  });

  it("a spent rate limit stops further requests of the process until its reset", async () => {
    const now = Math.floor(Date.now() / 1000);
    const twice = (resetAt: number) => {
      fake.behave({ does: misbehaviours.rateLimitSpent({ status: 403, resetAt }) });
      return onGitHub(options(), (github) =>
        Effect.all([1, 2].map((number) => Effect.either(github.metadata(pr("acme", "shop-api", number))))),
      );
    };
    expect((await twice(now + 3600)).map((result) => result._tag)).toEqual(["Left", "Left"]);
    expect(fake.ledger).toHaveLength(1);
    expect((await twice(now - 1)).map((result) => result._tag)).toEqual(["Left", "Right"]);
    expect(fake.ledger).toHaveLength(3);
  });

  it("an interrupted look ends at once and leaves nothing open", async () => {
    fake.behave({ does: { kind: "hang" } });
    const first = await onGitHub(options(), (github) =>
      Effect.raceFirst(
        Effect.as(github.metadata(pr("acme", "shop-api", 1)), "answered"),
        Effect.as(
          Effect.promise(() => fake.arrived(1)),
          "interrupted",
        ),
      ),
    );
    expect(first).toBe("interrupted");
  });

  it.each([500, 502, 503] as const)("%i: the host is not reached, after one request", async (status) => {
    fake.behave({ does: misbehaviours.serverError(status) });
    expect(await failureOf()).toMatchObject({
      _tag: "HostUnreachable",
      message: expect.stringMatching(new RegExp(`answered ${status}`)),
    });
    expect(fake.ledger).toHaveLength(1);
  });

  it("silence: the time limit is named", async () => {
    fake.behave({ does: { kind: "hang" } });
    expect(await failureOf({ ...options(), timeoutMs: 150 })).toMatchObject({
      _tag: "HostUnreachable",
      message: expect.stringMatching(/no answer within the time limit/),
    });
  });

  it("a cut connection, and no server at all", async () => {
    fake.behave({ does: { kind: "drop" } });
    expect(await failureOf()).toMatchObject({ _tag: "HostUnreachable" });
    const unused = await startFakeGitHub({ state: shopState });
    await unused.close();
    expect(await failureOf({ env: { GITHUB_API_URL: unused.url }, githubHosts: [] })).toMatchObject({
      _tag: "HostUnreachable",
    });
  });

  it.each([
    ["a proxy's page", "<html>sign in</html>", "text/html"],
    ["a cut document", '{"number": 1, "title": "x', "application/json"],
    ["an empty object", "{}", "application/json"],
    ["nothing", "", "application/json"],
    ["a list", "[]", "application/json"],
    ["a PR of another number", "other", "application/json"],
  ])("%s is a bad response, never an empty or a closed PR", async (_, body, type) => {
    const text = body === "other" ? await (await fetch(`${fake.url}/repos/acme/shop-api/pulls/4`)).text() : body;
    fake.behave({ does: { kind: "raw", status: 200, headers: { "content-type": type }, body: text } });
    expect(await failureOf()).toMatchObject({ _tag: "BadResponse" });
  });

  it("an answer above the size limit is not read to its end", async () => {
    const body = JSON.stringify({ body: "x".repeat(300_000) });
    fake.behave({ does: { kind: "raw", status: 200, headers: { "content-type": "application/json" }, body } });
    expect(await failureOf({ ...options(), maxBytes: 100_000 })).toMatchObject({
      _tag: "BadResponse",
      message: expect.stringMatching(/more than 97 KB/),
    });
  });

  it("a redirect to another host is not followed", async () => {
    const elsewhere = await startFakeGitHub({ state: shopState });
    const location = `${elsewhere.url}/repos/acme/shop-api/pulls/1`;
    fake.behave({ does: { kind: "answer", status: 301, headers: { location }, body: { message: "Moved" } } });
    expect(await failureOf(withToken())).toMatchObject({
      _tag: "BadResponse",
      message: expect.stringMatching(/redirect to another host/),
    });
    expect(elsewhere.ledger).toEqual([]);
    await elsewhere.close();
  });

  it("a redirect in a circle ends", async () => {
    const location = `${fake.url}/repos/acme/shop-api/pulls/1`;
    fake.behave({
      times: 99,
      does: { kind: "answer", status: 301, headers: { location }, body: { message: "Moved" } },
    });
    expect(await failureOf()).toMatchObject({ _tag: "BadResponse", message: expect.stringMatching(/redirects/) });
    expect(fake.ledger.length).toBeLessThan(10);
  });

  it("an unknown host gets no request", async () => {
    const failure = await failureOf(withToken(), pr("acme", "shop-api", 1, "ghe.acme.test"));
    expect(failure).toMatchObject({ _tag: "NotFoundOnHost", message: expect.stringMatching(/ghe\.acme\.test/) });
    expect(fake.ledger).toEqual([]);
  });
});

describe("the log", () => {
  it("gets one record per request, without the token, and is told the token as a secret", async () => {
    const log = keepingLog();
    await onGitHub(withToken(), (github) => github.metadata(pr("acme", "old-shop", 1)), log);
    expect(log.records).toEqual([
      {
        event: "network",
        fields: {
          method: "GET",
          url: `${fake.url}/repos/acme/old-shop/pulls/1`,
          status: 301,
          ms: expect.any(Number),
          rate_limit_left: expect.any(Number),
        },
      },
      {
        event: "network",
        fields: expect.objectContaining({ url: `${fake.url}/repositories/501/pulls/1`, status: 200 }),
      },
    ]);
    expect(JSON.stringify(log.records)).not.toContain(shopToken);
    expect(log.secrets).toEqual([shopToken]);
  });

  it("gets a record of a request that was never answered", async () => {
    const log = keepingLog();
    fake.behave({ does: { kind: "drop" } });
    await onGitHub(options(), (github) => Effect.either(github.metadata(pr("acme", "shop-api", 1))), log);
    expect(log.records).toEqual([{ event: "network", fields: expect.objectContaining({ status: null }) }]);
  });
});
