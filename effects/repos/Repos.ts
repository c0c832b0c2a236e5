import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Either from "effect/Either";
import * as Layer from "effect/Layer";
import { type PrIdentity, repoFolderName, repoFolderSuffix, repoKey } from "../../src/names.ts";
import type { BranchMeta, RepoMeta } from "../../src/repo/repoMeta.ts";
import { Home } from "../home/Home.ts";
import { baseLock, branchDir, branchMetaFile, repoDir } from "../home/layout.ts";
import type { DocumentUnreadable, LockBusy, LockFailed, NewerSchema, WriteFailed } from "../store/errors.ts";
import { JsonDocuments } from "../store/JsonDocument.ts";
import { Locks } from "../store/Locks.ts";
import { branchMetaDocument, repoMetaDocument } from "./documents.ts";
import { RefCollision, RepoUnknown } from "./errors.ts";

export type ReposFailure = DocumentUnreadable | NewerSchema | LockBusy | LockFailed | WriteFailed | RefCollision;

type RepoIdentity = Pick<PrIdentity, "platform" | "host" | "owner" | "repo">;

interface BaseName {
  readonly repo: string;
  readonly branch: string;
}

/** A pure change of a base's meta; `next` null leaves it as it is. */
type BaseChange<A, E> = (
  meta: BranchMeta | null,
) => Either.Either<{ readonly next: BranchMeta | null; readonly result: A }, E>;

/** The registered repositories and their bases: repo-meta.json and branch-meta.json (spec 2). */
export class Repos extends Context.Tag("adk/Repos")<
  Repos,
  {
    /** All registered repositories, by folder name. */
    readonly list: Effect.Effect<ReadonlyArray<RepoMeta>, ReposFailure>;
    readonly byName: (name: string) => Effect.Effect<RepoMeta, ReposFailure | RepoUnknown>;
    readonly byIdentity: (repo: RepoIdentity) => Effect.Effect<RepoMeta | null, ReposFailure>;
    /** Registers a repository without any base; a registered one is given back as it stands. */
    readonly register: (
      repo: RepoIdentity & { readonly url: string; readonly default_branch: string | null; readonly name?: string },
    ) => Effect.Effect<RepoMeta, ReposFailure>;
    readonly update: (
      name: string,
      change: (meta: RepoMeta) => RepoMeta,
    ) => Effect.Effect<RepoMeta, ReposFailure | RepoUnknown>;
    /** The bases on disk of one repository, by branch name. */
    readonly bases: (name: string) => Effect.Effect<ReadonlyArray<BranchMeta>, ReposFailure>;
    readonly base: (name: string, branch: string) => Effect.Effect<BranchMeta | null, ReposFailure>;
    /** One pure change of a base's meta under its lock. Only the engine calls this. */
    readonly updateBase: <A, E>(where: BaseName, change: BaseChange<A, E>) => Effect.Effect<A, E | ReposFailure>;
    /** Removes a base's folder and its name from tracked_branches. The caller holds the base's lock. */
    readonly removeBaseFolder: (name: string, branch: string) => Effect.Effect<void, ReposFailure>;
  }
>() {}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

export const layer: Layer.Layer<Repos, never, Home | JsonDocuments | Locks> = Layer.effect(
  Repos,
  Effect.gen(function* () {
    const home = yield* Home;
    const documents = yield* JsonDocuments;
    const locks = yield* Locks;
    const metaFile = (name: string) => join(repoDir(home, name), "repo-meta.json");
    const folders = (path: string): Effect.Effect<ReadonlyArray<string>> =>
      Effect.promise(() =>
        readdir(path, { withFileTypes: true }).then(
          (entries) =>
            entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith(".")).map((entry) => entry.name),
          () => [],
        ),
      ).pipe(Effect.map((names) => names.sort(byText)));
    const readMeta = (name: string) => documents.read(metaFile(name), repoMetaDocument);

    const list = Effect.gen(function* () {
      const metas = yield* Effect.forEach(yield* folders(home.repos), readMeta);
      return metas.filter((meta) => meta !== null);
    });
    const byIdentity = (repo: RepoIdentity) =>
      Effect.map(list, (metas) => metas.find((meta) => repoKey(meta) === repoKey(repo)) ?? null);
    const unknown = (name: string) =>
      new RepoUnknown({ repo: name, message: `no repository ${name}`, hint: "see: adk repo list" });

    const register: Context.Tag.Service<Repos>["register"] = (repo) =>
      locks.withLock(
        "repos",
        { verb: "repo add" },
        Effect.gen(function* () {
          const known = yield* byIdentity(repo);
          if (known !== null) return known;
          const plain = repoFolderName(repo.name ?? repo.repo);
          const taken = (yield* readMeta(plain)) !== null;
          const name = taken ? `${plain}${repoFolderSuffix(repo.host, repo.owner)}` : plain;
          const meta: RepoMeta = {
            schema_version: 1,
            name,
            platform: repo.platform,
            host: repo.host,
            owner: repo.owner,
            repo: repo.repo,
            url: repo.url,
            default_branch: repo.default_branch,
            tracked_branches: [],
          };
          yield* documents.write(metaFile(name), repoMetaDocument, meta);
          return meta;
        }),
      );

    const update: Context.Tag.Service<Repos>["update"] = (name, change) =>
      documents.update(metaFile(name), repoMetaDocument, { lock: `repo-${name}` }, (meta) => {
        if (meta === null) return Either.left(unknown(name));
        const next = change(meta);
        return Either.right({ next: next === meta ? null : next, result: next });
      });

    const metaOf = (repo: string, branch: string) => branchMetaFile(branchDir(home, repo, branch));

    return {
      list,
      byName: (name) =>
        Effect.flatMap(readMeta(name), (meta) => (meta === null ? Effect.fail(unknown(name)) : Effect.succeed(meta))),
      byIdentity,
      register,
      update,
      bases: (name) =>
        Effect.gen(function* () {
          const names = (yield* folders(repoDir(home, name))).filter((folder) => folder.startsWith("branch-"));
          const metas = yield* Effect.forEach(names, (folder) =>
            documents.read(branchMetaFile(join(repoDir(home, name), folder)), branchMetaDocument),
          );
          return metas.filter((meta) => meta !== null).sort((a, b) => byText(a.branch, b.branch));
        }),
      base: (name, branch) => documents.read(metaOf(name, branch), branchMetaDocument),
      updateBase: <A, E>(where: BaseName, change: BaseChange<A, E>) =>
        documents.update<BranchMeta, A, E | RefCollision>(
          metaOf(where.repo, where.branch),
          branchMetaDocument,
          { lock: `${baseLock(where.repo, where.branch)}.meta` },
          (meta) => {
            // Two spellings of one name (NFC and NFD) share the folder and are two refs: the first one has it.
            if (meta !== null && meta.branch !== where.branch) {
              return Either.left(
                new RefCollision({
                  ref: where.branch,
                  taken_by: meta.branch,
                  message: `the folder of branch ${where.branch} belongs to branch ${meta.branch}`,
                  hint: `remove that base first: adk repo branch remove ${where.repo} --branch ${meta.branch}`,
                }),
              );
            }
            return change(meta);
          },
        ),
      removeBaseFolder: (name, branch) =>
        Effect.gen(function* () {
          yield* Effect.promise(() => rm(branchDir(home, name, branch), { recursive: true, force: true }));
          yield* update(name, (meta) =>
            meta.tracked_branches.includes(branch)
              ? { ...meta, tracked_branches: meta.tracked_branches.filter((other) => other !== branch) }
              : meta,
          ).pipe(Effect.catchTag("RepoUnknown", () => Effect.void));
        }),
    };
  }),
);
