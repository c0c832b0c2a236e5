import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { helpText } from "../../cli/help.ts";
import { ended, root, start } from "./support/program.ts";

let data: string;
beforeAll(() => {
  data = mkdtempSync(join(tmpdir(), "adk-main-"));
});
afterAll(() => rmSync(data, { recursive: true, force: true }));

const adk = (args: ReadonlyArray<string>, env: NodeJS.ProcessEnv = {}) => {
  const child = start(join(root, "bin/adk"), args, { ADK_DATA_HOME: data, ...env });
  child.stdin?.end();
  return ended(child);
};

describe("adk", () => {
  it("answers --version and --help at every level on stdout, with exit 0", async () => {
    expect(await adk(["--version"])).toMatchObject({ code: 0, stdout: "adk 4.0.0\n", stderr: "" });
    expect(await adk(["--help"])).toEqual({ code: 0, signal: null, stdout: `${helpText([])}\n`, stderr: "" });
    expect(await adk(["pr-queue", "list", "--help"])).toMatchObject({
      code: 0,
      stdout: `${helpText(["pr-queue", "list"])}\n`,
    });
  });

  it("shows usage on stderr and exits 2 for words it does not know, and for none", async () => {
    expect(await adk(["pr-queue", "lsit"])).toEqual({
      code: 2,
      signal: null,
      stdout: "",
      stderr: 'error: unknown verb "lsit" — did you mean adk pr-queue list?\nusage: adk pr-queue <verb> [flags]\n',
    });
    expect(await adk([])).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("usage: adk <verb>") });
  });

  it("prints one JSON document for a usage error with --json", async () => {
    const { code, stdout } = await adk(["pr-queue", "list", "--nope", "--json"]);
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ error: { tag: "UsageError", message: "unknown flag --nope" } });
  });

  it("lets nothing on the command line steer the terminal", async () => {
    const { stderr } = await adk(["pr-queue", "\u001b[2J\u009b1mx\nerror: forged"]);
    expect(stderr).not.toMatch(/[\u001b\u009b]/);
    expect(stderr.trimEnd().split("\n")).toHaveLength(2);
  });

  it("lets an agent only read: index and pr-task info", async () => {
    expect(await adk(["pr-queue", "list"], { ADK_AGENT: "1" })).toMatchObject({
      code: 2,
      stdout: "",
      stderr: "error: adk pr-queue list is not for agents — use adk index … or adk pr-task info\n",
    });
    expect((await adk(["pr-task", "info", "acme/shop#1"], { ADK_AGENT: "1" })).stderr).not.toContain("not for agents");
    expect((await adk(["index", "health"], { ADK_AGENT: "1" })).stderr).not.toContain("not for agents");
  });

  it("leaves nothing behind in the data home when it only prints", async () => {
    await adk(["completion", "bash"]);
    expect(readdirSync(data)).toEqual([]);
  });
});

describe("completion", () => {
  const complete = (words: ReadonlyArray<string>): ReadonlyArray<string> => {
    const script = execFileSync(process.execPath, [join(root, "bin/adk"), "completion", "bash"], { encoding: "utf8" });
    const line = `${script}\nCOMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}; _adk; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return execFileSync("bash", ["--norc", "-c", line], { encoding: "utf8" }).trimEnd().split("\n");
  };

  it("offers in bash what may stand at the cursor", () => {
    expect(complete(["adk", "pr-q"])).toEqual(["pr-queue"]);
    expect(complete(["adk", "-v", "pr-queue", "re"])).toEqual(["remind", "release", "ready-to-merge", "restore"]);
    expect(complete(["adk", "repo", "branch", "pro"])).toEqual(["promote"]);
    expect(complete(["adk", "pr-queue", "claim", "x", "--fo"])).toEqual(["--force"]);
    expect(complete(["adk", "completion", "f"])).toEqual(["fish"]);
  });
});
