import { mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { describe, expect, it } from "vitest";
import type { LocalRequest } from "../../../effects/local/resolveLocal.ts";
import { RepoBuilder } from "../../../fixtures/repos/RepoBuilder.ts";
import { localOwner } from "../../../src/names.ts";
import { onPlatforms, temporaryFolder } from "./support.ts";

const resolve = (dir: string, request: LocalRequest) => onPlatforms(dir, (service) => service.resolveLocal(request));
const failure = (dir: string, request: LocalRequest) =>
  onPlatforms(dir, (service) => Effect.flip(service.resolveLocal(request)));

/** A checkout with main and feature, feature checked out and one commit ahead. */
const shop = (dir: string, name = "shop", defaultBranch = "main") => {
  const repo = new RepoBuilder(join(dir, name), { defaultBranch });
  const first = repo.commit({ message: "First", files: { "src/deep/a.ts": "export const a = 1;\n" } });
  const head = repo.commit({
    branch: "feature",
    from: first,
    message: "Round prices\n\nLong text.",
    files: { "src/deep/b.ts": "export const b = 1;\n" },
  });
  repo.checkout("feature");
  return { repo, first, head };
};

describe("a local change request", () => {
  it("is the checked-out branch against the default branch, from any folder inside", async () => {
    const dir = temporaryFolder();
    const { repo, first, head } = shop(dir);
    const found = await resolve(dir, { path: join(repo.dir, "src/deep") });
    expect(found).toEqual({
      platform: "local",
      host: "local",
      owner: localOwner(repo.dir),
      repo: "shop",
      realPath: repo.dir,
      head_ref: "feature",
      head_sha: head,
      target_branch: "main",
      base_sha: first,
      merge_base: first,
      title: "Round prices",
      author: "Ada Example",
    });
  });

  it("takes named branches instead", async () => {
    const dir = temporaryFolder();
    const { repo, head } = shop(dir);
    const next = repo.commit({ branch: "stacked", from: "feature", message: "Stacked", files: { "c.ts": "c\n" } });
    expect(await resolve(dir, { path: repo.dir, head: "stacked", base: "feature" })).toMatchObject({
      head_sha: next,
      target_branch: "feature",
      merge_base: head,
      title: "Stacked",
    });
  });

  it("falls back to the only other branch", async () => {
    const dir = temporaryFolder();
    const { repo } = shop(dir, "shop", "trunk");
    expect(await resolve(dir, { path: repo.dir })).toMatchObject({ head_ref: "feature", target_branch: "trunk" });
  });

  it("follows origin's default branch", async () => {
    const dir = temporaryFolder();
    const { repo, first } = shop(dir, "shop", "main");
    repo.branch("develop", first);
    repo.ref("refs/remotes/origin/develop", first);
    repo.git(["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/develop"]);
    expect(await resolve(dir, { path: repo.dir })).toMatchObject({ target_branch: "develop" });
  });

  it("is one repository from the main work tree, a second work tree and a link; a bare one is its own folder", async () => {
    const dir = temporaryFolder();
    const { repo } = shop(dir);
    const other = join(dir, "elsewhere", "tree");
    repo.git(["worktree", "add", "--quiet", other, "-b", "second", "feature"]);
    const [main, tree] = [await resolve(dir, { path: repo.dir }), await resolve(dir, { path: other })];
    expect(tree).toMatchObject({ owner: main.owner, repo: "shop", realPath: repo.dir, head_ref: "second" });
    const bare = new RepoBuilder(join(dir, "depot.git"), { bare: true });
    bare.commit({ message: "First", files: { a: "1\n" } });
    bare.commit({ branch: "x", from: "main", message: "X", files: { a: "2\n" } });
    expect(await resolve(dir, { path: bare.dir, head: "x" })).toMatchObject({ repo: "depot", realPath: bare.dir });
  });

  it("of two folders of one name are two owners", async () => {
    const dir = temporaryFolder();
    const [one, two] = [shop(dir, "one/shop"), shop(dir, "two/shop")];
    const found = [await resolve(dir, { path: one.repo.dir }), await resolve(dir, { path: two.repo.dir })];
    expect(found.map((change) => change.repo)).toEqual(["shop", "shop"]);
    expect(new Set(found.map((change) => change.owner)).size).toBe(2);
  });

  it("gets a plain name from an odd folder", async () => {
    const dir = temporaryFolder();
    const { repo } = shop(dir, "my shop #1 é");
    expect((await resolve(dir, { path: repo.dir })).repo).toBe("my-shop-1");
  });

  it("has the newest own subject as title, not the merge of the base into it", async () => {
    const dir = temporaryFolder();
    const { repo } = shop(dir);
    repo.commit({ message: "Newer on main", files: { "d.ts": "d\n" } });
    repo.merge({ branch: "feature", other: "main", message: "Merge branch 'main' into feature" });
    expect((await resolve(dir, { path: repo.dir })).title).toBe("Round prices");
  });

  it("takes branch names as git does: option-like, with slashes, not ASCII", async () => {
    const dir = temporaryFolder();
    const { repo, first } = shop(dir);
    for (const name of ["fix/größe", "--upload-pack=touch", "Feature"])
      repo.ref(`refs/heads/${name}`, repo.sha("feature"));
    for (const head of ["fix/größe", "--upload-pack=touch", "Feature"])
      expect(await resolve(dir, { path: repo.dir, head })).toMatchObject({ head_ref: head, merge_base: first });
  });
});

describe("no local change request", () => {
  it("outside a repository, at a missing path, without a commit", async () => {
    const dir = temporaryFolder();
    mkdirSync(join(dir, "plain"));
    const empty = new RepoBuilder(join(dir, "empty"));
    for (const path of [join(dir, "plain"), join(dir, "missing"), empty.dir]) {
      const error = await failure(dir, { path });
      expect(error._tag).toBe("NotARepository");
      expect(error.message).toContain(path);
      expect(error.hint).not.toBe("");
    }
  });

  it("when head and base are one branch", async () => {
    const dir = temporaryFolder();
    const { repo } = shop(dir);
    repo.checkout("main");
    for (const request of [{}, { base: "main" }, { head: "feature", base: "feature" }])
      expect(await failure(dir, { path: repo.dir, ...request })).toMatchObject({
        _tag: "LocalSameBranch",
        exitCode: 2,
      });
  });

  it("when a branch is missing; the message lists those that are there", async () => {
    const dir = temporaryFolder();
    const { repo } = shop(dir);
    expect(await failure(dir, { path: repo.dir, head: "feture" })).toMatchObject({
      _tag: "LocalBranchMissing",
      branch: "feture",
      message: expect.stringMatching(/feature, main/),
    });
    expect(await failure(dir, { path: repo.dir, base: "refs/heads/main" })).toMatchObject({
      _tag: "LocalBranchMissing",
    });
  });

  it("when nothing is checked out, or no base stands out", async () => {
    const dir = temporaryFolder();
    const { repo, first } = shop(dir, "shop", "trunk");
    repo.branch("third", first);
    expect(await failure(dir, { path: repo.dir })).toMatchObject({ _tag: "LocalBranchUnclear", side: "base" });
    repo.git(["checkout", "--quiet", "--detach"]);
    expect(await failure(dir, { path: repo.dir })).toMatchObject({ _tag: "LocalBranchUnclear", side: "head" });
  });

  it("when the branch has no own commit", async () => {
    const dir = temporaryFolder();
    const { repo, first } = shop(dir);
    repo.branch("idle", first);
    expect(await failure(dir, { path: repo.dir, head: "idle" })).toMatchObject({
      _tag: "LocalNothingToReview",
      message: "idle has no commit that main does not have: nothing to review",
    });
  });

  it("when head and base share no history", async () => {
    const dir = temporaryFolder();
    const { repo } = shop(dir);
    repo.commit({ branch: "island", message: "Island", files: { z: "z\n" } });
    expect(await failure(dir, { path: repo.dir, head: "island" })).toMatchObject({ _tag: "LocalUnrelated" });
  });
});

describe("a local change request as its repository shows it", () => {
  const row = (repo: RepoBuilder, over: Record<string, unknown> = {}) => ({
    platform: "local" as const,
    host: "local",
    owner: localOwner(repo.dir),
    repo: "shop",
    pr_number: 1,
    pr_url: "local:shop#1",
    local_path: repo.dir,
    head_ref: "feature",
    target_branch: "main",
    ...over,
  });
  const look = (dir: string, repo: RepoBuilder, over: Record<string, unknown> = {}) =>
    onPlatforms(dir, (service) => service.metadata(row(repo, over)));
  const lookFailure = (dir: string, repo: RepoBuilder, over: Record<string, unknown> = {}) =>
    onPlatforms(dir, (service) => Effect.flip(service.metadata(row(repo, over))));

  it("is open with git's own counts, and fetched by full ref from its path", async () => {
    const dir = temporaryFolder();
    const { repo, first, head } = shop(dir);
    expect(await look(dir, repo)).toMatchObject({
      node_id: null,
      title: "Round prices",
      head_sha: head,
      base_sha: first,
      additions: 1,
      deletions: 0,
      changed_files: 1,
      disposition: "open",
      state: "OPEN",
      clone_url: repo.dir,
      pull_ref: "refs/heads/feature",
    });
  });

  it("moves with a new commit on the head", async () => {
    const dir = temporaryFolder();
    const { repo } = shop(dir);
    const next = repo.commit({ branch: "feature", message: "More", files: { "e.ts": "1\n2\n" } });
    expect(await look(dir, repo)).toMatchObject({
      head_sha: next,
      title: "More",
      author: "Ada Example",
      additions: 3,
      changed_files: 2,
    });
  });

  it("counts from the merge base, not from a base that went on", async () => {
    const dir = temporaryFolder();
    const { repo } = shop(dir);
    const main = repo.commit({ message: "On main", files: { "f.ts": "1\n2\n3\n" } });
    expect(await look(dir, repo)).toMatchObject({ base_sha: main, additions: 1, deletions: 0, changed_files: 1 });
  });

  it("is merged once the head is an ancestor of the base", async () => {
    const dir = temporaryFolder();
    const { repo, head } = shop(dir);
    repo.merge({ other: "feature" });
    expect(await look(dir, repo)).toMatchObject({ disposition: "merged", state: "MERGED", head_sha: head });
  });

  it("is merged, not closed, when the branch was deleted after its merge", async () => {
    const dir = temporaryFolder();
    const { repo, head } = shop(dir);
    repo.merge({ other: "feature" });
    repo.checkout("main");
    repo.deleteBranch("feature");
    expect(await look(dir, repo, { head_sha: head })).toMatchObject({ disposition: "merged" });
  });

  it("is closed when the branch is gone, also when its commits are", async () => {
    const dir = temporaryFolder();
    const { repo, head } = shop(dir);
    repo.checkout("main");
    repo.deleteBranch("feature");
    expect(await look(dir, repo, { head_sha: head })).toMatchObject({ disposition: "closed", title: "Round prices" });
    expect(await look(dir, repo, { head_sha: "9".repeat(40) })).toMatchObject({ disposition: "closed" });
  });

  it("is open again when the branch is back", async () => {
    const dir = temporaryFolder();
    const { repo, head } = shop(dir);
    repo.checkout("main");
    repo.deleteBranch("feature");
    repo.branch("feature", head);
    expect(await look(dir, repo, { head_sha: head })).toMatchObject({ disposition: "open" });
  });

  it("is never closed because its repository or its base is gone", async () => {
    const dir = temporaryFolder();
    const { repo } = shop(dir);
    repo.deleteBranch("main");
    expect(await lookFailure(dir, repo)).toMatchObject({
      _tag: "NotFoundOnHost",
      message: expect.stringMatching(/main/),
    });
    renameSync(repo.dir, join(dir, "moved"));
    expect(await lookFailure(dir, repo)).toMatchObject({ _tag: "RepositoryUnreadable", path: repo.dir });
  });

  it("needs what only its row knows", async () => {
    const dir = temporaryFolder();
    const { repo } = shop(dir);
    for (const over of [{ local_path: undefined }, { head_ref: null }, { target_branch: null }])
      expect(await lookFailure(dir, repo, over)).toMatchObject({ _tag: "NotFoundOnHost" });
  });
});
