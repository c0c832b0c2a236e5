import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Ended, ended, root } from "../cli/support/program.ts";
import { type CliHome, cliHome } from "../cli/support/queueHome.ts";

// Programs of the machine; without them the tests that need them are skipped.
const [terminalMaker, certificateMaker] = ["script", "openssl"] as const;
const has = (program: string): boolean => spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;

let home: CliHome;
beforeEach(() => {
  home = cliHome();
});
afterEach(() => home.remove());

/** A program that a test puts in the place of one that asks people. */
const program = (name: string, body: string): string => {
  const path = join(home.data, name);
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o755);
  return path;
};

/** Runs adk at a terminal of its own, as a person does. */
const atTerminal = (args: ReadonlyArray<string>, env: NodeJS.ProcessEnv): Promise<Ended> => {
  const line = [process.execPath, join(root, "bin/adk"), ...args].map((word) => `'${word}'`).join(" ");
  return ended(
    spawn(terminalMaker, ["-qec", line, "/dev/null"], {
      env: {
        PATH: process.env.PATH,
        HOME: home.data,
        ADK_DATA_HOME: home.data,
        SHELL: "/bin/sh",
        TERM: "dumb",
        ...env,
      },
      stdio: ["pipe", "pipe", "pipe"],
    }),
  );
};

describe("a remote that wants to ask a person", () => {
  it.skipIf(!has(terminalMaker))("finds no terminal under ssh, so that it fails instead of waiting", async () => {
    const seen = join(home.data, "seen");
    const ssh = program(
      "ssh",
      `{ (read answer </dev/tty) 2>/dev/null && echo tty; echo "$GIT_TERMINAL_PROMPT,$GIT_ASKPASS,$SSH_ASKPASS_REQUIRE"; } >'${seen}'\necho 'Host key verification failed.' >&2\nexit 255`,
    );
    const { code, stdout } = await atTerminal(["repo", "add", "ssh://git@github.com/acme/shop.git"], {
      GIT_SSH_COMMAND: ssh,
      GIT_CONFIG_GLOBAL: "/dev/null",
    });
    expect(code).not.toBe(0);
    expect(stdout).toMatch(/error: git ls-remote failed/);
    expect(readFileSync(seen, "utf8")).toBe("0,,never\n");
  });

  it.skipIf(!has(certificateMaker))(
    "is not asked for a password over https, and the message says what to check",
    async () => {
      const [key, certificate] = [join(home.data, "key.pem"), join(home.data, "cert.pem")];
      spawnSync(certificateMaker, [
        ...["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"],
        ...["-keyout", key, "-out", certificate],
      ]);
      const server = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (_, response) => {
        response.writeHead(401, { "www-authenticate": 'Basic realm="code"' }).end();
      }).listen(0, "127.0.0.1");
      await once(server, "listening");
      try {
        const { port } = server.address() as AddressInfo;
        const asked = join(home.data, "asked");
        const askpass = program("askpass", `touch '${asked}'; echo x`);
        const config = join(home.data, "gitconfig");
        writeFileSync(
          config,
          `[core]\n\taskPass = ${askpass}\n[url "https://127.0.0.1:${port}/"]\n\tinsteadOf = https://github.com/\n`,
        );
        const { code, stderr } = await home.run(["repo", "add", "https://github.com/acme/shop.git"], {
          GIT_CONFIG_GLOBAL: config,
          GIT_CONFIG_NOSYSTEM: "1",
          GIT_SSL_NO_VERIFY: "1",
          SSH_ASKPASS: askpass,
          DISPLAY: ":0",
        });
        expect(code).toBe(1);
        expect(stderr).toMatch(/^error: git ls-remote failed: .* — check that your git credentials or token/);
        expect(existsSync(asked)).toBe(false);
      } finally {
        server.close();
      }
    },
  );
});

describe("a job with the bare environment of a scheduler", () => {
  const bare = (env: NodeJS.ProcessEnv) =>
    ended(
      spawn(process.execPath, [join(root, "bin/adk"), "doctor", "--json"], {
        env: { ADK_DATA_HOME: home.data, HOME: home.data, GITHUB_API_URL: "http://127.0.0.1:9", ...env },
        stdio: ["ignore", "pipe", "pipe"],
      }),
    );
  const finding = (
    text: string,
    name: string,
  ): { readonly status: string; readonly message: string; readonly fix: string } =>
    JSON.parse(text).checks.find((check: { name: string }) => check.name === name);

  it("is told which agent it cannot find and how to name it by its whole path, which then works", async () => {
    await home.run(["config", "set", "agents.claude.model", "opus"]);
    const { stdout } = await bare({ PATH: "/usr/bin:/bin" });
    expect(finding(stdout, "agents")).toMatchObject({
      status: "warn",
      fix: "adk config set agents.claude.bin /path/to/it",
    });
    const agent = program("claude", "exit 0");
    expect((await home.run(["config", "set", "agents.claude.bin", agent])).code).toBe(0);
    expect(finding((await bare({ PATH: "/usr/bin:/bin" })).stdout, "agents").status).toBe("pass");
  });

  it("is told that git is missing, by doctor and by the verb that needs it", async () => {
    const { stdout } = await bare({ PATH: "/nonexistent" });
    expect(finding(stdout, "git").status).toBe("fail");
    const added = await ended(
      spawn(process.execPath, [join(root, "bin/adk"), "pr-queue", "add", "--local", home.data], {
        env: { ADK_DATA_HOME: home.data, HOME: home.data, PATH: "/nonexistent" },
        stdio: ["ignore", "pipe", "pipe"],
      }),
    );
    expect(added.code).toBe(1);
    expect(added.stderr).toMatch(/^error: git was not found — install git .* PATH holds it/);
  });
});
