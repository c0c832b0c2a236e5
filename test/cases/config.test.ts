import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { RepoBuilder } from "../../fixtures/repos/RepoBuilder.ts";
import { changedRanges } from "../../src/diff/changedRanges.ts";
import { type CliHome, cliHome } from "../cli/support/queueHome.ts";
import { prepareLocal } from "./support/hosted.ts";

let home: CliHome;
beforeEach(() => {
  home = cliHome();
  mkdirSync(join(home.data, "config"), { recursive: true, mode: 0o700 });
});
afterEach(() => home.remove());

const settings = (text: string | Buffer): void =>
  writeFileSync(join(home.data, "config", "core.yaml"), text, { mode: 0o600 });

describe("a configuration that is hostile or wrong", () => {
  it.each([
    [
      "an alias bomb",
      `a: &a [x, x]\n${[..."bcdefghijklmnop"].map((name, at) => `${name}: &${name} [${Array(9).fill(`*${"abcdefghijklmno"[at]}`).join(", ")}]`).join("\n")}\n`,
      /core\.yaml/,
    ],
    ["20,000 brackets", `github: {hosts: ${"[".repeat(20_000)}`, /core\.yaml/],
    ["a key twice", "defaults:\n  repo: a/b\n  repo: c/d\n", /core\.yaml.*3.*repo|line 3.*repo/],
    ["a tab as indentation", "defaults:\n\trepo: a/b\n", /2/],
    ["a wrong type", "pr_sync:\n  base_jobs: many\n", /2.*pr_sync\.base_jobs|pr_sync\.base_jobs.*2/],
    ["a prototype key", "logs:\n  __proto__: {x: 1}\n", /__proto__/],
    ["10 MB", Buffer.alloc(10_000_000, "a"), /262144/],
  ])("%s stops a verb at once, with file, line and key and an exit code of its own", async (_, text, said) => {
    settings(text);
    const { code, stderr } = await home.run(["pr-queue", "list"]);
    expect(code).toBe(3);
    expect(stderr).toMatch(/^error: .* — .*\n$/);
    expect(stderr).toMatch(said);
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });

  it("with an unknown key is a warning with the nearest known one, and the verb goes on", async () => {
    settings("pr_sync:\n  base_jbos: 3\n");
    const { code, stderr } = await home.run(["pr-queue", "list"]);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^warning: .*base_jbos.*base_jobs/);
  });
});

describe("what a change request brings along", () => {
  it("is never read as configuration of adk, and no setting widens a change beyond its lines", async () => {
    settings("defaults:\n  repo: acme/shop\npr_review:\n  filter_mode: file\n");
    const repo = new RepoBuilder(join(home.data, "work", "shop"));
    const lines = Array.from({ length: 40 }, (_, at) => `export const n${at} = ${at};`);
    repo.commit({ message: "Start", files: { "a.ts": `${lines.join("\n")}\n`, "b.ts": "export {};\n" } });
    const own = "index:\n  exclude: ['**']\ndefaults:\n  repo: evil/shop\n";
    repo.commit({
      branch: "feature",
      from: "main",
      message: "Bring settings",
      files: {
        "a.ts": `${lines.with(20, "export const n20 = 2000;").join("\n")}\n`,
        "core.yaml": own,
        ".adk/core.yaml": own,
        "config/core.yaml": own,
      },
    });
    const task = await prepareLocal(home, { repo, head: "feature" });
    expect(task.chunks.map(({ path }) => path)).toContain("a.ts");
    const shown = await home.run(["config", "show"]);
    expect(shown.stdout).toContain("acme/shop");
    expect(shown.stdout).not.toContain("evil");
    expect(shown.stderr).toMatch(/^warning: .*filter_mode/);
    expect(readFileSync(join(task.folder, "code/.adk/core.yaml"), "utf8")).toBe(own);
    // What lies outside of these lines cannot be commented in place by any host, so nothing else counts as changed.
    expect(changedRanges(task.patch).get("a.ts")).toEqual([{ start: 21, end: 21 }]);
    expect(Object.keys(task.files).sort()).toEqual([".adk/core.yaml", "a.ts", "config/core.yaml", "core.yaml"]);
  });
});
