import { join } from "node:path";
import * as Effect from "effect/Effect";
import { describe, expect, it } from "vitest";
import { Git } from "../../../effects/git/Git.ts";
import { RepoBuilder } from "../../../fixtures/repos/RepoBuilder.ts";
import { fetched, run, temporaryFolder } from "./support.ts";

describe("the blob reader", () => {
  it("answers thousands of reads in any order through one git, with the right content each", async () => {
    const dir = temporaryFolder();
    const repo = new RepoBuilder(join(dir, "source"));
    const count = 3000;
    const text = (n: number): string => `file ${n}\n`.repeat(1 + (n % 50));
    const sha = repo.commit({
      message: "Many",
      files: Object.fromEntries(Array.from({ length: count }, (_, n) => [`d${n % 20}/f${n}`, text(n)])),
    });
    const clone = await fetched(dir, repo);
    const wrong = await run(
      dir,
      Effect.scoped(
        Effect.gen(function* () {
          const git = yield* Git;
          const reader = yield* git.blobs({ clone });
          const entries = yield* git.listTree({ clone, sha });
          expect(entries).toHaveLength(count);
          const bad = yield* Effect.forEach(
            [...entries].reverse(),
            ({ path, oid, size }) =>
              Effect.map(reader.read(oid), (blob) => {
                const n = Number(path.split("/f")[1]);
                return blob.type === "blob" && blob.size === size && blob.content.toString() === text(n) ? [] : [path];
              }),
            { concurrency: "unbounded" },
          );
          return bad.flat();
        }),
      ),
    );
    expect(wrong).toEqual([]);
  });

  it("tells missing, too large, empty and foreign objects apart and goes on", async () => {
    const dir = temporaryFolder();
    const repo = new RepoBuilder(join(dir, "source"));
    const sha = repo.commit({ message: "All", files: { empty: "", large: Buffer.alloc(300_000, 0x61), small: "s\n" } });
    const clone = await fetched(dir, repo);
    const oid = (path: string): string => repo.git(["rev-parse", `${sha}:${path}`]);
    const lost = "5".repeat(40);
    const answers = await run(
      dir,
      Effect.scoped(
        Effect.gen(function* () {
          const git = yield* Git;
          const { read } = yield* git.blobs({ clone, maxBytes: 1000 });
          const all = [lost, oid("large"), oid("empty"), "0".repeat(40), `${lost}\n${oid("small")}`, oid("small")];
          const contents = yield* Effect.forEach(all, read, { concurrency: "unbounded" });
          const tree = yield* Effect.flip(read(sha));
          return { contents, tree, after: yield* read(oid("small")) };
        }),
      ),
    );
    expect(answers.contents.map(({ type }) => type)).toEqual([
      "missing",
      "tooLarge",
      "blob",
      "missing",
      "missing",
      "blob",
    ]);
    expect(answers.contents[1]).toMatchObject({ size: 300_000 });
    expect(answers.contents[2]).toMatchObject({ size: 0, content: Buffer.alloc(0) });
    expect(answers.tree).toMatchObject({
      _tag: "GitFailed",
      message: expect.stringContaining("is a commit, not a blob"),
    });
    expect(answers.after).toMatchObject({ type: "blob", content: Buffer.from("s\n") });
  });

  it("fails by name when there is no repository, and does not hang", async () => {
    const dir = temporaryFolder();
    const error = await run(
      dir,
      Effect.scoped(
        Effect.gen(function* () {
          const git = yield* Git;
          const { read } = yield* git.blobs({ clone: dir });
          return yield* Effect.flip(read("6".repeat(40)));
        }),
      ),
    );
    expect(error).toMatchObject({ _tag: "GitFailed", message: expect.stringContaining("not a git repository") });
  });
});
