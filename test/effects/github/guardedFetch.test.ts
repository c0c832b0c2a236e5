import { afterEach, beforeEach, expect, it } from "vitest";
import { AnswerRefused, guardedFetch, type NetworkCall } from "../../../effects/network/guardedFetch.ts";
import { shopState } from "../../../fixtures/github/shopState.ts";
import { type FakeGitHub, startFakeGitHub } from "../../fakes/github/startFakeGitHub.ts";

let fake: FakeGitHub;

beforeEach(async () => {
  fake = await startFakeGitHub({ state: shopState });
});

afterEach(() => fake.close());

const fetcher = (calls: Array<NetworkCall> = []) =>
  guardedFetch({
    origin: fake.url,
    timeoutMs: 5_000,
    maxBytes: 1_000_000,
    cache: new Map(),
    observe: (call) => calls.push(call),
  });

const headers = { "user-agent": "test" };

it("a write that is redirected fails instead of looking done, and is sent once", async () => {
  const location = `${fake.url}/repositories/501/pulls`;
  fake.behave({ does: { kind: "answer", status: 301, headers: { location }, body: { message: "Moved" } } });
  const body = JSON.stringify({ title: "t", head: "h", base: "b" });
  const sent = fetcher()(`${fake.url}/repos/acme/old-shop/pulls`, { method: "POST", body, headers });
  await expect(sent).rejects.toThrow(AnswerRefused);
  expect(fake.ledger).toHaveLength(1);
});

it("query values that may be secrets are masked in the record", async () => {
  const calls: Array<NetworkCall> = [];
  await fetcher(calls)(`${fake.url}/repos/acme/shop-api?access_token=abc&page=2`, { headers });
  expect(calls[0]?.url).toBe(`${fake.url}/repos/acme/shop-api?access_token=***&page=2`);
});
