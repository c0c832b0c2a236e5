import * as Either from "effect/Either";
import { UsageError } from "../errors.ts";
import type { Platform } from "../names.ts";

/** A hosted repository as the user named it. `url` is what git fetches from; it never carries user information. */
export interface HostedRepository {
  readonly platform: Platform;
  readonly host: string;
  readonly owner: string;
  readonly repo: string;
  readonly url: string;
}

const namePart = /^[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9_-])?$/;

const refuse = (text: string, why: string) =>
  Either.left(
    new UsageError({
      message: `${JSON.stringify(text.slice(0, 200))} is not a repository adk can fetch: ${why}`,
      hint: "give https://HOST/OWNER/REPO, git@HOST:OWNER/REPO, OWNER/REPO, or the path of a local repository",
    }),
  );

interface Parts {
  readonly host: string;
  readonly path: string;
  readonly ssh: boolean;
}

const split = (text: string): Parts | string => {
  const scp = /^git@([A-Za-z0-9.-]+):([^:]+)$/.exec(text);
  if (scp?.[1] !== undefined && scp[2] !== undefined) return { host: scp[1], path: scp[2], ssh: true };
  if (/^[A-Za-z0-9._-]+\/[A-Za-z0-9._-]+$/.test(text)) return { host: "github.com", path: text, ssh: false };
  if (!URL.canParse(text)) return "it is neither a URL nor an existing path";
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "ssh:") return `${url.protocol}// is not allowed`;
  if (url.password !== "" || (url.username !== "" && !(url.protocol === "ssh:" && url.username === "git"))) {
    return "user information does not belong into it; adk takes tokens from the environment";
  }
  if (url.port !== "") return "it names a port";
  if (url.search !== "" || url.hash !== "") return "it has a query or a fragment";
  return { host: url.hostname, path: url.pathname.slice(1), ssh: url.protocol === "ssh:" };
};

/**
 * Parses the URL of a hosted repository (spec 9, T7): https or ssh, exact host list, no user information, port, control
 * or non-ASCII characters. `githubHosts` are the Enterprise hosts of core.yaml.
 */
export const parseRepoUrl = (
  text: string,
  options: { readonly githubHosts: ReadonlyArray<string> },
): Either.Either<HostedRepository, UsageError> => {
  if (!/^[\x21-\x7e]+$/.test(text) || text.includes("\\")) return refuse(text, "it has characters no URL has");
  const parts = split(text);
  if (typeof parts === "string") return refuse(text, parts);
  const host = parts.host.toLowerCase();
  const github = host === "github.com" || options.githubHosts.some((known) => known.toLowerCase() === host);
  if (!github && host !== "bitbucket.org") {
    return refuse(text, `host ${host} is not known; add an Enterprise host to github.hosts in core.yaml`);
  }
  const [owner, name, ...more] = parts.path.replace(/\/$/, "").split("/");
  const repo = name?.replace(/\.git$/, "");
  if (owner === undefined || repo === undefined || more.length > 0) return refuse(text, "it does not name OWNER/REPO");
  if (!namePart.test(owner) || !namePart.test(repo))
    return refuse(text, "owner or repository has characters no host allows");
  const url = parts.ssh ? `ssh://git@${host}/${owner}/${repo}.git` : `https://${host}/${owner}/${repo}.git`;
  return Either.right({ platform: github ? "github" : "bitbucket", host, owner, repo, url });
};
