import * as Effect from "effect/Effect";
import type { PlatformRequest } from "../../src/pr/prMetadata.ts";
import { parseRepoUrl } from "../../src/repo/parseRepoUrl.ts";
import type { RepoMeta } from "../../src/repo/repoMeta.ts";
import { Git } from "../git/Git.ts";
import { Home } from "../home/Home.ts";
import { cloneDir, pullRef } from "../home/layout.ts";
import { PullRequests } from "../platform/PullRequests.ts";
import { repositorySource } from "../repos/source.ts";
import { HeadUnreadable } from "./errors.ts";

interface Fork {
  readonly owner: string;
  readonly repo: string;
}

const forkDeleted = (pr_url: string): HeadUnreadable =>
  new HeadUnreadable({
    message: `${pr_url}: the fork that its head is in was deleted, and Bitbucket hands the head out from nowhere else`,
    hint: "ask the author to push the branch into the repository itself and to open the PR from there",
    pr_url,
    head_repository: null,
  });

const forkUnreadable = (pr_url: string, at: { readonly name: string; readonly url: string }, why: string) =>
  new HeadUnreadable({
    message: `${pr_url}: its head is in the fork ${at.name}, which git cannot read: ${why}`,
    hint: `git ls-remote ${at.url} has to work for you: ask the author for read access to ${at.name} (a private or deleted fork looks the same), or to push the branch into the repository itself`,
    pr_url,
    head_repository: at.name,
  });

const branchGone = (pr_url: string, name: string, branch: string): HeadUnreadable =>
  new HeadUnreadable({
    message: `${pr_url}: its source branch ${branch} is not in ${name} any more, and Bitbucket keeps no ref of its own for a PR`,
    hint: "ask the author to push the branch again; the PR stays in the queue and the next sync looks again",
    pr_url,
    head_repository: name,
  });

/** Address of a fork, reached as its parent is (https or ssh) and by the rules of every repository's URL. */
const forkUrl = (repo: Pick<RepoMeta, "host" | "url">, fork: Fork) =>
  Effect.map(
    parseRepoUrl(
      repo.url.startsWith("ssh:")
        ? `ssh://git@${repo.host}/${fork.owner}/${fork.repo}.git`
        : `https://${repo.host}/${fork.owner}/${fork.repo}.git`,
      { githubHosts: [] },
    ),
    ({ url }) => url,
  );

/**
 * Gets the head of a Bitbucket PR that the fetch of its source branch did not bring: Bitbucket keeps no ref for a PR,
 * and a fork's branch is not in the repository. Asked by its name (sha) from the repository itself, then from the
 * fork. Does nothing for other platforms or when the head is there. What came instead of the head (a moved branch)
 * stands at the PR's ref, and the caller says so. Fails with `HeadUnreadable`; no token is handed to git.
 */
export const fetchLostHead = (options: {
  readonly repo: RepoMeta;
  readonly row: PlatformRequest;
  readonly head: string;
}) =>
  Effect.gen(function* () {
    const { repo, row, head } = options;
    if (row.platform !== "bitbucket") return;
    const git = yield* Git;
    const clone = cloneDir(yield* Home, repo.name);
    const local = pullRef(row.pr_number);
    const isThere = Effect.map(git.resolve({ clone, rev: head }), (found) => found !== null);
    if (yield* isThere) return;
    const source = yield* repositorySource(repo);
    const exact = [{ remote: head, local }];
    if ((yield* git.fetchRefs({ clone, ...source, refs: exact })).missing.length === 0) return;

    const pulls = yield* PullRequests;
    const { head_repository: from, head_ref } = yield* pulls.metadata(row);
    if (from === undefined || from === null) return yield* forkDeleted(row.pr_url);
    const name = `${from.owner}/${from.repo}`;
    const isOwn = name.toLowerCase() === `${repo.owner}/${repo.repo}`.toLowerCase();
    const url = isOwn ? source.url : yield* forkUrl(repo, from);
    const fetchFrom = (remote: string) =>
      git.fetchRefs({ clone, ...(isOwn ? source : { url }), refs: [{ remote, local }] }).pipe(
        Effect.catchTags({
          GitFailed: (error) => forkUnreadable(row.pr_url, { name, url }, error.message),
          GitTimeout: (error) => forkUnreadable(row.pr_url, { name, url }, error.message),
        }),
      );
    const { missing } = yield* fetchFrom(`refs/heads/${head_ref}`);
    if (yield* isThere) return;
    // The branch moved on; a host may still hand out the head that it pointed to.
    const old = isOwn ? missing : (yield* fetchFrom(head)).missing;
    if (old.length > 0 && missing.length > 0) return yield* branchGone(row.pr_url, name, head_ref);
  });
