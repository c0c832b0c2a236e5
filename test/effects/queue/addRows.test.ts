import { rmSync } from "node:fs";
import { join } from "node:path";
import { it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { describe, expect } from "vitest";
import { Git } from "../../../effects/git/Git.ts";
import { Home } from "../../../effects/home/Home.ts";
import { PullRequests, layer as pullRequests } from "../../../effects/platform/PullRequests.ts";
import { addLocal, addPr } from "../../../effects/queue/addRows.ts";
import { cleanRows } from "../../../effects/queue/cleanRows.ts";
import { updateRows } from "../../../effects/queue/updateRows.ts";
import { Repos } from "../../../effects/repos/Repos.ts";
import { RepoBuilder } from "../../../fixtures/repos/RepoBuilder.ts";
import { identityKey, localOwner } from "../../../src/names.ts";
import { liveLimits } from "../../support/liveLimits.ts";
import { fakeHosts, metaOf, put, type QueueHome, queueHome, rowsNow } from "./support/queueHome.ts";
import { freshRow } from "./support/rows.ts";

const hostKnows = (...rows: ReadonlyArray<ReturnType<typeof freshRow>>) =>
  fakeHosts(Object.fromEntries(rows.map((row) => [identityKey(row), metaOf(row)])));

describe("addPr", () => {
  it.effect("adds a row with its metadata, as pending", () => {
    const hosts = hostKnows(freshRow(1));
    return Effect.gen(function* () {
      expect(yield* addPr(freshRow(1))).toEqual({
        kind: "added",
        pr_url: "https://github.com/acme/shop/pull/1",
        status: "pending",
      });
      const row = (yield* rowsNow).get(1);
      expect(row).toMatchObject({
        title: "Change 1",
        target_branch: "main",
        prep_status: "pending",
        added_at: "1970-01-01T00:00:00Z",
      });
    }).pipe(Effect.provide(queueHome(hosts.service)));
  });

  it.effect("names one that is there, in another case too, and asks no host", () => {
    const hosts = hostKnows(freshRow(1));
    return Effect.gen(function* () {
      yield* put([freshRow(1)]);
      const again = yield* addPr({ ...freshRow(1), owner: "ACME", repo: "Shop" });
      expect(again).toMatchObject({ kind: "existing", pr_url: "https://github.com/acme/shop/pull/1" });
      expect(hosts.asked).toEqual([]);
      expect((yield* rowsNow).size).toBe(1);
    }).pipe(Effect.provide(queueHome(hosts.service)));
  });

  it.effect("knows a PR of a renamed repository by the host's lasting id", () => {
    const renamed = { ...freshRow(1), repo: "store" };
    return Effect.gen(function* () {
      yield* put([freshRow(1)]);
      expect(yield* addPr(renamed)).toMatchObject({ kind: "existing", pr_url: "https://github.com/acme/shop/pull/1" });
      expect((yield* rowsNow).size).toBe(1);
    }).pipe(Effect.provide(queueHome(hostKnows(renamed).service)));
  });

  it.effect("adds a merged PR as merged, with nothing to prepare", () => {
    const hosts = fakeHosts({
      [identityKey(freshRow(1))]: metaOf(freshRow(1), { disposition: "merged", state: "closed" }),
    });
    return Effect.gen(function* () {
      expect(yield* addPr(freshRow(1))).toMatchObject({ kind: "added", status: "merged" });
      expect((yield* rowsNow).get(1)).toMatchObject({ status: "merged", prep_status: "skipped" });
    }).pipe(Effect.provide(queueHome(hosts.service)));
  });

  it.effect("adds nothing when the host does not know it", () =>
    Effect.gen(function* () {
      expect(yield* addPr(freshRow(1))).toMatchObject({ kind: "failed", failure: { _tag: "NotFoundOnHost" } });
      expect((yield* rowsNow).size).toBe(0);
    }).pipe(Effect.provide(queueHome())),
  );

  it.effect("adds one row when the same PR is added eight times at once", () =>
    Effect.gen(function* () {
      const all = yield* Effect.all(
        Array.from({ length: 8 }, () => addPr(freshRow(1))),
        { concurrency: "unbounded" },
      );
      expect(all.filter((each) => each.kind === "added")).toHaveLength(1);
      expect((yield* rowsNow).size).toBe(1);
    }).pipe(Effect.provide(queueHome(hostKnows(freshRow(1)).service))),
  );
});

/** A local repository `shop` with a base and branches a and b ahead of it. */
const makeShop = (parent: string) =>
  Effect.map(Home, ({ data }) => {
    const repo = new RepoBuilder(join(data, parent, "shop"));
    repo.commit({ message: "Start", files: { "a.txt": "1\n" } });
    repo.commit({ message: "Add a", branch: "a", from: "main", files: { "a.txt": "2\n" } });
    repo.commit({ message: "Add b", branch: "b", from: "main", files: { "b.txt": "1\n" } });
    repo.checkout("a");
    return repo;
  });

/** Runs over real local repositories; `read` counts how often one repository's branches were read. */
const local = (name: string, body: (read: { count: number }) => Effect.Effect<unknown, unknown, QueueHome>) =>
  it.effect(name, () => {
    const read = { count: 0 };
    const counting = Layer.effect(
      Git,
      Effect.map(Git, (git) => ({
        ...git,
        localBranches: (path: string) => {
          read.count += 1;
          return git.localBranches(path);
        },
      })),
    );
    const real = Layer.provide(pullRequests({ env: {}, githubHosts: [] }), liveLimits());
    return body(read).pipe(Effect.provide(Layer.provideMerge(Layer.provideMerge(real, counting), queueHome())));
  });

describe("addLocal", () => {
  local("adds head branch against base branch with metadata and a number of its own", () =>
    Effect.gen(function* () {
      const repo = yield* makeShop("work");
      expect(yield* addLocal({ path: repo.dir })).toEqual({ kind: "added", pr_url: "local:shop#1", status: "pending" });
      expect(yield* addLocal({ path: repo.dir, head: "b" })).toMatchObject({ kind: "added", pr_url: "local:shop#2" });
      expect((yield* rowsNow).get(1)).toMatchObject({
        platform: "local",
        host: "local",
        owner: localOwner(repo.dir),
        local_path: repo.dir,
        head_ref: "a",
        head_sha: repo.sha("a"),
        target_branch: "main",
        title: "Add a",
        changed_files: 1,
      });
    }),
  );

  local("knows the same head and base again and gives no second number", () =>
    Effect.gen(function* () {
      const repo = yield* makeShop("work");
      yield* addLocal({ path: repo.dir });
      expect(yield* addLocal({ path: repo.dir, head: "a", base: "main" })).toMatchObject({
        kind: "existing",
        pr_url: "local:shop#1",
      });
      expect((yield* rowsNow).size).toBe(1);
    }),
  );

  local("keeps numbers apart for two repositories of one folder name", () =>
    Effect.gen(function* () {
      const [one, two] = [yield* makeShop("one"), yield* makeShop("two")];
      const added = yield* Effect.all([addLocal({ path: one.dir }), addLocal({ path: two.dir })], { concurrency: 2 });
      expect(added.map((each) => each.kind === "added" && each.pr_url).sort()).toEqual([
        "local:shop#1",
        "local:shop#2",
      ]);
    }),
  );

  local("never gives a number twice, after the row is gone either", () =>
    Effect.gen(function* () {
      const repo = yield* makeShop("work");
      const repos = yield* Repos;
      const owner = localOwner(repo.dir);
      yield* repos.register({
        platform: "local",
        host: "local",
        owner,
        repo: "shop",
        url: repo.dir,
        default_branch: "main",
      });
      yield* addLocal({ path: repo.dir });
      yield* cleanRows({ mode: "all", dryRun: false });
      expect((yield* rowsNow).size).toBe(0);
      expect(yield* addLocal({ path: repo.dir })).toMatchObject({ pr_url: "local:shop#2" });
    }),
  );

  local("says what is wrong with a folder that is no repository, or a branch that is missing", () =>
    Effect.gen(function* () {
      const repo = yield* makeShop("work");
      const { data } = yield* Home;
      expect(yield* addLocal({ path: data })).toMatchObject({ kind: "failed", failure: { _tag: "NotARepository" } });
      expect(yield* addLocal({ path: repo.dir, head: "nope" })).toMatchObject({
        kind: "failed",
        failure: { _tag: "LocalBranchMissing" },
      });
    }),
  );
});

describe("updateRows on local changes", () => {
  local("reads a repository's branches once for all its rows, and asks no more where nothing moved", (read) =>
    Effect.gen(function* () {
      const repo = yield* makeShop("work");
      yield* addLocal({ path: repo.dir, head: "a" });
      yield* addLocal({ path: repo.dir, head: "b" });
      read.count = 0;
      const pulls = yield* PullRequests;
      const report = yield* updateRows({ keys: "all" }).pipe(
        Effect.provideService(PullRequests, { ...pulls, metadata: () => Effect.die("nothing moved") }),
      );
      expect(report).toMatchObject({ checked: 2, unchanged: 2, failed: [] });
      expect(read.count).toBe(1);
    }),
  );

  local("sees a new commit as moved, a merge as merged, a deleted branch as closed, a lost repository as failed", () =>
    Effect.gen(function* () {
      const repo = yield* makeShop("work");
      yield* addLocal({ path: repo.dir, head: "a" });
      yield* addLocal({ path: repo.dir, head: "b" });
      repo.commit({ message: "More of a", branch: "a", files: { "a.txt": "3\n" } });
      expect(yield* updateRows({ keys: "all" })).toMatchObject({ checked: 2, moved: 1, unchanged: 1 });
      expect((yield* rowsNow).get(1)).toMatchObject({ head_sha: repo.sha("a"), title: "More of a" });
      repo.merge({ other: "a", files: { "a.txt": "3\n" } });
      repo.checkout("main");
      repo.deleteBranch("b");
      expect(yield* updateRows({ keys: "all" })).toMatchObject({ checked: 2, merged: 1, closed: 1 });
      const [first] = (yield* rowsNow).values();
      rmSync(repo.dir, { recursive: true });
      const lost = yield* updateRows({ keys: [first === undefined ? "" : identityKey(first)] });
      expect(lost.failed).toHaveLength(1);
      expect((yield* rowsNow).get(1)?.status).toBe("merged");
    }),
  );
});
