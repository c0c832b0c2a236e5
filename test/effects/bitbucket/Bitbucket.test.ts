import type * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Either from "effect/Either";
import * as Layer from "effect/Layer";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Bitbucket, layer } from "../../../effects/bitbucket/Bitbucket.ts";
import type { PlatformFailure } from "../../../effects/platform/errors.ts";
import { identityKey } from "../../../src/names.ts";
import type { PlatformRequest } from "../../../src/pr/prMetadata.ts";
import {
  type FakeBitbucket,
  type FakeBitbucketPull,
  startFakeBitbucket,
} from "../../fakes/bitbucket/startFakeBitbucket.ts";
import { liveLimits } from "../../support/liveLimits.ts";
import { keepingLog } from "../github/support.ts";

const head = "a1".repeat(20);
const base = "b2".repeat(20);
const token = "ATCTT3xFfGN0-secret-token";

const pull = (id: number, over: Partial<FakeBitbucketPull> = {}): FakeBitbucketPull => ({
  id,
  title: `Change ${id}`,
  author: "mara",
  state: "OPEN",
  source: { branch: `change-${id}`, sha: head },
  destination: { branch: "main", sha: base },
  ...over,
});

let fake: FakeBitbucket;
beforeEach(async () => {
  fake = await startFakeBitbucket({
    state: {
      authorizations: [`Bearer ${token}`, `Basic ${Buffer.from(`mara:${token}`).toString("base64")}`],
      repositories: [
        {
          fullName: "acme/shop",
          uuid: "{repo-1}",
          statuses: [
            { sha: head, name: "build", state: "SUCCESSFUL" },
            { sha: head, name: "deploy", state: "INPROGRESS" },
            { sha: base, name: "build", state: "FAILED" },
          ],
          pulls: [
            pull(1, {
              files: 620,
              approvedBy: ["otto"],
              comments: [
                { id: 1, user: "otto", raw: "Is this rounded?", inline: { path: "src/a.ts", from: null, to: 12 } },
                { id: 2, user: "mara", raw: "Yes", parent: 1 },
                { id: 3, user: "otto", raw: "", deleted: true, inline: { path: "src/a.ts", to: 3 } },
                {
                  id: 4,
                  user: "otto",
                  raw: "Old side",
                  inline: { path: "src/b.ts", from: 7, to: null },
                  resolved: true,
                },
                ...Array.from({ length: 150 }, (_, n) => ({ id: 100 + n, user: "otto", raw: `whole ${n}` })),
              ],
            }),
            pull(2, { state: "MERGED", updatedOn: "2026-01-08T10:00:00.5+00:00" }),
            pull(3, { state: "DECLINED", draft: true }),
            pull(4, { state: "SUPERSEDED" }),
            pull(5, { source: { branch: "gone", sha: head, repository: null } }),
            pull(6, { source: { branch: "far", sha: "b".repeat(40), repository: "mara/shop" }, hidesCommits: true }),
          ],
        },
        { fullName: "acme/hidden", uuid: "{repo-2}", isPrivate: true, pulls: [pull(1)] },
      ],
    },
  });
});
afterEach(async () => {
  const { violations } = fake;
  expect(fake.writes()).toEqual([]);
  await fake.close();
  expect(violations).toEqual([]);
});

const pr = (number: number, repo = "shop", more: Partial<PlatformRequest> = {}): PlatformRequest => ({
  platform: "bitbucket",
  host: "bitbucket.org",
  owner: "acme",
  repo,
  pr_number: number,
  pr_url: `https://bitbucket.org/acme/${repo}/pull-requests/${number}`,
  ...more,
});

const on = <A>(
  use: (bitbucket: Context.Tag.Service<Bitbucket>) => Effect.Effect<A, PlatformFailure>,
  env: NodeJS.ProcessEnv = { BITBUCKET_TOKEN: token },
  log = keepingLog(),
) =>
  Effect.runPromise(
    Effect.provide(
      Effect.either(Effect.flatMap(Bitbucket, use)),
      layer({ env: { BITBUCKET_API_URL: fake.url, ...env } }).pipe(
        Layer.provide(log.layer),
        Layer.provide(liveLimits()),
      ),
    ),
  );

describe("a pull request of Bitbucket", () => {
  it("is read with whole commit names, counted over all pages, and its lasting id", async () => {
    expect(await on((bitbucket) => bitbucket.metadata(pr(1)))).toEqual(
      Either.right({
        node_id: "{repo-1}/1",
        title: "Change 1",
        author: "mara",
        author_id: "557058:mara",
        author_association: null,
        body: "",
        head_sha: head,
        head_ref: "change-1",
        head_repo_deleted: false,
        head_repository: { owner: "acme", repo: "shop" },
        target_branch: "main",
        base_sha: base,
        is_draft: false,
        additions: 1240,
        deletions: 620,
        changed_files: 620,
        merged_at: null,
        state: "OPEN",
        disposition: "open",
        auto_merge: null,
        in_merge_queue: null,
        review_decision: null,
        clone_url: "https://bitbucket.org/acme/shop.git",
        pull_ref: "refs/heads/change-1",
        renamed_to: null,
      }),
    );
  });

  it("is not counted or resolved again while its head is the one that the row knows", async () => {
    await on((bitbucket) => bitbucket.metadata(pr(1, "shop", { head_sha: head })));
    expect(fake.ledger.map(({ path }) => path)).toEqual([
      "/2.0/repositories/acme/shop/pullrequests/1",
      `/2.0/repositories/acme/shop/commit/${base.slice(0, 12)}`,
    ]);
  });

  it("has its state told apart, each PR by itself, and a failure that is never closed or empty", async () => {
    const prs = [pr(2), pr(3), pr(4), pr(5), pr(99), pr(1, "hidden"), pr(1, "nothing")];
    const seen = Either.getOrThrow(await on((bitbucket) => bitbucket.metadataAll(prs), {}));
    expect(
      prs.map((one) => {
        const answer = seen.get(identityKey(one));
        if (answer === undefined) return "nothing";
        return Either.isRight(answer)
          ? [answer.right.disposition, answer.right.is_draft, answer.right.head_repo_deleted, answer.right.merged_at]
          : `${answer.left._tag}: ${answer.left.message}`;
      }),
    ).toEqual([
      ["merged", false, false, "2026-01-08T10:00:00Z"],
      ["closed", true, false, null],
      ["closed", false, false, null],
      ["open", false, true, null],
      "NotFoundOnHost: bitbucket.org shows no acme/shop#99",
      "NotFoundOnHost: bitbucket.org shows no acme/hidden#1",
      "NotFoundOnHost: bitbucket.org shows no acme/nothing#1",
    ]);
  });

  it("whose commit the host shows nowhere is named as such, and is asked for no longer once its head is known", async () => {
    expect(await on((bitbucket) => bitbucket.metadata(pr(6)))).toMatchObject({
      left: {
        _tag: "NotFoundOnHost",
        message: "bitbucket.org shows acme/shop#6, but not the commit that it is about: its fork is deleted or private",
        hint: expect.stringContaining("read access to the fork"),
      },
    });
    const known = pr(6, "shop", { head_sha: "b".repeat(40) });
    expect(await on((bitbucket) => bitbucket.metadata(known))).toMatchObject({
      right: { head_sha: "b".repeat(40), head_repository: { owner: "mara", repo: "shop" }, disposition: "open" },
    });
  });

  it("is read with a bearer token, or by name and token; a refused one is named, and is in no record", async () => {
    expect(Either.isRight(await on((bitbucket) => bitbucket.metadata(pr(1, "hidden"))))).toBe(true);
    const basic = { BITBUCKET_TOKEN: token, BITBUCKET_USERNAME: "mara" };
    expect(Either.isRight(await on((bitbucket) => bitbucket.metadata(pr(1, "hidden")), basic))).toBe(true);
    const log = keepingLog();
    const wrong = { BITBUCKET_TOKEN: "wrong-token-value" };
    const refused = await on((bitbucket) => bitbucket.metadata(pr(1)), wrong, log);
    expect(refused).toMatchObject({ left: { _tag: "NotPermitted", hint: expect.stringContaining("BITBUCKET_TOKEN") } });
    expect(JSON.stringify([refused, log.records])).not.toContain("wrong-token-value");
    expect(log.secrets).toContain("wrong-token-value");
  });

  it("waits while the host limits the rate, and names what else keeps it from being read", async () => {
    fake.behave({ kind: "status", status: 429, body: "{}", headers: { "retry-after": "300" } });
    const limited = await on(
      (bitbucket) =>
        Effect.gen(function* () {
          yield* Effect.flip(bitbucket.metadata(pr(1)));
          return yield* bitbucket.metadata(pr(2));
        }) as Effect.Effect<unknown, PlatformFailure>,
    );
    expect(limited).toMatchObject({ left: { _tag: "RateLimited", retry_at: expect.stringMatching(/Z$/) } });
    expect(fake.ledger).toHaveLength(1);
    fake.behave({ kind: "status", status: 502, body: "<html>" });
    expect(await on((bitbucket) => bitbucket.metadata(pr(1)))).toMatchObject({ left: { _tag: "HostUnreachable" } });
    fake.behave({ kind: "drop" });
    expect(await on((bitbucket) => bitbucket.metadata(pr(1)))).toMatchObject({ left: { _tag: "HostUnreachable" } });
    fake.behave({ kind: "status", status: 200, body: "<html>" });
    expect(await on((bitbucket) => bitbucket.metadata(pr(1)))).toMatchObject({ left: { _tag: "BadResponse" } });
    fake.behave({ kind: "status", status: 403, body: '{"error":{"message":"no scope"}}' });
    expect(await on((bitbucket) => bitbucket.metadata(pr(1)))).toMatchObject({
      left: { _tag: "NotPermitted", hint: expect.stringContaining("pullrequest:read") },
    });
  });

  it("has its comments in threads with their resolution, its approvals, and the statuses of exactly its head", async () => {
    const said = Either.getOrThrow(await on((bitbucket) => bitbucket.conversation(pr(1), head)));
    expect(said.threads).toHaveLength(152);
    expect(said.threads?.slice(0, 2)).toMatchObject([
      {
        path: "src/a.ts",
        side: "RIGHT",
        line: 12,
        resolved: false,
        comments: [{ body: "Is this rounded?" }, { body: "Yes" }],
      },
      { path: "src/b.ts", side: "LEFT", line: 7, resolved: true },
    ]);
    expect(said.threads?.at(-1)).toMatchObject({ path: null, resolved: null, comments: [{ body: "whole 149" }] });
    expect(said.reviews).toMatchObject([{ author: { login: "otto" }, state: "APPROVED" }]);
    expect(said.checks).toMatchObject({
      head_sha: head,
      state: "pending",
      checks: [{ name: "build", state: "success" }, { name: "deploy" }],
    });
    fake.behave({ kind: "status", status: 503, body: "" });
    const partly = Either.getOrThrow(await on((bitbucket) => bitbucket.conversation(pr(1), head)));
    expect(partly.threads).toBeNull();
    expect(partly.notes).toEqual([expect.stringContaining("threads were not read")]);
  });
});
