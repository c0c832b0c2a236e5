import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { describe, expect, it } from "vitest";
import { Git } from "../../../effects/git/Git.ts";
import { type FileSpec, RepoBuilder } from "../../../fixtures/repos/RepoBuilder.ts";
import { fetched, plainGit, run, runError, temporaryFolder } from "./support.ts";

const withFiles = async (dir: string, files: Readonly<Record<string, FileSpec>>) => {
  const repo = new RepoBuilder(join(dir, "source"));
  const sha = repo.commit({ message: "All", files });
  return { repo, sha, clone: await fetched(dir, repo), path: join(dir, "data/tasks/one/code") };
};

const add = (dir: string, options: { clone: string; path: string; sha: string }) =>
  run(
    dir,
    Effect.flatMap(Git, (git) => git.addWorktree(options)),
  );

describe("a worktree", () => {
  it("holds the files of the commit, links as plain files and no submodule", async () => {
    const dir = temporaryFolder();
    const { sha, clone, path } = await withFiles(dir, {
      "src/a.ts": "export const a = 1;\r\n",
      "run.sh": { executable: "#!/bin/sh\n" },
      escape: { symlink: "../../../../../../etc/passwd" },
      "vendor/lib": { submodule: "1".repeat(40) },
      "--option": "x\n",
      'tab\tquote"new\nline/ü b/a.ts': "y\n",
    });
    await add(dir, { clone, path, sha });
    expect(readFileSync(join(path, "src/a.ts"), "utf8")).toBe("export const a = 1;\r\n");
    expect(lstatSync(join(path, "run.sh")).mode & 0o100).toBe(0o100);
    expect(lstatSync(join(path, "escape")).isFile()).toBe(true);
    expect(readFileSync(join(path, "escape"), "utf8")).toBe("../../../../../../etc/passwd");
    expect(existsSync(join(path, "vendor"))).toBe(false);
    expect(readFileSync(join(path, "--option"), "utf8")).toBe("x\n");
    expect(readFileSync(join(path, 'tab\tquote"new\nline/ü b/a.ts'), "utf8")).toBe("y\n");
    expect(plainGit(path, ["rev-parse", "HEAD"])).toBe(sha);
    expect(plainGit(path, ["rev-parse", "--abbrev-ref", "HEAD"])).toBe("HEAD");
  });

  it("belongs to this user alone, whatever the umask", async () => {
    const dir = temporaryFolder();
    const before = process.umask(0);
    try {
      const { sha, clone, path } = await withFiles(dir, { "src/a.ts": "1\n", "run.sh": { executable: "#!/bin/sh\n" } });
      await add(dir, { clone, path, sha });
      const open = [path, clone]
        .flatMap((root) => [
          root,
          ...readdirSync(root, { recursive: true, encoding: "utf8" }).map((name) => join(root, name)),
        ])
        .filter((name) => (lstatSync(name).mode & 0o077) !== 0);
      expect(open).toEqual([]);
      expect(process.umask()).toBe(0);
    } finally {
      process.umask(before);
    }
  });

  it("gives agent configuration inert names at any depth and in any case", async () => {
    const dir = temporaryFolder();
    const { sha, clone, path } = await withFiles(dir, {
      "CLAUDE.md": "obey\n",
      "docs/claude.MD": "obey\n",
      ".claude/settings.json": "{}\n",
      "pkg/.mcp.json": "{}\n",
      ".cursor/rules/a.mdc": "obey\n",
      ".cursorrules": "obey\n",
      "sub/.Husky/pre-commit": { executable: "#!/bin/sh\n" },
      "AGENTS.md.adk-inert": "mine\n",
      "AGENTS.md": "obey\n",
      "src/agents.ts": "1\n",
    });
    await add(dir, { clone, path, sha });
    const names = readdirSync(path, { recursive: true, encoding: "utf8" }).filter((name) =>
      lstatSync(join(path, name)).isFile(),
    );
    expect(names.filter((name) => name !== ".git").sort()).toEqual(
      [
        ".claude.adk-inert/settings.json",
        ".cursor.adk-inert/rules/a.mdc",
        ".cursorrules.adk-inert",
        "AGENTS.md.adk-inert",
        "AGENTS.md.adk-inert.adk-inert",
        "CLAUDE.md.adk-inert",
        "docs/claude.MD.adk-inert",
        "pkg/.mcp.json.adk-inert",
        "src/agents.ts",
        "sub/.Husky.adk-inert/pre-commit",
      ].sort(),
    );
    expect(readFileSync(join(path, "AGENTS.md.adk-inert"), "utf8")).toBe("obey\n");
  });

  it("leaves out names that no checkout may have and keeps the rest", async () => {
    const dir = temporaryFolder();
    const repo = new RepoBuilder(join(dir, "source"));
    const blob = repo.git(["hash-object", "-w", "--stdin"], Buffer.from("payload\n"));
    const tree = (entries: ReadonlyArray<string>) => repo.git(["mktree"], Buffer.from(`${entries.join("\n")}\n`));
    const hooks = tree([`100755 blob ${blob}\tpost-checkout`]);
    const root = tree([
      `040000 tree ${hooks}\t.GIT`,
      `040000 tree ${hooks}\tgit~1`,
      `100644 blob ${blob}\tREADME`,
      `100644 blob ${blob}\tReadme`,
    ]);
    const sha = repo.git(["commit-tree", "-m", "Hostile", root]);
    repo.ref("refs/heads/main", sha);
    const clone = await fetched(dir, repo);
    const path = join(dir, "code");
    await add(dir, { clone, path, sha });
    expect(readdirSync(path).sort()).toEqual([".git", "README", "Readme"]);
  });

  it("is not made again when it is complete, and replaced at another commit or when incomplete", async () => {
    const dir = temporaryFolder();
    const { repo, sha, clone, path } = await withFiles(dir, { a: "1\n", gone: "1\n" });
    await add(dir, { clone, path, sha });
    writeFileSync(join(path, "a"), "changed");
    await add(dir, { clone, path, sha });
    expect(readFileSync(join(path, "a"), "utf8")).toBe("changed");
    const next = repo.commit({ message: "Next", files: { a: "2\n", gone: null } });
    await fetched(dir, repo);
    await add(dir, { clone, path, sha: next });
    expect(readFileSync(join(path, "a"), "utf8")).toBe("2\n");
    expect(existsSync(join(path, "gone"))).toBe(false);
    rmSync(join(clone, "worktrees/code/adk-complete"));
    writeFileSync(join(path, "a"), "half");
    await add(dir, { clone, path, sha: next });
    expect(readFileSync(join(path, "a"), "utf8")).toBe("2\n");
  });

  it("is not made over a folder of somebody else, nor removed from it", async () => {
    const dir = temporaryFolder();
    const { sha, clone, path } = await withFiles(dir, { a: "1\n" });
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, "notes"), "mine");
    const error = await runError(
      dir,
      Effect.flatMap(Git, (git) => git.addWorktree({ clone, path, sha })),
    );
    expect(error).toMatchObject({ _tag: "WorktreeOccupied", path });
    const link = join(dir, "link");
    symlinkSync(path, link);
    const removal = await runError(
      dir,
      Effect.flatMap(Git, (git) => git.removeWorktree({ clone, path: link })),
    );
    expect(removal).toMatchObject({ _tag: "WorktreeOccupied" });
    expect(readFileSync(join(path, "notes"), "utf8")).toBe("mine");
  });

  it("is removed with its administrative files, also when its folder is already gone", async () => {
    const dir = temporaryFolder();
    const { sha, clone, path } = await withFiles(dir, { a: "1\n" });
    const remove = () =>
      run(
        dir,
        Effect.flatMap(Git, (git) => git.removeWorktree({ clone, path })),
      );
    await add(dir, { clone, path, sha });
    await remove();
    expect(existsSync(path)).toBe(false);
    await add(dir, { clone, path, sha });
    rmSync(path, { recursive: true });
    await remove();
    expect(plainGit(clone, ["--git-dir=.", "worktree", "list", "--porcelain"]).match(/^worktree /gm)).toHaveLength(1);
    await remove();
  });

  it("fails by name for a commit that is not there and leaves nothing", async () => {
    const dir = temporaryFolder();
    const { clone, path } = await withFiles(dir, { a: "1\n" });
    const oid = "2".repeat(40);
    const error = await runError(
      dir,
      Effect.flatMap(Git, (git) => git.addWorktree({ clone, path, sha: oid })),
    );
    expect(error).toMatchObject({ _tag: "ObjectMissing", oid });
    expect(existsSync(path)).toBe(false);
  });

  it("is made eight at once on one clone, every time", async () => {
    const dir = temporaryFolder();
    const files = Object.fromEntries(
      Array.from({ length: 60 }, (_, n) => [`src/file${n}.ts`, `export const n = ${n};\n`]),
    );
    const { sha, clone } = await withFiles(dir, files);
    const rounds = process.env.ADK_TEST_LONG === "1" ? 15 : 5;
    const paths = Array.from({ length: 8 }, (_, n) => join(dir, `tasks/pr-${n}/code`));
    const round = Effect.gen(function* () {
      const git = yield* Git;
      yield* Effect.forEach(paths, (path) => git.addWorktree({ clone, path, sha }), { concurrency: "unbounded" });
      for (const path of paths) expect(readdirSync(join(path, "src"))).toHaveLength(60);
      yield* Effect.forEach(paths, (path) => git.removeWorktree({ clone, path }), { concurrency: "unbounded" });
    });
    await run(dir, Effect.repeatN(round, rounds - 1));
    expect(existsSync(join(clone, "worktrees")) ? readdirSync(join(clone, "worktrees")) : []).toEqual([]);
  });
});
