import * as Effect from "effect/Effect";
import { describe, expect, it } from "vitest";
import { shopState, shopToken } from "../../../fixtures/github/shopState.ts";
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

  it("says that Bitbucket is not read yet, and asks nobody", async () => {
    const failure = await onPlatforms(temporaryFolder(), (service) =>
      Effect.flip(
        service.metadata({
          platform: "bitbucket",
          host: "bitbucket.org",
          owner: "team",
          repo: "jobs",
          pr_number: 5,
          pr_url: "https://bitbucket.org/team/jobs/pull-requests/5",
        }),
      ),
    );
    expect(failure).toMatchObject({
      _tag: "PlatformUnsupported",
      message: expect.stringMatching(/^Bitbucket is not read yet/),
    });
  });
});
