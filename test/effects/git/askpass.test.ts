import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { describe, expect, it } from "vitest";
import { useCredential } from "../../../effects/git/askpass.ts";
import { fixedArguments, transportEnvironment } from "../../../effects/git/gitEnvironment.ts";
import { temporaryFolder } from "./support.ts";

const token = "tok'en $HOME `id` é";

/** What git itself gets for an address, with the environment and the options of a call of adk's. */
const asked = (folder: string, url: string, host: string, about: string) =>
  Effect.runPromise(
    Effect.scoped(
      Effect.map(useCredential({ folder, url, credential: { host, token } }), ({ env, config }) => {
        const options = config.flatMap((entry) => ["-c", entry]);
        const result = spawnSync("git", [...fixedArguments, ...options, "credential", "fill"], {
          cwd: folder,
          env: { ...transportEnvironment(process.env, ["https"]), ...env },
          input: `url=${about}\n\n`,
          encoding: "utf8",
        });
        const scripts = readdirSync(folder).map((name) => join(folder, name, "askpass"));
        const modes = scripts.map((script) => statSync(script).mode & 0o777);
        const texts = scripts.map((script) => readFileSync(script, "utf8"));
        return { out: result.stdout, status: result.status, modes, texts, config };
      }),
    ),
  );

const home = (): string => {
  const dir = join(temporaryFolder(), "helpers");
  mkdirSync(dir);
  return dir;
};

describe("the token helper", () => {
  it("gives git the token for its own host, from a private file that does not hold it, and is gone afterwards", async () => {
    const folder = home();
    const url = "https://ghe.acme.test:8443/acme/shop.git";
    const { out, modes, texts, config } = await asked(folder, url, "ghe.acme.test:8443", url);
    expect(out).toContain("username=x-access-token\n");
    expect(out).toContain(`password=${token}\n`);
    expect(modes).toEqual([0o700]);
    expect(texts.join()).not.toContain("tok'en");
    expect(config).toContain("credential.https://ghe.acme.test:8443.helper=");
    expect(readdirSync(folder)).toEqual([]);
  });

  it("answers for no other host, port, scheme or user", async () => {
    const folder = home();
    for (const other of [
      "https://evil.test/acme/shop.git",
      "https://github.com.evil.test/",
      "https://github.com:8443/",
      "http://github.com/",
      "https://x%27@github.com/",
    ]) {
      const { out, status } = await asked(folder, "https://github.com/acme/shop.git", "github.com", other);
      expect(status, other).not.toBe(0);
      expect(out, other).not.toContain("tok");
    }
  });

  it("is not made for an address of another host or a host that is no host", async () => {
    const folder = home();
    const cases = [
      ["https://evil.test/acme/shop.git", "github.com"],
      ["http://github.com/acme/shop.git", "github.com"],
      ["https://user@github.com/acme/shop.git", "github.com"],
      ["https://a'b/acme/shop.git", "a'b"],
      ["git@github.com:acme/shop.git", "github.com"],
    ] as const;
    for (const [url, host] of cases) {
      const use = await Effect.runPromise(Effect.scoped(useCredential({ folder, url, credential: { host, token } })));
      expect(use, url).toEqual({ env: {}, config: [] });
    }
    expect(existsSync(folder)).toBe(true);
    expect(readdirSync(folder)).toEqual([]);
  });
});
