import * as Either from "effect/Either";
import { describe, expect, it } from "vitest";
import { parseRepoUrl } from "../../../src/repo/parseRepoUrl.ts";

const parse = (text: string) => Either.getOrNull(parseRepoUrl(text, { githubHosts: ["ghe.acme.test"] }));

describe("parseRepoUrl", () => {
  it("reads every usual form of one repository as the same", () => {
    for (const text of [
      "https://github.com/acme/foo",
      "https://github.com/acme/foo.git",
      "https://GitHub.com/acme/foo/",
      "acme/foo",
    ]) {
      expect(parse(text)).toEqual({
        platform: "github",
        host: "github.com",
        owner: "acme",
        repo: "foo",
        url: "https://github.com/acme/foo.git",
      });
    }
    expect(parse("git@github.com:acme/foo.git")?.url).toBe("ssh://git@github.com/acme/foo.git");
    expect(parse("ssh://git@ghe.acme.test/acme/foo.git")?.platform).toBe("github");
    expect(parse("https://bitbucket.org/acme/foo")?.platform).toBe("bitbucket");
  });

  it.each([
    "https://evil.test/github.com/acme/foo",
    "https://user:secret@github.com/acme/foo",
    "https://token@github.com/acme/foo",
    "https://github.com:8443/acme/foo",
    "https://github.com/acme/foo?x=1",
    "https://github.com/acme",
    "https://github.com/acme/foo/pull/1",
    "http://github.com/acme/foo",
    "file:///etc/passwd",
    "ext::sh -c touch% /tmp/x",
    "--upload-pack=touch /tmp/x",
    "git@github.com:--upload-pack=x/foo",
    "https://github.com\\@evil.test/acme/foo",
    "https://github.com/acme/..",
    "https://gith\u0443b.com/acme/foo",
    "ssh://root@github.com/acme/foo",
  ])("refuses %s", (text) => {
    expect(parse(text)).toBeNull();
  });
});
