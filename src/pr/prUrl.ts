import * as Either from "effect/Either";
import { UsageError } from "../errors.ts";
import type { Platform, PrIdentity } from "../names.ts";
import { isOwner, isRepo, prNumber } from "./prGrammar.ts";
import { quoted } from "./quoted.ts";

/** A PR named by a person or found in a text. On `local` the owner is empty: such a PR is found by its `pr_url`. */
export interface PrReference extends PrIdentity {
  readonly pr_url: string;
}

const refuse = (message: string, hint: string): Either.Either<never, UsageError> =>
  Either.left(new UsageError({ message, hint }));

const example = "write https://github.com/OWNER/REPO/pull/N";
const routes = { github: "pull", bitbucket: "pull-requests" } as const;

/** The one canonical address of a PR; the case of owner and repository stays as given, identity folds it. */
export const canonicalPrUrl = (pr: PrIdentity): string =>
  pr.platform === "local"
    ? `local:${pr.repo}#${pr.pr_number}`
    : `https://${pr.host}/${pr.owner}/${pr.repo}/${routes[pr.platform]}/${pr.pr_number}`;

/** What is wrong with the characters of a URL, before any parser has changed them; null when nothing is. */
const badCharacters = (text: string): string | null => {
  if (text.length > 2048) return "is longer than 2048 characters";
  if (/[\x00-\x20\x7f]/.test(text)) return "has a space or a control character";
  if (/[^\x21-\x7e]/.test(text)) return "has a character that is not ASCII";
  return text.includes("\\") ? "has a backslash" : null;
};

const platformOf = (host: string, githubHosts: ReadonlyArray<string>): Exclude<Platform, "local"> | null => {
  if (host === "github.com" || githubHosts.some((known) => known.toLowerCase() === host)) return "github";
  return host === "bitbucket.org" ? "bitbucket" : null;
};

/** What is wrong with the host part of a URL as it was written; a URL parser would hide port 443 and an empty user. */
const badAuthority = (authority: string): string | null => {
  if (authority.includes("@")) return "carries a user name before the host";
  if (authority.includes(":")) return "carries a port";
  return /^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*$/.test(authority) ? null : "has a host that is no plain host name";
};

interface Location {
  readonly platform: Exclude<Platform, "local">;
  readonly host: string;
  readonly segments: ReadonlyArray<string>;
}

const locate = (text: string, githubHosts: ReadonlyArray<string>): Either.Either<Location, UsageError> => {
  const wrongCharacter = badCharacters(text);
  if (wrongCharacter !== null) return refuse(`the URL ${quoted(text)} ${wrongCharacter}`, example);
  const written = /^https:\/\/([^/?#]+)(\/[^?#]*)?/i.exec(text);
  if (written === null) return refuse(`${quoted(text)} is not an https URL`, example);
  const [, authority = "", path = "/"] = written;
  const wrongHost = badAuthority(authority);
  if (wrongHost !== null) return refuse(`the URL ${quoted(text)} ${wrongHost}`, example);
  const host = authority.toLowerCase();
  const platform = platformOf(host, githubHosts);
  if (platform === null)
    return refuse(
      `${host} is not a known host`,
      "known are github.com and bitbucket.org; a GitHub Enterprise host goes into github.hosts of core.yaml",
    );
  // The parser must agree with what was written: it resolves dot segments, encoded ones too, and numeric hosts.
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.hostname !== host || url.pathname !== path)
    return refuse(`the URL ${quoted(text)} does not mean what it says`, example);
  return Either.right({ platform, host, segments: path.split("/").slice(1) });
};

const routeProblem = (location: Location): string | null => {
  const [owner = "", repo = "", route = "", number = ""] = location.segments;
  if (!isOwner(location.platform, owner)) return `${quoted(owner)} is not the name of an owner`;
  if (/\.git$/i.test(repo)) return `${quoted(repo)} is a clone address, not a page of a repository`;
  if (!isRepo(repo)) return `${quoted(repo)} is not the name of a repository`;
  if (route.toLowerCase() !== routes[location.platform])
    return `${quoted(`/${route}/${number}`)} is not the page of a PR`;
  return prNumber(number) === null ? `${quoted(number)} is not a PR number (1 to 2147483647)` : null;
};

/**
 * The address of a PR's page, with whatever follows the number (`/files`, `/commits/…`, `?w=1`, `#discussion_r1`) →
 * the PR. Only https and the exact hosts github.com, bitbucket.org and `githubHosts`; no user information, port,
 * backslash, control or non-ASCII character, no path that a URL parser would rewrite (spec 9, T7).
 */
export const parsePrUrl = (
  text: string,
  options: { readonly githubHosts: ReadonlyArray<string> },
): Either.Either<PrReference, UsageError> => {
  const located = locate(text, options.githubHosts);
  if (Either.isLeft(located)) return Either.left(located.left);
  const { platform, host, segments } = located.right;
  const problem = routeProblem(located.right);
  if (problem !== null)
    return refuse(
      `${problem} in ${quoted(text)}`,
      `the page of a PR is https://${host}/OWNER/REPO/${routes[platform]}/N`,
    );
  const [owner = "", repo = "", , number = ""] = segments;
  const identity: PrIdentity = { platform, host, owner, repo, pr_number: prNumber(number) ?? 0 };
  return Either.right({ ...identity, pr_url: canonicalPrUrl(identity) });
};
