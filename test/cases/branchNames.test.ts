import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { RepoBuilder } from "../../fixtures/repos/RepoBuilder.ts";
import { taskName } from "../../src/names.ts";
import { type CliHome, cliHome } from "../cli/support/queueHome.ts";
import { freshRow } from "../effects/queue/support/rows.ts";
import { filesBelow, prepareLocal } from "./support/hosted.ts";

let home: CliHome;
let repo: RepoBuilder;
beforeEach(() => {
  home = cliHome();
  repo = new RepoBuilder(join(home.data, "work", "shop"));
  repo.commit({ message: "Start", files: { "a.ts": "export const a = 1;\n" } });
});
afterEach(() => home.remove());

const cafe = "caf\u00e9";
const cafeApart = "cafe\u0301";
const alike = ["release/v2.1", "release-v2-1", "release/v2/1", "Feature/X", "feature/x", "docs", "DOCS/x", "con", cafe];

describe("branches with names that folders could mix up", () => {
  it("have a folder, an index and a ref each, of at most 80 bytes, on a file system without cases too", async () => {
    for (const name of alike) repo.branch(name, "main");
    const flags = alike.flatMap((name) => ["--branch", name]);
    const { code, stderr } = await home.run(["repo", "add", repo.dir, ...flags]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const folders = readdirSync(join(home.data, "repos/shop")).filter((name) => name.startsWith("branch-"));
    expect(new Set(folders.map((name) => name.toLowerCase().normalize("NFC"))).size).toBe(alike.length + 1);
    for (const name of folders) expect(Buffer.byteLength(name)).toBeLessThanOrEqual(80);
    const stored = folders.map(
      (name) => JSON.parse(readFileSync(join(home.data, "repos/shop", name, "branch-meta.json"), "utf8")).branch,
    );
    expect(stored.sort()).toEqual([...alike, "main"].sort());
    const refs = filesBelow(join(home.data, "repos/shop/original-clone/refs/adk"));
    expect(new Set(refs.map((path) => path.toLowerCase())).size).toBe(alike.length + 1);

    repo.branch(cafeApart, "main");
    expect((await home.run(["repo", "branch", "add", "shop", "--branch", cafeApart])).code).not.toBe(0);
    const second = await home.json(["repo", "update", "shop", "--branch", cafeApart]);
    expect(second.code).toBe(1);
    expect(JSON.stringify(second.body)).toContain(`belongs to branch ${cafe}`);
    for (const name of ["..", ".git", "a b", "--all"]) {
      const refused = await home.run(["repo", "branch", "add", "shop", `--branch=${name}`]);
      expect([refused.code, name]).not.toEqual([0, name]);
    }
    const later = readdirSync(join(home.data, "repos/shop")).filter((name) => !folders.includes(name));
    for (const name of later.filter((each) => each.startsWith("branch-")))
      expect(existsSync(join(home.data, "repos/shop", name, "code-index")), name).toBe(false);
    expect(readdirSync(join(home.data, "repos"))).toEqual(["shop"]);
  });

  it("that look like options are prepared as names, and nothing is run", async () => {
    const mark = join(home.data, "ran");
    const names = ["-f", `--upload-pack=touch \${IFS}${mark};`.replaceAll(" ", ""), "--no-index"];
    for (const name of names) {
      repo.commit({
        branch: name,
        from: "main",
        message: `Change of ${name}`,
        files: { "a.ts": `export const a = "${name.length}";\n` },
      });
      const task = await prepareLocal(home, { repo, head: name, base: "main" });
      expect(Object.keys(task.files)).toEqual(["a.ts"]);
      expect(readFileSync(join(task.folder, "code/a.ts"), "utf8")).toContain(`"${name.length}"`);
    }
    expect(existsSync(mark)).toBe(false);
  });

  it("may follow one another as file and folder of the same ref", async () => {
    repo.branch("release", "main");
    repo.commit({ branch: "one", from: "release", message: "One", files: { "one.ts": "1\n" } });
    expect(Object.keys((await prepareLocal(home, { repo, head: "one", base: "release" })).files)).toEqual(["one.ts"]);
    repo.deleteBranch("release");
    repo.deleteBranch("one");
    repo.branch("release/2", "main");
    repo.commit({ branch: "one/two", from: "release/2", message: "Two", files: { "deep/two.ts": "2\n" } });
    const task = await prepareLocal(home, { repo, head: "one/two", base: "release/2" });
    expect(Object.keys(task.files)).toEqual(["deep/two.ts"]);
    // No sparse or half checkout: what changed is there.
    for (const path of Object.keys(task.files)) expect(existsSync(join(task.folder, "code", path)), path).toBe(true);
  });
});

describe("two repositories of one name", () => {
  it("keep their PRs of one number in folders of their own, and cleaning one leaves the other alone", async () => {
    const ours = freshRow(1, { owner: "acme", repo: "foo", pr_url: "https://github.com/acme/foo/pull/1" });
    const theirs = freshRow(1, {
      owner: "evil",
      repo: "foo",
      pr_url: "https://github.com/evil/foo/pull/1",
      status: "merged",
    });
    home.write([ours, theirs]);
    const folders = [ours, theirs].map((row) => join(home.data, "skill-pr-review", taskName(row)));
    for (const folder of folders) {
      mkdirSync(join(folder, "code"), { recursive: true });
      writeFileSync(join(folder, "code/notes"), "x");
    }
    expect((await home.run(["pr-queue", "clean", "-y"])).code).toBe(0);
    expect(folders.map((folder) => existsSync(join(folder, "code/notes")))).toEqual([true, false]);

    const others = ["a/foo", "b/foo"].map((path) => {
      const other = new RepoBuilder(join(home.data, "work", path));
      other.commit({ message: path, files: { "f.ts": "1\n" } });
      other.commit({ branch: "x", from: "main", message: path, files: { [`of-${path.slice(0, 1)}.ts`]: "1\n" } });
      return other;
    });
    const tasks = [];
    for (const other of others) tasks.push(await prepareLocal(home, { repo: other, head: "x" }));
    expect(tasks.map(({ files }) => Object.keys(files))).toEqual([["of-a.ts"], ["of-b.ts"]]);
    expect(new Set(tasks.map(({ folder }) => folder)).size).toBe(2);
  });
});
