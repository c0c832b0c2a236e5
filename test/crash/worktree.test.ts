import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Git } from "../../effects/git/Git.ts";
import { RepoBuilder } from "../../fixtures/repos/RepoBuilder.ts";
import { fetched, plainGit, run, temporaryFolder } from "../effects/git/support.ts";
import { bundleProgram, start } from "./storeHarness.ts";

const processes = 8;
const each = process.env.ADK_TEST_LONG === "1" ? 15 : 2;
const count = processes * each;
let program: Awaited<ReturnType<typeof bundleProgram>>;
beforeAll(async () => {
  program = await bundleProgram("worktreeWriter.ts");
});
afterAll(() => program.remove());

describe(`${processes} processes that make ${each} worktrees each of one clone`, () => {
  const prepare = async () => {
    const dir = temporaryFolder();
    const repo = new RepoBuilder(join(dir, "source"));
    const files = Object.fromEntries(
      Array.from({ length: 60 }, (_, n) => [`src/file${n}.ts`, `export const n = ${n};\n`]),
    );
    const sha = repo.commit({ message: "All", files });
    const clone = await fetched(dir, repo);
    const tasks = join(dir, "data", "tasks");
    mkdirSync(tasks, { recursive: true });
    const launch = (name: number, turns = each) =>
      start(program.path, [join(dir, "data"), clone, sha, tasks, String(name), String(turns)]);
    const made = () => readdirSync(tasks).map((task) => join(tasks, task, "code"));
    return { dir, clone, tasks, launch, made };
  };

  it("have no failure among them, and every worktree is whole", { timeout: 900_000 }, async () => {
    const { clone, launch, made } = await prepare();
    const runs = Array.from({ length: processes }, (_, index) => launch(index + 1));
    for (const { code, stderr } of await Promise.all(runs.map(({ ended }) => ended)))
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(made()).toHaveLength(count);
    for (const path of made()) expect(readdirSync(join(path, "src"))).toHaveLength(60);
    const admin = readdirSync(join(clone, "worktrees"));
    expect(admin).toHaveLength(count);
    expect(admin.filter((name) => !existsSync(join(clone, "worktrees", name, "adk-complete")))).toEqual([]);
    expect(plainGit(clone, ["--git-dir=.", "worktree", "list", "--porcelain"]).match(/^prunable/gm)).toBeNull();
  });

  it("go on when one of them is killed, and what it left is made whole by the next", { timeout: 900_000 }, async () => {
    const { dir, clone, tasks, launch, made } = await prepare();
    const victim = launch(1, 50);
    const others = [launch(2), launch(3)];
    while (made().filter((path) => path.includes("/1-")).length < 2) {
      if (victim.child.exitCode !== null) throw new Error((await victim.ended).stderr);
      await new Promise((done) => setImmediate(done));
    }
    victim.child.kill("SIGKILL");
    expect((await victim.ended).signal).toBe("SIGKILL");
    for (const { code, stderr } of await Promise.all(others.map(({ ended }) => ended)))
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    await run(
      dir,
      Effect.flatMap(Git, (git) => git.removeIncompleteWorktrees({ clone, under: tasks })),
    );
    expect(await launch(1, 4).ended).toMatchObject({ code: 0, stderr: "" });
    for (const task of ["1-1", "1-2", "1-3", "1-4", "2-1", "2-2", "3-1", "3-2"])
      expect(readdirSync(join(tasks, task, "code", "src"))).toHaveLength(60);
    const locks = readdirSync(clone, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".lock"));
    expect(locks).toEqual([]);
  });
});
