import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { apiFor, knownGitHubHosts, tokenHost } from "../../../effects/github/apiHosts.ts";
import { tokenFor } from "../../../effects/github/token.ts";
import { onGitHub } from "./support.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "adk-gh-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A `gh` that answers per host, and the PATH on which it is found. */
const installGh = (script: string): string => {
  const file = join(folder, "gh");
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return `${folder}:/usr/bin:/bin`;
};

const token = (host: string, env: NodeJS.ProcessEnv, githubHosts: ReadonlyArray<string> = []) =>
  Effect.runPromise(tokenFor(host, { env, githubHosts }));

const perHost = 'echo "token-of-$4"; echo "$@" >> "$(dirname "$0")/calls"';

describe("the token of a host", () => {
  it("is GITHUB_TOKEN, then GH_TOKEN", async () => {
    expect(await token("github.com", { GITHUB_TOKEN: "one", GH_TOKEN: "two" })).toBe("one");
    expect(await token("github.com", { GITHUB_TOKEN: "", GH_TOKEN: "two" })).toBe("two");
  });

  it("is what gh has stored, else none", async () => {
    expect(await token("github.com", { PATH: installGh(perHost) })).toBe("token-of-github.com");
    expect(await token("github.com", { PATH: installGh("echo no login >&2; exit 1") })).toBeNull();
    expect(await token("github.com", { PATH: join(folder, "empty") })).toBeNull();
  });

  it("goes to its own host only", async () => {
    const env = { GITHUB_TOKEN: "for-github", PATH: installGh(perHost) };
    expect(await token("ghe.acme.test", env, ["ghe.acme.test"])).toBe("token-of-ghe.acme.test");
    expect(await token("evil.test", env)).toBeNull();
    expect(await token("github.com.evil.test", env)).toBeNull();
  });

  it("belongs to the enterprise host that GITHUB_API_URL serves", async () => {
    const env = {
      GITHUB_TOKEN: "enterprise",
      GITHUB_API_URL: "https://ghe.acme.test/api/v3",
      PATH: installGh(perHost),
    };
    expect(await token("ghe.acme.test", env)).toBe("enterprise");
    expect(await token("github.com", env)).toBe("token-of-github.com");
  });

  it("of enterprise hosts goes to configured ones, never to github.com, *.ghe.com or an unknown host", async () => {
    const hosts = ["ghe.acme.test", "acme.ghe.com"];
    const env = {
      GITHUB_TOKEN: "for-github",
      GH_ENTERPRISE_TOKEN: "one",
      GITHUB_ENTERPRISE_TOKEN: "two",
      PATH: folder,
    };
    expect(await token("GHE.acme.test", env, hosts)).toBe("one");
    expect(await token("ghe.acme.test", { ...env, GH_ENTERPRISE_TOKEN: "" }, hosts)).toBe("two");
    expect(await token("github.com", env, hosts)).toBe("for-github");
    expect(await token("github.com", { ...env, GITHUB_TOKEN: "" }, hosts)).toBeNull();
    expect(await token("acme.ghe.com", env, hosts)).toBeNull();
    expect(await token("ghe.other.test", env, hosts)).toBeNull();
  });

  it("of gh is never sent to a proxy", async () => {
    expect(await token("github.com", { GITHUB_API_URL: "https://proxy.test", PATH: installGh(perHost) })).toBeNull();
  });

  it("is one printable word or none", async () => {
    expect(await token("github.com", { GITHUB_TOKEN: "a b\nHost: evil", PATH: folder })).toBeNull();
    expect(await token("github.com", { PATH: installGh('printf "two\\nlines\\n"') })).toBeNull();
  });

  it("is handed to git with its host, and asked of gh once", async () => {
    const options = { env: { PATH: installGh(`${perHost}; echo x >> ${join(folder, "count")}`) }, githubHosts: [] };
    const found = await onGitHub(options, (github) =>
      Effect.all([
        github.credentialFor("GitHub.com"),
        github.credentialFor("github.com"),
        github.credentialFor("x.test"),
      ]),
    );
    expect(found).toEqual([
      { host: "github.com", token: "token-of-github.com" },
      { host: "github.com", token: "token-of-github.com" },
      null,
    ]);
  });
});

describe("the interface of a host", () => {
  const at = (host: string, GITHUB_API_URL?: string, githubHosts: ReadonlyArray<string> = []) =>
    apiFor(host, { env: GITHUB_API_URL === undefined ? {} : { GITHUB_API_URL }, githubHosts });

  it("is api.github.com, /api/v3 of an enterprise host, api.<name>.ghe.com", () => {
    expect(at("github.com")).toEqual({ baseUrl: "https://api.github.com", isOwnHost: true });
    expect(at("GHE.acme.test", undefined, ["ghe.acme.test"])?.baseUrl).toBe("https://ghe.acme.test/api/v3");
    expect(at("acme.ghe.com", undefined, ["acme.ghe.com"])?.baseUrl).toBe("https://api.acme.ghe.com");
    expect(at("ghe.acme.test")).toBeNull();
  });

  it("is GITHUB_API_URL for the host it serves, and for no other", () => {
    expect(at("github.com", "http://127.0.0.1:8080/")).toEqual({ baseUrl: "http://127.0.0.1:8080", isOwnHost: false });
    expect(at("ghe.acme.test", "https://ghe.acme.test/api/v3/")?.baseUrl).toBe("https://ghe.acme.test/api/v3");
    expect(at("github.com", "https://ghe.acme.test/api/v3")?.baseUrl).toBe("https://api.github.com");
    expect(knownGitHubHosts({ env: { GITHUB_API_URL: "https://ghe.acme.test/api/v3" }, githubHosts: [] })).toEqual([
      "github.com",
      "ghe.acme.test",
    ]);
  });

  it.each(["http://proxy.test", "https://me:secret@proxy.test", "ftp://127.0.0.1", "nonsense", ""])(
    "is not taken from GITHUB_API_URL=%j",
    (url) => {
      expect(at("github.com", url)?.baseUrl).toBe("https://api.github.com");
      expect(tokenHost({ GITHUB_API_URL: url })).toBe("github.com");
    },
  );
});
