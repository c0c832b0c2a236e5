import { Octokit } from "@octokit/rest";

const quiet = () => {};

/**
 * A client of one host. Requests are never repeated here: a limit is reported with its time, and a lost answer to a
 * write would otherwise be sent twice. Their pace is HostLimits' matter, over all processes. Loaded only when asked for.
 */
export const makeClient = (options: { readonly baseUrl: string; readonly token: string | null }) =>
  new Octokit({
    baseUrl: options.baseUrl,
    userAgent: "adk",
    ...(options.token === null ? {} : { auth: options.token }),
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
  });

export type GitHubClient = ReturnType<typeof makeClient>;
