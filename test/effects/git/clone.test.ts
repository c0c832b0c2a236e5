import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { describe, expect, it } from "vitest";
import { Git } from "../../../effects/git/Git.ts";
import { RepoBuilder } from "../../../fixtures/repos/RepoBuilder.ts";
import { run, runError, temporaryFolder } from "./support.ts";

const source = (dir: string) => {
  const repo = new RepoBuilder(join(dir, "source"));
  const first = repo.commit({
    message: "First",
    files: { "src/a.ts": "export const a = 1;\n", "README.md": "# Shop\n" },
  });
  const main = repo.commit({ message: "Second", files: { "src/a.ts": "export const a = 2;\n" } });
  const head = repo.commit({
    branch: "feature",
    from: first,
    message: "Feature",
    files: { "src/b.ts": "export const b = 1;\n" },
  });
  repo.ref("refs/pull/7/head", head);
  return { repo, first, main, head, clone: join(dir, "data/repos/source/original-clone") };
};

const fetchAll = (url: string, clone: string) =>
  Effect.gen(function* () {
    const git = yield* Git;
    yield* git.ensureClone({ clone, url, allowFile: url });
    return yield* git.fetchRefs({
      clone,
      url,
      allowFile: url,
      refs: [
        { remote: "refs/heads/main", local: "refs/adk/heads/main" },
        { remote: "refs/pull/7/head", local: "refs/adk/pull/7" },
        { remote: "refs/pull/8/head", local: "refs/adk/pull/8" },
        { remote: "refs/heads/..", local: "refs/adk/heads/x" },
      ],
    });
  });

describe("a clone", () => {
  it("fetches what exists with one call and names what does not", async () => {
    const dir = temporaryFolder();
    const { repo, first, main, head, clone } = source(dir);
    const found = await run(dir, fetchAll(repo.dir, clone));
    expect(found.fetched).toEqual([
      { remote: "refs/heads/main", local: "refs/adk/heads/main", sha: main },
      { remote: "refs/pull/7/head", local: "refs/adk/pull/7", sha: head },
    ]);
    expect(found.missing).toEqual(["refs/pull/8/head", "refs/heads/.."]);
    const facts = await run(
      dir,
      Effect.gen(function* () {
        const git = yield* Git;
        return {
          base: yield* git.mergeBase({ clone, a: "refs/adk/heads/main", b: "refs/adk/pull/7" }),
          resolved: yield* git.resolve({ clone, rev: "refs/adk/pull/7" }),
          unknown: yield* git.resolve({ clone, rev: "refs/adk/pull/9" }),
          option: yield* git.resolve({ clone, rev: "--git-dir" }),
          contained: yield* git.isAncestor({ clone, ancestor: first, descendant: main }),
          apart: yield* git.isAncestor({ clone, ancestor: main, descendant: head }),
          tree: yield* git.listTree({ clone, sha: head }),
          version: yield* git.version,
        };
      }),
    );
    expect(facts).toMatchObject({
      base: first,
      resolved: head,
      unknown: null,
      option: null,
      contained: true,
      apart: false,
    });
    expect(facts.tree.map(({ path, type, size }) => [path, type, size])).toEqual([
      ["README.md", "blob", 7],
      ["src/a.ts", "blob", 20],
      ["src/b.ts", "blob", 20],
    ]);
    expect(facts.version).toMatch(/^\d+\.\d+/);
  });

  it("follows a force-push and a deleted branch keeps its last commit", async () => {
    const dir = temporaryFolder();
    const { repo, first, clone } = source(dir);
    await run(dir, fetchAll(repo.dir, clone));
    const forced = repo.commit({ branch: "other", from: first, message: "Forced", files: { "src/c.ts": "1\n" } });
    repo.ref("refs/pull/7/head", forced);
    const found = await run(dir, fetchAll(repo.dir, clone));
    expect(found.fetched[1]?.sha).toBe(forced);
  });

  it("is left alone when it is there, and made anew when only a skeleton is", async () => {
    const dir = temporaryFolder();
    const { repo, clone } = source(dir);
    mkdirSync(join(clone, "objects"), { recursive: true });
    writeFileSync(join(clone, "HEAD"), "");
    await run(dir, fetchAll(repo.dir, clone));
    const before = statSync(join(clone, "config")).ino;
    await run(dir, fetchAll(repo.dir, clone));
    expect(statSync(join(clone, "config")).ino).toBe(before);
    expect(readdirSync(join(clone, ".."))).toEqual(["original-clone"]);
    expect(existsSync(join(clone, "hooks"))).toBe(false);
    expect(readFileSync(join(clone, "config"), "utf8")).toContain("hooksPath = /dev/null");
  });

  it("is refused where a folder holds something else", async () => {
    const dir = temporaryFolder();
    const { repo, clone } = source(dir);
    mkdirSync(clone, { recursive: true });
    writeFileSync(join(clone, "notes.txt"), "mine");
    const error = await runError(dir, fetchAll(repo.dir, clone));
    expect(error).toMatchObject({ _tag: "CloneUnusable", clone });
    expect(readFileSync(join(clone, "notes.txt"), "utf8")).toBe("mine");
  });

  it("tells the default branch and the branches of a remote", async () => {
    const dir = temporaryFolder();
    const { repo, main, head } = source(dir);
    const listed = await run(
      dir,
      Effect.flatMap(Git, (git) =>
        git.lsRemote({ url: repo.dir, allowFile: repo.dir, patterns: ["refs/heads/*", "refs/pull/7/head"] }),
      ),
    );
    expect(listed.head).toBe("main");
    expect([...listed.refs]).toEqual([
      ["refs/heads/feature", head],
      ["refs/heads/main", main],
      ["refs/pull/7/head", head],
    ]);
  });

  it("names the objects that a source lacks, with their paths", async () => {
    const dir = temporaryFolder();
    const { repo, main, clone } = source(dir);
    const [line = ""] = repo.git(["ls-tree", "-r", main]).split("\n");
    const [facts = "", path = ""] = line.split("\t");
    const oid = facts.split(" ")[2] ?? "";
    const file = join(repo.git(["rev-parse", "--absolute-git-dir"]), "objects", oid.slice(0, 2), oid.slice(2));
    expect(existsSync(file)).toBe(true);
    rmSync(file);
    const error = await runError(dir, fetchAll(repo.dir, clone));
    expect(error).toMatchObject({ _tag: "SourceIncomplete", path: repo.dir, missing: [`${oid} (${path})`] });
    expect(error).toMatchObject({ message: expect.stringContaining("lacks 1 git object of its branches") });
  });

  it("refuses a shallow source by name, and completes a shallow clone", async () => {
    const dir = temporaryFolder();
    const { repo, main, first, clone } = source(dir);
    repo.git(["clone", "--quiet", "--depth=1", `file://${repo.dir}`, join(dir, "shallow")]);
    const shallow = join(dir, "shallow");
    const error = await runError(dir, fetchAll(shallow, clone));
    expect(error).toMatchObject({ _tag: "ShallowSource", url: shallow });
    repo.git(["--git-dir", clone, "fetch", "--quiet", "--depth=1", `file://${repo.dir}`, "main"]);
    expect(existsSync(join(clone, "shallow"))).toBe(true);
    await run(dir, fetchAll(repo.dir, clone));
    const whole = await run(
      dir,
      Effect.flatMap(Git, (git) => git.isAncestor({ clone, ancestor: first, descendant: main })),
    );
    expect(whole).toBe(true);
  });
});
