import { throttling } from "@octokit/plugin-throttling";
import { Octokit } from "@octokit/rest";

const ThrottledOctokit = Octokit.plugin(throttling);

const quiet = () => {};

/**
 * A client of one host's REST interface. Requests are paced by the throttling plugin and never repeated: a limit is
 * reported with its time, and a lost answer to a write would otherwise be sent twice. Loaded only by GitHub's layer.
 */
export const makeClient = (options: {
  readonly baseUrl: string;
  readonly token: string | null;
  readonly host: string;
}) =>
  new ThrottledOctokit({
    baseUrl: options.baseUrl,
    userAgent: "adk",
    ...(options.token === null ? {} : { auth: options.token }),
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    throttle: { id: options.host, onRateLimit: () => false, onSecondaryRateLimit: () => false },
  });

export type GitHubClient = ReturnType<typeof makeClient>;
