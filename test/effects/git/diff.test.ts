import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { afterEach, describe, expect, it } from "vitest";
import { Git } from "../../../effects/git/Git.ts";
import { lfsPointer, RepoBuilder } from "../../../fixtures/repos/RepoBuilder.ts";
import { fetched, plainGit, run, temporaryFolder } from "./support.ts";

const body = (n: number): string => Array.from({ length: 40 }, (_, line) => `line ${line} of file ${n}`).join("\n");

const odd = ["tab\there", 'quote"d', "new\nline", "ünïcode b/x", "-dash", " space ", ":colon", "back'tick`"];

const changed = (dir: string) => {
  const repo = new RepoBuilder(join(dir, "source"));
  const start = repo.commit({
    message: "Base",
    files: {
      "old/name.ts": `${body(1)}\n`,
      "deleted.ts": "gone\n",
      "mode.sh": "#!/bin/sh\n",
      "crlf.txt": "a\r\nb\r\n",
      "latin1.txt": Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a]),
      "image.bin": Buffer.from([0, 1, 2, 3]),
      typed: "file\n",
      ...Object.fromEntries(odd.map((name) => [name, "1\n"])),
    },
  });
  const base = repo.commit({ message: "Ignore", files: { ".gitattributes": "*.ts -diff\n" } });
  repo.commit({
    branch: "feature",
    from: base,
    message: "Edit",
    renames: { "old/name.ts": "new/name.ts" },
    files: {
      "new/name.ts": `${body(1).replace("line 20 of", "LINE 20 of")}\n`,
      "deleted.ts": null,
      "mode.sh": { executable: "#!/bin/sh\n" },
      "crlf.txt": "a\r\nc\r\n",
      "latin1.txt": Buffer.from([0x63, 0x61, 0x66, 0xe8, 0x0a]),
      "image.bin": Buffer.from([0, 1, 2, 4]),
      typed: { symlink: "mode.sh" },
      module: { submodule: "3".repeat(40) },
      "model.bin": lfsPointer("4".repeat(64), 1_000_000),
      ...Object.fromEntries(odd.map((name) => [name, "2\n"])),
    },
  });
  return { repo, start, base, head: repo.sha("feature") };
};

const read = (dir: string, clone: string, base: string, head: string, maxBytes = 1_000_000) =>
  run(
    dir,
    Effect.gen(function* () {
      const git = yield* Git;
      const census = yield* git.census({ clone, base, head });
      const changes = yield* git.changes({ clone, from: base, to: head });
      const { patch, truncated } = yield* git.diffPatch({ clone, base, head, maxBytes });
      const history = yield* git.log({ clone, tip: head, max: 10 });
      return { census, changes, patch: patch.toString("latin1"), truncated, history };
    }),
  );

afterEach(() => {
  process.env.GIT_CONFIG_GLOBAL = "/dev/null";
});

describe("a range of commits", () => {
  it("has a census without renames and with a kind for every file", async () => {
    const dir = temporaryFolder();
    const { repo, base, head } = changed(dir);
    const { census, changes } = await read(dir, await fetched(dir, repo), base, head);
    const byPath = Object.fromEntries(census.map((file) => [file.path, file]));
    const brief = (path: string) => [
      byPath[path]?.status,
      byPath[path]?.kind,
      byPath[path]?.additions,
      byPath[path]?.deletions,
    ];
    expect(brief("old/name.ts")).toEqual(["D", "text", 0, 40]);
    expect(brief("new/name.ts")).toEqual(["A", "text", 40, 0]);
    expect(brief("deleted.ts")).toEqual(["D", "text", 0, 1]);
    expect(brief("mode.sh")).toEqual(["M", "modeOnly", 0, 0]);
    expect(brief("crlf.txt")).toEqual(["M", "text", 1, 1]);
    expect(brief("latin1.txt")).toEqual(["M", "text", 1, 1]);
    expect(brief("image.bin")).toEqual(["M", "binary", null, null]);
    expect(brief("typed")).toEqual(["T", "symlink", 1, 1]);
    expect(brief("module")).toEqual(["A", "submodule", 1, 0]);
    expect(brief("model.bin")).toEqual(["A", "text", 3, 0]);
    for (const name of odd) expect(brief(name), name).toEqual(["M", "text", 1, 1]);
    expect(changes.map(({ path }) => path)).toEqual(census.map(({ path }) => path));
    expect(byPath["mode.sh"]).toMatchObject({ oldMode: "100644", newMode: "100755" });
  });

  it("has a patch that follows renames, names modes and shows what .gitattributes would hide", async () => {
    const dir = temporaryFolder();
    const { repo, base, head } = changed(dir);
    const { patch, truncated } = await read(dir, await fetched(dir, repo), base, head);
    expect(truncated).toBe(false);
    expect(patch).toMatch(
      /similarity index \d+%\nrename from old\/name.ts\nrename to new\/name.ts\nindex [0-9a-f]{40}\.\.[0-9a-f]{40} 100644\n/,
    );
    expect(patch).toContain("-line 20 of file 1\n+LINE 20 of file 1\n");
    expect(patch).toContain("diff --git a/mode.sh b/mode.sh\nold mode 100644\nnew mode 100755\n");
    expect(patch).toContain("-b\r\n+c\r\n");
    expect(patch).toContain("-caf\xe9\n+caf\xe8\n");
    expect(patch).toContain("Binary files a/image.bin and b/image.bin differ");
    expect(patch).toContain(`+Subproject commit ${"3".repeat(40)}`);
  });

  it("is read the same whatever the person's configuration says, and as plain git does without one", async () => {
    const dir = temporaryFolder();
    const { repo, base, head } = changed(dir);
    const clone = await fetched(dir, repo);
    const before = await read(dir, clone, base, head);
    const plain = spawnSync("git", ["-c", "core.quotePath=false", "diff", "--full-index", base, head], {
      cwd: repo.dir,
    });
    expect(before.patch).toBe(plain.stdout.toString("latin1"));
    const config = join(dir, "gitconfig");
    writeFileSync(
      config,
      `[diff]\n\tnoprefix = true\n\tmnemonicPrefix = true\n\trenames = copies\n\trenameLimit = 1\n\talgorithm = patience\n\tcontext = 9\n\tinterHunkContext = 20
\texternal = false\n\tindentHeuristic = false\n\tsuppressBlankEmpty = true\n\twordRegex = .\n\tsubmodule = log\n\tignoreSubmodules = all\n\tcolorMoved = zebra\n\trelative = true\n\torderFile = /dev/null\n\twsErrorHighlight = all
[color]\n\tui = always\n\tdiff = always\n[core]\n\tabbrev = 5\n\tquotePath = true\n\tautocrlf = true\n\twhitespace = cr-at-eol\n\tpager = false
[log]\n\tdecorate = full\n\tshowSignature = true\n\tfollow = true\n\tdate = relative\n[format]\n\tpretty = oneline\n[i18n]\n\tlogOutputEncoding = latin1\n`,
    );
    process.env.GIT_CONFIG_GLOBAL = config;
    expect(await read(dir, clone, base, head)).toEqual(before);
    expect(plainGit(repo.dir, ["-c", "diff.external=", "diff", "--no-ext-diff", base, head])).toContain("\u001b[");
  });

  it("is cut at the byte limit and says so", async () => {
    const dir = temporaryFolder();
    const { repo, base, head } = changed(dir);
    const { patch, truncated } = await read(dir, await fetched(dir, repo), base, head, 300);
    expect(truncated).toBe(true);
    expect(patch).toHaveLength(300);
  });

  it("has a history with the paths of each commit", async () => {
    const dir = temporaryFolder();
    const { repo, start, base, head } = changed(dir);
    const merged = repo.merge({ other: "feature", files: {} });
    const clone = await fetched(dir, repo);
    const all = await run(
      dir,
      Effect.flatMap(Git, (git) => git.log({ clone, tip: merged, max: 10 })),
    );
    expect(all.map(({ subject, parents, files }) => [subject, parents.length, files.length])).toEqual([
      ["Merge feature", 2, 0],
      ["Edit", 1, 10 + odd.length],
      ["Ignore", 1, 1],
      ["Base", 0, 7 + odd.length],
    ]);
    expect(all[1]?.files).toEqual(expect.arrayContaining(["old/name.ts", "new/name.ts", "new\nline", "ünïcode b/x"]));
    expect(all.map(({ sha }) => sha)).toEqual([merged, head, base, start]);
    const some = await run(
      dir,
      Effect.flatMap(Git, (git) => git.log({ clone, tip: head, max: 1, paths: ["mode.sh"] })),
    );
    expect(some.map(({ subject }) => subject)).toEqual(["Edit"]);
  });

  it("shows one file of a commit, and says why it does not", async () => {
    const dir = temporaryFolder();
    const { repo, head } = changed(dir);
    const clone = await fetched(dir, repo);
    const show = (path: string, maxBytes = 100) =>
      run(
        dir,
        Effect.flatMap(Git, (git) => git.showFile({ clone, sha: head, path, maxBytes })),
      );
    expect(await show("crlf.txt")).toMatchObject({ type: "blob", mode: "100644", content: Buffer.from("a\r\nc\r\n") });
    expect(await show("-dash")).toMatchObject({ type: "blob", content: Buffer.from("2\n") });
    expect(await show(":colon")).toMatchObject({ type: "blob", content: Buffer.from("2\n") });
    expect(await show("new/name.ts")).toMatchObject({ type: "tooLarge" });
    for (const path of ["nothing", "new", "module", "deleted.ts", "*.txt"])
      expect(await show(path)).toEqual({ type: "missing" });
  });
});
