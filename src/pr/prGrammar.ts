import type { Platform } from "../names.ts";

/** A PR number as hosts hand them out: 1 to 2^31-1, no sign, no leading zero (spec 9, T7). */
export const prNumber = (text: string): number | null => {
  if (!/^[1-9][0-9]{0,9}$/.test(text)) return null;
  const value = Number(text);
  return value <= 2_147_483_647 ? value : null;
};

const owners: Readonly<Record<Exclude<Platform, "local">, RegExp>> = {
  // Letters, digits and hyphens; an underscore stands before the short code of enterprise-managed users.
  github: /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/,
  bitbucket: /^[A-Za-z0-9_-]{1,100}$/,
};

/** True for a name that the platform can give to an owner, an organisation or a workspace. */
export const isOwner = (platform: Exclude<Platform, "local">, text: string): boolean => owners[platform].test(text);

/** True for a name that a host can give to a repository; never a path step, never with the `.git` of a clone URL. */
export const isRepo = (text: string): boolean =>
  /^[A-Za-z0-9._-]{1,100}$/.test(text) && text !== "." && text !== ".." && !/\.git$/i.test(text);

/** `owner/repo` → its two parts, or null for anything else. */
export const ownerAndRepo = (
  platform: Exclude<Platform, "local">,
  text: string,
): { readonly owner: string; readonly repo: string } | null => {
  const [owner, repo, ...rest] = text.split("/");
  if (owner === undefined || repo === undefined || rest.length > 0) return null;
  return isOwner(platform, owner) && isRepo(repo) ? { owner, repo } : null;
};

/** Name of a local repository in `local:<repo>#N`: the folder's name, other characters than a host allows as `-`. */
export const localRepoName = (folder: string): string => {
  const name = folder
    .replace(/\.git$/i, "")
    .replaceAll(/[^A-Za-z0-9._-]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 100);
  return isRepo(name) ? name : "repo";
};
