import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundle, ended, start } from "./support/program.ts";

let probe: Awaited<ReturnType<typeof bundle>>;
let data: string;

beforeAll(async () => {
  data = mkdtempSync(join(tmpdir(), "adk-run-"));
  probe = await bundle("test/cli/support/probe.ts");
});
afterAll(() => {
  probe.remove();
  rmSync(data, { recursive: true, force: true });
});

const begin = (args: ReadonlyArray<string>, env: NodeJS.ProcessEnv = {}) =>
  start(probe.file, args, { ADK_DATA_HOME: data, ...env });
const call = (args: ReadonlyArray<string>, env: NodeJS.ProcessEnv = {}) => {
  const child = begin(args, env);
  child.stdin?.end();
  return ended(child);
};

const said = async (child: ChildProcess, word: string): Promise<void> => {
  let text = "";
  child.stderr?.setEncoding("utf8");
  while (!text.includes(word)) text += String(await once(child.stderr ?? child, "data"));
};

describe("a verb that succeeds", () => {
  it("prints its text, or one JSON document, and nothing on stderr", async () => {
    expect(await call(["partly"])).toEqual({ code: 1, signal: null, stdout: "1 failed\n", stderr: "" });
    const json = await call(["partly", "--json"]);
    expect([json.code, JSON.parse(json.stdout), json.stderr]).toEqual([1, { failed: 1 }, ""]);
  });

  it("writes all of a large document into a pipe before it exits", async () => {
    const { stdout } = await call(["big", "--json"]);
    expect(JSON.parse(stdout)).toEqual({ rows: "x".repeat(3_000_000) });
    expect((await call(["big"])).stdout.endsWith("y!\n")).toBe(true);
  });

  it("escapes in JSON what would steer a terminal, and loses nothing", async () => {
    const { stdout } = await call(["hostile", "--json"]);
    expect(stdout).not.toMatch(/[\u0080-\u009f\u2028\u202e]|\udb40/);
    expect(JSON.parse(stdout)).toEqual({ title: "a\u009b2J\u202eb\u{e0041}\u2028c é" });
  });

  it("ends although something it started still waits", async () => {
    expect(await call(["leftover"])).toMatchObject({ code: 0, stdout: "done\n" });
  });

  it("is quiet when its reader has gone", async () => {
    const child = begin(["lines"]);
    child.stdout?.destroy();
    expect(await ended(child)).toMatchObject({ code: 0, stderr: "" });
  });
});

describe("a verb that fails", () => {
  it("says so in one safe, redacted line and exits with the code of its error", async () => {
    const { code, stdout, stderr } = await call(["fails"], { MY_SECRET_TOKEN: "correct-horse" });
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^error: no PR .* second line .* — adk pr-queue list\n$/);
    expect(stderr).not.toMatch(/\u001b|correct-horse/);
  });

  it("prints the error as the one JSON document too", async () => {
    const { code, stdout } = await call(["fails", "--json"], { MY_SECRET_TOKEN: "correct-horse" });
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toEqual({
      error: { tag: "NotFound", message: expect.stringContaining("no PR"), hint: "adk pr-queue list" },
    });
    expect(stdout).not.toContain("correct-horse");
  });

  it("keeps the stack of a bug for the log", async () => {
    const plain = await call(["bug"]);
    expect(plain).toMatchObject({ code: 1, stdout: "" });
    expect(plain.stderr).toMatch(/^error: internal error: .* — run again with -v and see the log\n$/);
    const { stderr } = await call(["bug", "--verbose"]);
    expect(stderr).not.toMatch(/\n\s+at /);
    const log = readdirSync(join(data, "logs")).find((name) => name.startsWith("bug-"));
    expect(readFileSync(join(data, "logs", log ?? ""), "utf8")).toMatch(/probe\.ts|program\.mjs/);
  });
});

describe("a signal", () => {
  it.each(["SIGINT", "SIGTERM"] as const)("%s lets the verb put back what it holds and exits 130", async (signal) => {
    const child = begin(["waits", "--json"]);
    await said(child, "started");
    const end = ended(child);
    child.kill(signal);
    const { code, stdout, stderr } = await end;
    expect(code).toBe(130);
    expect(stderr).toMatch(/^put back\nerror: interrupted — /);
    expect(JSON.parse(stdout)).toMatchObject({ error: { tag: "Interrupted" } });
  });

  it("ends at once when it comes twice", async () => {
    const child = begin(["clings"]);
    await said(child, "started");
    const end = ended(child);
    const from = performance.now();
    child.kill("SIGINT");
    child.kill("SIGTERM");
    expect(await end).toMatchObject({ code: 130 });
    expect(performance.now() - from).toBeLessThan(3000);
  });

  it("ends a verb that cannot be interrupted within five seconds", async () => {
    const child = begin(["clings"]);
    await said(child, "started");
    const end = ended(child);
    const from = performance.now();
    child.kill("SIGINT");
    expect(await end).toMatchObject({ code: 130 });
    expect(performance.now() - from).toBeLessThan(5000);
  });
});

describe("a question", () => {
  it("is refused without a terminal, and answered by -y", async () => {
    const refused = await call(["asks"]);
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringMatching(/^error: remove 3 rows .* — run it again with -y\n$/),
    ]);
    expect(await call(["asks", "--yes"])).toMatchObject({ code: 0, stdout: "true\n" });
  });
});

describe("a configuration that cannot be read", () => {
  it("ends a verb with exit 3, and one that is there to mend it runs on defaults", async () => {
    const broken = join(data, "broken");
    mkdirSync(broken);
    writeFileSync(join(broken, "core.yaml"), "defaults: [\n");
    expect(await call(["config"], { ADK_CONFIG_HOME: broken })).toMatchObject({ code: 3, stdout: "" });
    const survived = await call(["config", "--survive"], { ADK_CONFIG_HOME: broken });
    expect(survived).toMatchObject({ code: 0, stdout: "github\n" });
    expect(survived.stderr).toMatch(/^warning: /);
  });
});
