import { spawn } from "node:child_process";
import { chmodSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { RepoBuilder } from "../../fixtures/repos/RepoBuilder.ts";
import { type Ended, ended, root } from "../cli/support/program.ts";
import { type CliHome, cliHome } from "../cli/support/queueHome.ts";

let home: CliHome;
beforeEach(() => {
  home = cliHome();
});
afterEach(() => home.remove());

/** Runs a verb with umask 000: every file gets exactly the rights that adk asks for. */
const openly = (args: ReadonlyArray<string>, data: string, env: NodeJS.ProcessEnv = {}): Promise<Ended> =>
  ended(
    spawn("sh", ["-c", 'umask 000; exec "$0" "$@"', process.execPath, join(root, "bin/adk"), ...args], {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ADK_DATA_HOME: data, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    }),
  );

/** Everything below the data home that anybody but its owner may read, write or enter. */
const loose = (data: string): ReadonlyArray<string> =>
  ["", ...readdirSync(data, { recursive: true, encoding: "utf8" })]
    .filter((path) => {
      const info = lstatSync(join(data, path));
      return !info.isSymbolicLink() && (info.mode & 0o077) !== 0;
    })
    .map((path) => relative(data, join(data, path)));

describe("under umask 000", () => {
  it("every verb leaves files 0600 and folders 0700 behind, in what was there before too; doctor finds and mends the rest", async () => {
    const data = join(home.data, "data");
    const repo = new RepoBuilder(join(home.data, "work", "shop"));
    repo.commit({
      message: "Start",
      files: { "a.ts": "export const a = 1;\n", "run.sh": { executable: "#!/bin/sh\n" } },
    });
    for (const name of ["one", "two"])
      repo.commit({ branch: name, from: "main", message: name, files: { [`${name}.ts`]: "export {};\n" } });
    mkdirSync(join(data, "config"), { recursive: true });
    writeFileSync(join(data, "config", "core.yaml"), "logs:\n  keep_days: 3\n");
    writeFileSync(join(data, "config", "pr-queue.json5"), '{"schema_version":4,"rev":1,"prs":[]}');
    for (const path of ["", "config"]) chmodSync(join(data, path), 0o755);
    for (const name of ["core.yaml", "pr-queue.json5"]) chmodSync(join(data, "config", name), 0o644);
    const verbs: ReadonlyArray<ReadonlyArray<string>> = [
      ["config", "set", "logs.keep_days", "5"],
      ["repo", "add", repo.dir, "-v"],
      ["pr-queue", "add", "--local", repo.dir, "--head", "one"],
      ["pr-queue", "add", "--local", repo.dir, "--head", "two"],
      ["pr-task", "prepare", "local:shop#1", "-v"],
      ["pr-queue", "claim", "local:shop#1"],
      ["pr-sync", "-v"],
      ["pr-queue", "set-status", "local:shop#2", "comments"],
    ];
    for (const verb of verbs) {
      const { code, stderr } = await openly(verb, data);
      expect([code, verb, code === 0 ? "" : stderr]).toEqual([0, verb, ""]);
    }
    // A folder that a person made keeps the rights they gave it, until doctor is asked.
    expect(loose(data).filter((path) => path !== "" && path !== "config")).toEqual([]);

    chmodSync(join(data, "config", "pr-queue.json5.bak"), 0o644);
    chmodSync(join(data, "skill-pr-review"), 0o755);
    const before = loose(data);
    expect(before).toContain("config/pr-queue.json5.bak");
    const env = { GITHUB_API_URL: "http://127.0.0.1:9" };
    const found = await openly(["doctor", "--json"], data, env);
    const check = (text: string) =>
      JSON.parse(text).checks.find(({ name }: { name: string }) => name === "permissions");
    expect(check(found.stdout)).toMatchObject({ status: "warn", fix: "adk doctor --fix" });
    expect(check((await openly(["doctor", "--fix", "--json"], data, env)).stdout).status).toBe("pass");
    expect(loose(data)).toEqual([]);
  });
});
