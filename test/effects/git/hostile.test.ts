import { cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { afterEach, describe, expect, it } from "vitest";
import { Git } from "../../../effects/git/Git.ts";
import { RepoBuilder } from "../../../fixtures/repos/RepoBuilder.ts";
import { fetched, plainGit, run, runError, temporaryFolder } from "./support.ts";

// Each payload leaves a file in PWNED. Plain git shows that it does fire; adk must leave the folder empty.

const arena = () => {
  const dir = temporaryFolder();
  const pwned = join(dir, "PWNED");
  mkdirSync(pwned);
  const payload = (name: string) => `touch ${join(pwned, name)}`;
  return { dir, payload, fired: () => readdirSync(pwned).sort() };
};

const useGlobalConfig = (dir: string, text: string): void => {
  const file = join(dir, "gitconfig");
  writeFileSync(file, text);
  process.env.GIT_CONFIG_GLOBAL = file;
};

afterEach(() => {
  process.env.GIT_CONFIG_GLOBAL = "/dev/null";
});

const prepare = (dir: string, clone: string, path: string, base: string, head: string) =>
  run(
    dir,
    Effect.scoped(
      Effect.gen(function* () {
        const git = yield* Git;
        yield* git.addWorktree({ clone, path, sha: head });
        const census = yield* git.census({ clone, base, head });
        const { patch } = yield* git.diffPatch({ clone, base, head, maxBytes: 1_000_000 });
        const reader = yield* git.blobs({ clone });
        for (const { kind, newOid } of census) if (kind !== "submodule") yield* reader.read(newOid);
        yield* git.log({ clone, tip: head, max: 10 });
        return { census, patch: patch.toString("utf8") };
      }),
    ),
  );

describe("a hostile change request executes nothing", () => {
  it("by an embedded bare repository with a file system monitor", async () => {
    const { dir, payload, fired } = arena();
    const repo = new RepoBuilder(join(dir, "source"));
    const base = repo.commit({ message: "Base", files: { a: "1\n" } });
    const head = repo.commit({
      message: "Head",
      files: {
        "docs/HEAD": "ref: refs/heads/main\n",
        "docs/config": `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ..\n\tfsmonitor = "${payload("fsmonitor")}; false"\n`,
        "docs/objects/keep": "",
        "docs/refs/keep": "",
        "docs/index-note": "x\n",
      },
    });
    const path = join(dir, "code");
    await prepare(dir, await fetched(dir, repo), path, base, head);
    expect(fired()).toEqual([]);
    const error = await runError(
      dir,
      Effect.flatMap(Git, (git) => git.localRepository(join(path, "docs"))).pipe(
        Effect.flatMap(() => Effect.fail({ _tag: "None" as const })),
      ),
    );
    expect(error._tag).toMatch(/NotARepository|None/);
    expect(fired()).toEqual([]);
    cpSync(join(path, "docs"), join(dir, "copy/docs"), { recursive: true });
    plainGit(join(dir, "copy/docs"), ["status"]);
    expect(fired()).toEqual(["fsmonitor"]);
  });

  it("by a hook that a person's core.hooksPath finds in the checkout", async () => {
    const { dir, payload, fired } = arena();
    useGlobalConfig(dir, "[core]\n\thooksPath = .husky\n");
    const repo = new RepoBuilder(join(dir, "source"));
    const base = repo.commit({ message: "Base", files: { a: "1\n" } });
    const hook = { executable: `#!/bin/sh\n${payload("hook")}\n` };
    const head = repo.commit({
      message: "Head",
      files: { ".husky/post-checkout": hook, ".husky/reference-transaction": hook, ".husky/post-index-change": hook },
    });
    const path = join(dir, "code");
    await prepare(dir, await fetched(dir, repo), path, base, head);
    expect(fired()).toEqual([]);
    plainGit(path, ["checkout", "--quiet", "--detach", head]);
    expect(fired()).toEqual([]);
    plainGit(dir, ["clone", "--quiet", repo.dir, join(dir, "plain")]);
    expect(fired()).toEqual(["hook"]);
  });

  it("by filters, text conversions and drivers that its .gitattributes select from a person's configuration", async () => {
    const { dir, payload, fired } = arena();
    useGlobalConfig(
      dir,
      `[filter "x"]\n\tsmudge = "${payload("smudge")}; cat"\n\tclean = "${payload("clean")}; cat"\n\trequired = true
[diff "x"]\n\ttextconv = "${payload("textconv")}; cat"\n[diff]\n\texternal = "${payload("external")}; true"
[core]\n\tpager = "${payload("pager")}"\n\tfsmonitor = "${payload("fsmonitor")}; false"\n[alias]\n\tls-tree = "!${payload("alias")}"\n`,
    );
    const repo = new RepoBuilder(join(dir, "source"));
    const base = repo.commit({ message: "Base", files: { "a.ts": "one\n" } });
    const head = repo.commit({
      message: "Head",
      files: { ".gitattributes": "* filter=x diff=x\n", "a.ts": "two\n" },
    });
    const path = join(dir, "code");
    const { patch } = await prepare(dir, await fetched(dir, repo), path, base, head);
    expect(patch).toContain("-one\n+two\n");
    expect(fired()).toEqual([]);
    plainGit(dir, ["clone", "--quiet", repo.dir, join(dir, "plain")]);
    plainGit(join(dir, "plain"), ["show", "--textconv", `${head}`]);
    plainGit(join(dir, "plain"), ["diff", base, head]);
    expect(fired()).toEqual(expect.arrayContaining(["external", "smudge", "textconv"]));
  });

  it("by submodules with ext::, file:// and option-like addresses", async () => {
    const { dir, payload, fired } = arena();
    useGlobalConfig(
      dir,
      "[protocol]\n\tallow = always\n[submodule]\n\trecurse = true\n[fetch]\n\trecurseSubmodules = true\n",
    );
    const repo = new RepoBuilder(join(dir, "source"));
    const base = repo.commit({ message: "Base", files: { a: "1\n" } });
    const head = repo.commit({
      message: "Head",
      files: {
        ".gitmodules": `[submodule "x"]\n\tpath = x\n\turl = "ext::sh -c ${payload("submodule").replace(" ", "% ")}"\n[submodule "y"]\n\tpath = y\n\turl = -u./payload\n`,
        x: { submodule: base },
        y: { submodule: base },
      },
    });
    const path = join(dir, "code");
    const { census } = await prepare(dir, await fetched(dir, repo), path, base, head);
    expect(census.map(({ path: name, kind }) => [name, kind])).toEqual([
      [".gitmodules", "text"],
      ["x", "submodule"],
      ["y", "submodule"],
    ]);
    expect(fired()).toEqual([]);
    plainGit(dir, ["clone", "--quiet", "--recurse-submodules=x", repo.dir, join(dir, "plain")]);
    expect(fired()).toEqual(["submodule"]);
  });

  it("by an address that is a command, whatever the person allows", async () => {
    const { dir, payload, fired } = arena();
    useGlobalConfig(dir, '[protocol]\n\tallow = always\n[protocol "ext"]\n\tallow = always\n');
    const marks = ["ext", "option"].map(payload);
    const urls = [
      `ext::sh -c ${marks[0]?.replace(" ", "% ")}`,
      `EXT::sh -c ${marks[0]?.replace(" ", "% ")}`,
      `--upload-pack=${marks[1]}`,
      "fd::17",
      "git://localhost/x",
      "http://localhost/x",
      "file:///etc",
      dir,
    ];
    for (const url of urls) {
      const error = await runError(
        dir,
        Effect.flatMap(Git, (git) => git.lsRemote({ url })),
      );
      expect(error, url).toMatchObject({ _tag: "UrlRefused" });
    }
    expect(fired()).toEqual([]);
    plainGit(dir, ["ls-remote", `ext::sh -c ${payload("ext").replace(" ", "% ")}`]);
    expect(fired()).toEqual(["ext"]);
  });

  it("by the name of a branch", async () => {
    const { dir, payload, fired } = arena();
    const repo = new RepoBuilder(join(dir, "source"));
    const base = repo.commit({ message: "Base", files: { a: "1\n" } });
    const name = `--upload-pack=${payload("branch").replace(" ", `\${IFS}`)}`;
    const head = repo.commit({ branch: name, from: base, message: "Head", files: { a: "2\n" } });
    const clone = join(dir, "clone");
    const found = await run(
      dir,
      Effect.gen(function* () {
        const git = yield* Git;
        const source = { url: repo.dir, allowFile: repo.dir };
        yield* git.ensureClone({ clone, ...source });
        const { refs } = yield* git.lsRemote(source);
        const { fetched: got } = yield* git.fetchRefs({
          clone,
          ...source,
          refs: [{ remote: `refs/heads/${name}`, local: "refs/adk/pull/1" }],
        });
        return {
          listed: refs.get(`refs/heads/${name}`),
          got: got[0]?.sha,
          branches: yield* git.localBranches(repo.dir),
        };
      }),
    );
    expect(found.listed).toBe(head);
    expect(found.got).toBe(head);
    expect(found.branches.map((branch) => branch.name)).toContain(name);
    expect(fired()).toEqual([]);
    plainGit(dir, ["fetch", repo.dir, `--upload-pack=${payload("branch")}; git-upload-pack`], { GIT_DIR: clone });
    expect(fired()).toEqual(["branch"]);
  });

  it("and writes through no link that leads out of the checkout", async () => {
    const { dir, fired } = arena();
    const repo = new RepoBuilder(join(dir, "source"));
    const base = repo.commit({ message: "Base", files: { a: "1\n" } });
    const link = repo.git(["hash-object", "-w", "--stdin"], Buffer.from(join(dir, "PWNED")));
    const head = repo.commit({ message: "Head", files: { out: { symlink: join(dir, "PWNED") }, "Out/file": "x\n" } });
    expect(link).toMatch(/^[0-9a-f]{40}$/);
    const path = join(dir, "code");
    await prepare(dir, await fetched(dir, repo), path, base, head);
    expect(existsSync(join(path, "Out/file"))).toBe(true);
    expect(fired()).toEqual([]);
  });
});

describe("the file transport", () => {
  it("works for a path that the person maps with insteadOf", async () => {
    const { dir } = arena();
    const repo = new RepoBuilder(join(dir, "source"));
    const sha = repo.commit({ message: "Base", files: { a: "1\n" } });
    useGlobalConfig(dir, `[url "${repo.dir}"]\n\tinsteadOf = https://github.com/acme/shop.git\n`);
    const url = "https://github.com/acme/shop.git";
    const listed = await run(
      dir,
      Effect.flatMap(Git, (git) => git.lsRemote({ url })),
    );
    expect(listed.refs.get("refs/heads/main")).toBe(sha);
  });

  it.each([
    ["a registered path", false],
    ["a path that an insteadOf maps to", true],
  ])("runs no program that a person's configuration puts in place of git's own packing, from %s", async (_, mapped) => {
    const { dir, payload, fired } = arena();
    const repo = new RepoBuilder(join(dir, "source"));
    const sha = repo.commit({ message: "Base", files: { a: "1\n" } });
    const hook = join(dir, "hook");
    writeFileSync(hook, `#!/bin/sh\n${payload("hook")}\nexec "$@"\n`, { mode: 0o700 });
    const url = mapped ? "https://github.com/acme/shop.git" : repo.dir;
    useGlobalConfig(
      dir,
      `[uploadpack]\n\tpackObjectsHook = ${hook}\n[url "${repo.dir}"]\n\tinsteadOf = https://github.com/acme/shop.git\n`,
    );
    const clone = join(dir, "clone");
    const source = { clone, url, ...(mapped ? {} : { allowFile: repo.dir }) };
    const refs = [{ remote: "refs/heads/main", local: "refs/adk/heads/main" }];
    const { fetched: got } = await run(
      dir,
      Effect.flatMap(Git, (git) => Effect.zipRight(git.ensureClone(source), git.fetchRefs({ ...source, refs }))),
    );
    expect(got.map((ref) => ref.sha)).toEqual([sha]);
    expect(fired()).toEqual([]);
    plainGit(dir, ["-c", "uploadpack.packObjectsHook=", "fetch", url, "main:refs/heads/by-hand"], {
      GIT_DIR: new RepoBuilder(join(dir, "other"), { bare: true }).dir,
    });
    expect(fired()).toEqual(["hook"]);
  });

  it("does not follow an insteadOf into a command", async () => {
    const { dir, payload, fired } = arena();
    useGlobalConfig(
      dir,
      `[url "ext::sh -c ${payload("ext").replace(" ", "% ")} "]\n\tinsteadOf = https://github.com/\n[protocol "ext"]\n\tallow = always\n`,
    );
    const error = await runError(
      dir,
      Effect.flatMap(Git, (git) => git.lsRemote({ url: "https://github.com/acme/shop.git" })),
    );
    expect(error).toMatchObject({ _tag: "UrlRefused" });
    expect(fired()).toEqual([]);
  });
});
