import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { RepoBuilder } from "../../fixtures/repos/RepoBuilder.ts";
import { type CliHome, cliHome } from "../cli/support/queueHome.ts";
import { plainGit } from "../effects/git/support.ts";
import { rowOf } from "./support/hosted.ts";

let home: CliHome;
let repo: RepoBuilder;
const clone = (): string => join(home.data, "repos/shop/original-clone");
const gitlink = "7".repeat(40);

beforeEach(() => {
  home = cliHome();
  repo = new RepoBuilder(join(home.data, "work", "shop"));
  const gitmodules = [
    '[submodule "up"]\n\tpath = ../../up\n\turl = https://third.invalid/up.git',
    '[submodule "return"]\n\tpath = "sub\r"\n\turl = ../hooks',
    '[submodule "option"]\n\tpath = option\n\turl = --upload-pack=touch pwned',
    '[submodule "ext"]\n\tpath = ext\n\turl = ext::sh -c touch% pwned',
    '[submodule "file"]\n\tpath = file\n\turl = file:///etc\n\tupdate = !touch pwned',
  ].join("\n");
  repo.commit({ message: "Start", files: { "a.ts": "export const a = 1;\n" } });
  for (const n of [1, 2, 3, 4])
    repo.commit({
      branch: `change-${n}`,
      from: "main",
      message: `Change ${n}`,
      files: {
        "a.ts": `export const a = ${n + 1};\n`,
        ".gitmodules": `${gitmodules}\n`,
        hooks: { symlink: "../.git/hooks" },
        option: { submodule: gitlink },
        ext: { submodule: gitlink },
        file: { submodule: gitlink },
      },
    });
});
afterEach(() => home.remove());

describe("four preparations at once over one clone, of changes with hostile submodules", () => {
  it("all succeed without writing the clone's configuration, fetch no submodule and leave no branch; a folder full of a person's files goes with its row", {
    timeout: 120_000,
  }, async () => {
    for (const n of [1, 2, 3, 4])
      expect((await home.run(["pr-queue", "add", "--local", repo.dir, `--head=change-${n}`])).code).toBe(0);
    expect((await home.run(["pr-task", "prepare", "local:shop#1", "-v"])).code).toBe(0);
    const before = readFileSync(join(clone(), "config"), "utf8");
    const together = await Promise.all(
      [1, 2, 3, 4].map((n) => home.run(["pr-task", "prepare", `local:shop#${n}`, "--rebuild", "-v"])),
    );
    expect(together.map(({ code, stderr }) => [code, /lock|error/.test(stderr)])).toEqual(Array(4).fill([0, false]));
    expect(readFileSync(join(clone(), "config"), "utf8")).toBe(before);
    expect(plainGit(home.data, ["--git-dir", clone(), "for-each-ref", "refs/heads"])).toBe("");
    expect(readdirSync(join(clone(), "worktrees"))).toHaveLength(4);
    expect(readdirSync(clone()).filter((name) => name === "modules" || name.endsWith(".lock"))).toEqual([]);

    const logs = readdirSync(join(home.data, "logs")).filter((name) => name.startsWith("pr-task"));
    const log = logs.map((name) => readFileSync(join(home.data, "logs", name), "utf8")).join("");
    expect(log).toContain('"fetch"');
    expect(log).not.toMatch(/third\.invalid|"submodule"|ext::|pwned/);
    const found = readdirSync(home.data, { recursive: true, encoding: "utf8" });
    expect(found.filter((path) => path.endsWith("pwned"))).toEqual([]);

    const { body } = await home.json(["pr-task", "info", "local:shop#1"]);
    const folder: string = body.task_dir ?? body.path;
    const nested = join(folder, "code", "option");
    mkdirSync(nested, { recursive: true });
    plainGit(nested, ["init", "--quiet"]);
    writeFileSync(join(nested, "read-only"), "x");
    chmodSync(join(nested, "read-only"), 0o400);
    repo.branch("main", "change-1");
    expect((await home.run(["pr-queue", "update", "local:shop#1"])).code).toBe(0);
    expect((await home.json(["pr-queue", "clean", "-y"])).body.folders).toEqual([folder]);
    expect(existsSync(folder)).toBe(false);
    expect((await home.run(["pr-task", "prepare", "local:shop#2", "--rebuild"])).code).toBe(0);
    expect((await rowOf(home, "local:shop#2")).prep_status).toBe("ready");
  });
});

describe("two processes that write one index", () => {
  it("take turns: both end well, a search beside them sees one whole version, and the index is sound", {
    timeout: 120_000,
  }, async () => {
    expect((await home.run(["repo", "add", repo.dir])).code).toBe(0);
    const [one, two, ...searches] = await Promise.all([
      home.json(["repo", "rebuild-index", "shop", "--branch", "main"]),
      home.json(["repo", "rebuild-index", "shop", "--branch", "main"]),
      home.json(["index", "query", "export const a", "--repo", "shop"]),
      home.json(["index", "query", "export const a", "--repo", "shop"]),
    ]);
    for (const each of [one, two]) expect([0, 1, 2]).toContain(each?.code);
    expect([one?.code, two?.code]).toContain(0);
    for (const each of [one, two])
      if (each?.code !== 0) expect(JSON.stringify(each?.body)).toMatch(/another process|busy/);
    for (const search of searches) {
      expect(search.code, JSON.stringify(search.body)).toBe(0);
      expect(JSON.stringify(search.body)).toContain("a.ts");
    }
    const health = await home.json(["index", "health", "--repo", "shop"]);
    expect([health.code, health.body.status]).toEqual([0, "ok"]);
    await home.run(["pr-queue", "add", "--local", repo.dir, "--head=change-1"]);
    const both = await Promise.all([1, 2].map(() => home.json(["pr-task", "prepare", "local:shop#1"])));
    expect(both.map(({ body }) => body.outcome)).toContain("prepared");
    for (const { body } of both) expect(["prepared", "already", "skipped"]).toContain(body.outcome);
    expect((await rowOf(home, "local:shop#1")).prep_status).toBe("ready");
  });
});
