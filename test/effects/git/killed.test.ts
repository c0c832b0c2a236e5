import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import { describe, expect, it } from "vitest";
import { Git } from "../../../effects/git/Git.ts";
import { currentIdentity, startTimeOf } from "../../../effects/proc/ProcessIdentity.ts";
import { RepoBuilder } from "../../../fixtures/repos/RepoBuilder.ts";
import { fetched, plainGit, run, runError, temporaryFolder } from "./support.ts";

const files = Object.fromEntries(
  Array.from({ length: 1500 }, (_, n) => [`src/d${n % 30}/f${n}.ts`, `export const n = ${n};\n`]),
);

/** Resolves when `path` exists. */
const appears = (path: string): Promise<void> => {
  const parts = path.split("/");
  return new Promise((done) => {
    const look = (): void => {
      if (existsSync(path)) {
        done();
        return;
      }
      let deepest = parts.length - 1;
      while (!existsSync(parts.slice(0, deepest).join("/"))) deepest -= 1;
      const watcher = watch(parts.slice(0, deepest).join("/") || "/", () => {
        watcher.close();
        look();
      });
      if (existsSync(parts.slice(0, deepest + 1).join("/"))) {
        watcher.close();
        setImmediate(look);
      }
    };
    look();
  });
};

describe("a killed run", () => {
  it("leaves a half-made worktree that the next one finds, removes and makes again", async () => {
    const dir = temporaryFolder();
    const repo = new RepoBuilder(join(dir, "source"));
    const sha = repo.commit({ message: "Many", files });
    const clone = await fetched(dir, repo);
    const path = join(dir, "tasks/a/code");
    mkdirSync(join(dir, "tasks/a"), { recursive: true });
    const child = spawn("git", ["--git-dir", clone, "worktree", "add", "--quiet", "--detach", path, sha], {
      detached: true,
      stdio: "ignore",
    });
    const ended = new Promise((done) => child.on("exit", done));
    await appears(join(path, "src"));
    process.kill(-(child.pid ?? 0), "SIGKILL");
    await ended;
    const keep = join(dir, "tasks/b/code");
    const outside = join(dir, "elsewhere/code");
    const removed = await run(
      dir,
      Effect.gen(function* () {
        const git = yield* Git;
        yield* git.addWorktree({ clone, path: keep, sha });
        yield* git.addWorktree({ clone, path: outside, sha });
        rmSync(join(clone, "worktrees/code2/adk-complete"), { force: true });
        const gone = yield* git.removeIncompleteWorktrees({ clone, under: join(dir, "tasks") });
        yield* git.addWorktree({ clone, path, sha });
        return gone;
      }),
    );
    expect(removed).toEqual([path]);
    expect(readdirSync(join(path, "src"))).toHaveLength(30);
    expect(existsSync(keep)).toBe(true);
    expect(existsSync(outside)).toBe(true);
    expect(plainGit(path, ["status", "--porcelain"])).toBe("");
  });

  it("that was interrupted ends its git and leaves no complete worktree", async () => {
    const dir = temporaryFolder();
    const repo = new RepoBuilder(join(dir, "source"));
    const sha = repo.commit({ message: "Many", files });
    const clone = await fetched(dir, repo);
    const path = join(dir, "tasks/a/code");
    const removed = await run(
      dir,
      Effect.gen(function* () {
        const git = yield* Git;
        const fiber = yield* Effect.fork(git.addWorktree({ clone, path, sha }));
        yield* Effect.promise(() => appears(join(path, "src")));
        yield* Fiber.interrupt(fiber);
        expect(existsSync(join(clone, "adk-child"))).toBe(false);
        return yield* git.removeIncompleteWorktrees({ clone, under: dir });
      }),
    );
    expect(removed).toEqual([path]);
    expect(existsSync(path)).toBe(false);
  });

  it("may leave a git that goes on; it is ended before anything else is done in the clone", async () => {
    const dir = temporaryFolder();
    const repo = new RepoBuilder(join(dir, "source"));
    const sha = repo.commit({ message: "One", files: { a: "1\n" } });
    const clone = await fetched(dir, repo);
    const orphan = spawn("git", ["--git-dir", clone, "cat-file", "--batch"], {
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
    });
    const ended = new Promise((done) => orphan.on("exit", (_, signal) => done(signal)));
    const pid = orphan.pid ?? 0;
    writeFileSync(join(clone, "adk-child"), JSON.stringify({ ...currentIdentity(), pid, start: startTimeOf(pid) }));
    await run(
      dir,
      Effect.flatMap(Git, (git) => git.addWorktree({ clone, path: join(dir, "code"), sha })),
    );
    expect(await ended).toBe("SIGKILL");
    expect(readFileSync(join(dir, "code/a"), "utf8")).toBe("1\n");
  });

  it("may leave a lock file of git, which goes only when its writer is dead", async () => {
    const dir = temporaryFolder();
    const repo = new RepoBuilder(join(dir, "source"));
    repo.commit({ message: "One", files: { a: "1\n" } });
    const clone = await fetched(dir, repo);
    const sha = repo.commit({ message: "Two", files: { a: "2\n" } });
    const lock = join(clone, "refs/adk/heads/0.lock");
    const fetch = Effect.flatMap(Git, (git) =>
      git.fetchRefs({
        clone,
        url: repo.dir,
        allowFile: repo.dir,
        refs: [{ remote: "refs/heads/main", local: "refs/adk/heads/0" }],
      }),
    );
    writeFileSync(lock, "");
    writeFileSync(join(clone, "adk-child"), "unreadable");
    expect(await runError(dir, fetch)).toMatchObject({ _tag: "GitFailed" });
    expect(existsSync(lock)).toBe(true);
    writeFileSync(join(clone, "adk-child"), JSON.stringify({ ...currentIdentity(), start: "another start" }));
    expect((await run(dir, fetch)).fetched[0]?.sha).toBe(sha);
    expect(existsSync(lock)).toBe(false);
    expect(readFileSync(join(clone, "refs/adk/heads/0"), "utf8").trim()).toBe(sha);
  });
});
