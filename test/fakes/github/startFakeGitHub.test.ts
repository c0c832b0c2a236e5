import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { shopState, shopToken } from "../../../fixtures/github/shopState.ts";
import { pullAnswer } from "./answers.ts";
import { misbehaviours } from "./behaviours.ts";
import { githubOpenApi } from "./openApi.ts";
import { type FakeGitHub, startFakeGitHub } from "./startFakeGitHub.ts";

let fake: FakeGitHub;

beforeEach(async () => {
  fake = await startFakeGitHub({ state: shopState });
});

afterEach(() => fake.close());

const get = async (path: string, init: RequestInit = {}) => {
  const answer = await fetch(`${fake.url}${path}`, {
    redirect: "manual",
    ...init,
    headers: { "user-agent": "test", ...(init.headers as Record<string, string>) },
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: text === "" ? null : JSON.parse(text) };
};

describe("the fake GitHub", () => {
  it("answers every operation it has as GitHub describes it", async () => {
    const authorization = `token ${shopToken}`;
    const statuses = [
      ...(shopState.repositories[0]?.pulls.map((pull) => `/repos/acme/shop-api/pulls/${pull.number}`) ?? []),
      "/repos/acme/shop-api",
      "/repos/acme/secret-plans",
      "/user",
      "/rate_limit",
    ].map(async (path) => (await get(path, { headers: { authorization } })).status);
    expect(new Set(await Promise.all(statuses))).toEqual(new Set([200]));
    expect(fake.violations).toEqual([]);
    expect(fake.ledger).toHaveLength(10);
  });

  it.each([
    ["an unknown operation", "/repos/acme/shop-api/pull/1", {}, /unknown operation/],
    ["an unknown query parameter", "/repos/acme/shop-api/pulls/1?perpage=5", {}, /unknown query parameter perpage/],
    ["a path parameter of the wrong type", "/repos/acme/shop-api/pulls/one", {}, /pull_number is "one"/],
    ["a method that is not described", "/repos/acme/shop-api/pulls/1", { method: "DELETE" }, /unknown operation/],
    ["a body on a read", "/repos/acme/shop-api", { method: "DELETE", body: "{}" }, /a body where none is described/],
    ["a wrong body", "/repos/acme/shop-api/pulls", { method: "POST", body: '{"title":5}' }, /missing|must/],
    [
      "an unknown body field",
      "/repos/acme/shop-api/pulls",
      { method: "POST", body: '{"title":"t","head":"h","base":"b","approve":true}' },
      /unknown body field approve/,
    ],
    ["a missing user agent", "/repos/acme/shop-api", { headers: { "user-agent": "" } }, /missing header user-agent/],
    ["a foreign media type", "/repos/acme/shop-api", { headers: { accept: "text/xml" } }, /header accept/],
    ["an unknown version", "/repos/acme/shop-api", { headers: { "x-github-api-version": "1999-01-01" } }, /version/],
    ["an operation it does not play", "/repos/acme/shop-api/pulls", {}, /the fake has no pulls\/list/],
  ] as ReadonlyArray<[string, string, RequestInit, RegExp]>)("catches %s", async (_, path, init, why) => {
    const answer = await get(path, init);
    expect(answer.status).toBe(500);
    expect(answer.body.message).toMatch(why);
    expect(fake.violations).toEqual([expect.stringMatching(why)]);
  });

  it("catches an answer of its own that GitHub does not describe", async () => {
    const repository = shopState.repositories[0];
    const pull = repository?.pulls[0];
    if (repository === undefined || pull === undefined) throw new Error("the fixture has no PR");
    const right = pullAnswer(fake.url, shopState, repository, pull);
    fake.behave({ does: { kind: "answer", status: 200, body: { ...right, additions: "ten" } } });
    expect((await get("/repos/acme/shop-api/pulls/1")).status).toBe(500);
    expect(fake.violations).toEqual([expect.stringMatching(/answer\/additions must be integer/)]);
    fake.behave({ does: { kind: "answer", status: 418, body: { message: "teapot" } } });
    expect((await get("/repos/acme/shop-api/pulls/1")).status).toBe(500);
    expect(fake.violations[1]).toMatch(/status 418 is not described/);
  });

  it("allows a deleted fork, which GitHub answers and does not describe, and nothing else there", () => {
    const api = githubOpenApi();
    const operation = api.operation("GET", "/repos/o/r/pulls/5");
    const repository = shopState.repositories[0];
    const pull = repository?.pulls[4];
    if (operation === null || repository === undefined || pull === undefined)
      throw new Error("the fixture has no PR 5");
    const answer = pullAnswer(fake.url, shopState, repository, pull);
    expect(answer.head).toMatchObject({ repo: null });
    expect(api.answerProblems(operation, 200, answer)).toEqual([]);
    expect(
      api.answerProblems(operation, 200, { ...answer, head: { ...(answer.head as object), repo: 5 } }),
    ).not.toEqual([]);
  });

  it("answers 304 to a matching etag, at no cost", async () => {
    const first = await get("/repos/acme/shop-api/pulls/1");
    const etag = first.headers.get("etag") ?? "";
    const again = await get("/repos/acme/shop-api/pulls/1", { headers: { "if-none-match": etag } });
    expect(again.status).toBe(304);
    expect(again.headers.get("x-ratelimit-remaining")).toBe(first.headers.get("x-ratelimit-remaining"));
    expect(fake.violations).toEqual([]);
  });

  it("redirects a former name by id, hides private repositories, and asks for sign-on", async () => {
    const moved = await get("/repos/acme/old-shop/pulls/1");
    expect([moved.status, moved.headers.get("location")]).toEqual([301, `${fake.url}/repositories/501/pulls/1`]);
    expect((await get("/repositories/501/pulls/1")).body.base.repo.full_name).toBe("acme/shop-api");
    expect((await get("/repos/acme/secret-plans/pulls/1")).status).toBe(404);
    const headers = { authorization: `token ${shopToken}` };
    const guarded = await get("/repos/guarded/vault/pulls/1", { headers });
    expect([guarded.status, guarded.headers.get("x-github-sso")]).toEqual([
      403,
      expect.stringMatching(/^required; url=/),
    ]);
    expect((await get("/user", { headers: { authorization: "token wrong" } })).status).toBe(401);
    expect(fake.violations).toEqual([]);
  });

  it("misbehaves on request, as often as asked, within the description", async () => {
    fake.behave({ operation: "pulls/get", times: 2, does: misbehaviours.serverError(503) });
    fake.behave({ operation: "repos/get", does: misbehaviours.secondaryLimit({ status: 429, retryAfter: 7 }) });
    const statuses = [1, 2, 3].map(async () => (await get("/repos/acme/shop-api/pulls/1")).status);
    expect((await Promise.all(statuses)).sort()).toEqual([200, 503, 503]);
    expect((await get("/repos/acme/shop-api")).headers.get("retry-after")).toBe("7");
    expect(fake.violations).toEqual([]);
  });
});
