import * as Effect from "effect/Effect";
import { describe, expect, it } from "vitest";
import { shopState, shopToken } from "../../../fixtures/github/shopState.ts";
import { startFakeBitbucket } from "../../fakes/bitbucket/startFakeBitbucket.ts";
import { startFakeGitHub } from "../../fakes/github/startFakeGitHub.ts";
import { onPlatforms, temporaryFolder } from "../local/support.ts";

describe("PullRequests", () => {
  it("reads github.com through the interface that GITHUB_API_URL names", async () => {
    const fake = await startFakeGitHub({ state: shopState });
    const pr = {
      platform: "github",
      host: "github.com",
      owner: "acme",
      repo: "shop-api",
      pr_number: 1,
      pr_url: "https://github.com/acme/shop-api/pull/1",
    } as const;
    const env = { GITHUB_API_URL: fake.url, GITHUB_TOKEN: shopToken };
    const [meta, credentials] = await onPlatforms(
      temporaryFolder(),
      (service) =>
        Effect.all([
          service.metadata(pr),
          Effect.all([service.credentialFor("github.com"), service.credentialFor("local")]),
        ]),
      env,
    );
    await fake.close();
    expect(meta.title).toBe("Round prices to cents");
    expect(credentials).toEqual([{ host: "github.com", token: shopToken }, null]);
    expect(fake.violations).toEqual([]);
  });

  it("reads bitbucket.org through the interface that BITBUCKET_API_URL names", async () => {
    const sha = "a1".repeat(20);
    const pull = { id: 5, title: "Retry jobs", author: "mara", state: "OPEN" as const };
    const sides = { source: { branch: "retry", sha }, destination: { branch: "main", sha } };
    const fake = await startFakeBitbucket({
      state: {
        authorizations: [],
        repositories: [{ fullName: "team/jobs", uuid: "{1}", pulls: [{ ...pull, ...sides }] }],
      },
    });
    const meta = await onPlatforms(
      temporaryFolder(),
      (service) =>
        service.metadata({
          platform: "bitbucket",
          host: "bitbucket.org",
          owner: "team",
          repo: "jobs",
          pr_number: 5,
          pr_url: "https://bitbucket.org/team/jobs/pull-requests/5",
        }),
      { BITBUCKET_API_URL: fake.url },
    );
    await fake.close();
    expect(meta).toMatchObject({ title: "Retry jobs", head_sha: sha, head_ref: "retry" });
    expect(fake.violations).toEqual([]);
  });
});
