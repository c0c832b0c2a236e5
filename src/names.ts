import { createHash } from "node:crypto";

const hash10 = (text: string): string => createHash("sha256").update(text, "utf8").digest("hex").slice(0, 10);

const readable = (text: string, max: number): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, max)
    .replaceAll(/^-+|-+$/g, "");

/**
 * Folder-safe name of a branch (spec 2, "Names"): the readable part, and `~` + 10 hex of SHA-256 of the exact NFC name
 * whenever the readable part does not give the name back. `main` → `main`, `release/v2.1` → `release-v2-1~…`.
 * Two refs never share a slug on any file system, case-insensitive ones included, unless they are NFC-equal.
 */
export const branchSlug = (branch: string): string => {
  const exact = branch.normalize("NFC");
  const short = readable(exact, 60);
  return short === exact ? short : `${short || "branch"}~${hash10(exact)}`;
};

/** What names a change request across adk; compare with `identityKey`, never field by field. */
export interface PrIdentity {
  readonly platform: Platform;
  readonly host: string;
  readonly owner: string;
  readonly repo: string;
  readonly pr_number: number;
}

export type Platform = "github" | "bitbucket" | "local";

/** Dedupe key of a PR: platform + host + owner + repo + number, case-folded (spec 2, "Queue row"). */
export const identityKey = (pr: PrIdentity): string =>
  `${pr.platform}:${pr.host}/${pr.owner}/${pr.repo}#${pr.pr_number}`.toLowerCase();

/** Key of the repository a PR belongs to, case-folded. */
export const repoKey = (pr: Pick<PrIdentity, "platform" | "host" | "owner" | "repo">): string =>
  `${pr.platform}:${pr.host}/${pr.owner}/${pr.repo}`.toLowerCase();

const plainHosts: Readonly<Record<Platform, string>> = {
  github: "github.com",
  bitbucket: "bitbucket.org",
  local: "local",
};

/**
 * Folder name of a PR's task: `<owner>__<repo>_pr-<n>`, plus `~` + 10 hex for a host other than github.com or for an
 * owner or repository whose readable form loses something. Cases fold first: hosts compare owners and names that way.
 */
export const taskName = (pr: PrIdentity): string => {
  const owner = pr.owner.toLowerCase();
  const repo = pr.repo.toLowerCase();
  const name = `${readable(owner, 24)}__${readable(repo, 32)}_pr-${pr.pr_number}`;
  const lossless = `${owner}__${repo}_pr-${pr.pr_number}` === name && !/__|_pr-/.test(`${owner}\n${repo}`);
  const plain = pr.platform === "github" && pr.host.toLowerCase() === plainHosts.github;
  return plain && lossless ? name : `${name}~${hash10(identityKey(pr))}`;
};

/** Readable folder name of a repository; `hash` is added by the registry when another repository has that name. */
export const repoFolderName = (repo: string): string => {
  const folded = repo.toLowerCase();
  const name = readable(folded, 60);
  return name === folded ? name : `${name || "repo"}~${hash10(folded)}`;
};

/** `~hash` of host and owner that tells two repositories of one name apart. */
export const repoFolderSuffix = (host: string, owner: string): string => `~${hash10(`${host}/${owner}`.toLowerCase())}`;

/** Owner field of a `local` repository: 10 hex of SHA-256 of its real path. */
export const localOwner = (realPath: string): string => hash10(realPath);
