import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { describe, expect, it } from "vitest";
import { Git } from "../../../effects/git/Git.ts";
import { RepoBuilder } from "../../../fixtures/repos/RepoBuilder.ts";
import { run, runError, temporaryFolder } from "./support.ts";

const look = (path: string) => Effect.flatMap(Git, (git) => git.localRepository(path));

describe("a repository of the person's own", () => {
  it("is told by its root, its branch and its default branch, also from a folder inside and through a link", async () => {
    const dir = temporaryFolder();
    const repo = new RepoBuilder(join(dir, "shop"), { defaultBranch: "trunk" });
    repo.commit({ message: "One", files: { "src/a.ts": "1\n" } });
    repo.branch("main", "trunk");
    repo.checkout();
    symlinkSync(repo.dir, join(dir, "link"));
    const branch = (name: string) => ({ name, ref: `refs/heads/${name}`, sha: repo.sha(name) });
    const expected = {
      branches: [branch("main"), branch("trunk")],
      realPath: repo.dir,
      gitDir: join(repo.dir, ".git"),
      headBranch: "trunk",
      defaultBranch: "main",
      isShallow: false,
    };
    expect(await run(dir, look(repo.dir))).toEqual(expected);
    expect(await run(dir, look(join(repo.dir, "src")))).toEqual(expected);
    expect(await run(dir, look(join(dir, "link")))).toEqual(expected);
    repo.git(["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk"]);
    expect((await run(dir, look(repo.dir))).defaultBranch).toBe("trunk");
  });

  it("may be a linked worktree, detached, bare or shallow", async () => {
    const dir = temporaryFolder();
    const repo = new RepoBuilder(join(dir, "shop"));
    repo.commit({ message: "One", files: { a: "1\n" } });
    const sha = repo.commit({ message: "Two", files: { a: "2\n" } });
    const linked = join(dir, "linked");
    repo.git(["worktree", "add", "--quiet", "--detach", linked, sha]);
    expect(await run(dir, look(linked))).toMatchObject({
      realPath: linked,
      gitDir: join(repo.dir, ".git"),
      headBranch: null,
      defaultBranch: "main",
    });
    const bare = join(dir, "bare.git");
    repo.git(["clone", "--quiet", "--bare", "--depth=1", `file://${repo.dir}`, bare]);
    expect(await run(dir, look(bare))).toEqual({
      branches: [{ name: "main", ref: "refs/heads/main", sha }],
      realPath: bare,
      gitDir: bare,
      headBranch: "main",
      defaultBranch: "main",
      isShallow: true,
    });
  });

  it("is refused by name when it is none, is not there or has no commit", async () => {
    const dir = temporaryFolder();
    mkdirSync(join(dir, "plain"));
    writeFileSync(join(dir, "file"), "x");
    const empty = new RepoBuilder(join(dir, "empty"));
    expect(await runError(dir, look(join(dir, "plain")))).toMatchObject({
      _tag: "NotARepository",
      path: join(dir, "plain"),
    });
    expect(await runError(dir, look(join(dir, "nowhere")))).toMatchObject({
      message: expect.stringContaining("does not exist"),
    });
    expect(await runError(dir, look(empty.dir))).toMatchObject({ message: expect.stringContaining("no commits") });
    expect(await runError(dir, look(join(dir, "file")))).toMatchObject({ _tag: "NotARepository" });
  });

  it("lists branches whose names look like options or differ only in case", async () => {
    const dir = temporaryFolder();
    const repo = new RepoBuilder(join(dir, "shop"));
    const sha = repo.commit({ message: "One", files: { a: "1\n" } });
    repo.git(["pack-refs", "--all"]);
    const names = ["-f", "--upload-pack=x", "Feature/X", "feature/x", "main", "réf"];
    for (const name of names) repo.ref(`refs/heads/${name}`, sha);
    const branches = await run(
      dir,
      Effect.flatMap(Git, (git) => git.localBranches(repo.dir)),
    );
    expect(branches.map(({ name }) => name).sort()).toEqual([...names].sort());
    expect(branches.every((branch) => branch.sha === sha && branch.ref === `refs/heads/${branch.name}`)).toBe(true);
  });
});
