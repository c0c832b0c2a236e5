import { existsSync } from "node:fs";
import { basename } from "node:path";
import * as Effect from "effect/Effect";
import * as Either from "effect/Either";
import { localOwner } from "../../src/names.ts";
import { localRepoName } from "../../src/pr/prGrammar.ts";
import { parseRepoUrl } from "../../src/repo/parseRepoUrl.ts";
import type { RepoMeta } from "../../src/repo/repoMeta.ts";
import { Git } from "../git/Git.ts";
import { Settings } from "../settings/Settings.ts";
import { Repos } from "./Repos.ts";
import { repositorySource } from "./source.ts";
import { hostBehindAlias, sshAddress } from "./sshAlias.ts";

/**
 * A hosted repository by its URL. An ssh host that is no known one may be an alias of the person's ssh configuration:
 * then the repository is that of the host behind it, and git goes on using the alias, and so the key that it selects.
 */
const hostedIdentity = (source: string, options: { readonly githubHosts: ReadonlyArray<string> }) =>
  Effect.gen(function* () {
    const direct = parseRepoUrl(source, options);
    const ssh = sshAddress(source);
    if (Either.isRight(direct) || ssh === null) return yield* direct;
    const host = yield* hostBehindAlias(ssh.host);
    if (host === null) return yield* direct;
    const found = yield* parseRepoUrl(`ssh://git@${host}/${ssh.path}`, options);
    return { ...found, url: `ssh://git@${ssh.host}/${found.owner}/${found.repo}.git` };
  });

const identityOf = (source: string) =>
  Effect.gen(function* () {
    const { config } = yield* Settings;
    if (existsSync(source)) {
      const git = yield* Git;
      const local = yield* git.localRepository(source);
      return {
        platform: "local" as const,
        host: "local",
        owner: localOwner(local.realPath),
        // As a change request of it is named, else the two were two repositories, and no base would be found for it.
        repo: localRepoName(basename(local.realPath)),
        url: local.realPath,
        default_branch: local.defaultBranch,
      };
    }
    return { ...(yield* hostedIdentity(source, { githubHosts: config.github.hosts })), default_branch: null };
  });

/** What the host calls its default branch; a local repository's HEAD is only what happens to be checked out. */
const defaultBranchOf = (repo: RepoMeta) =>
  Effect.gen(function* () {
    const git = yield* Git;
    if (repo.platform === "local") return (yield* git.localRepository(repo.url)).defaultBranch;
    const source = yield* repositorySource(repo);
    return (yield* git.lsRemote({ ...source, patterns: ["HEAD"] })).head;
  });

/** The default branch as the host says it now; recorded when it changed. Null for an empty repository. */
export const refreshDefaultBranch = (repo: RepoMeta) =>
  Effect.gen(function* () {
    const repos = yield* Repos;
    const head = yield* defaultBranchOf(repo);
    if (head === null || head === repo.default_branch) return repo;
    return yield* repos.update(repo.name, (meta) => ({ ...meta, default_branch: head }));
  });

/** Registers the repository at a URL or a local path, without any base; a registered one is given back. */
export const addRepository = (options: { readonly source: string; readonly name?: string }) =>
  Effect.gen(function* () {
    const repos = yield* Repos;
    const identity = yield* identityOf(options.source);
    const repo = yield* repos.register({ ...identity, ...(options.name === undefined ? {} : { name: options.name }) });
    return repo.platform === "local" && repo.default_branch !== null ? repo : yield* refreshDefaultBranch(repo);
  });
