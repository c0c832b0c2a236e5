import { formatTime } from "../../src/time.ts";
import { type BadResponse, NotPermitted, type PlatformFailure } from "../platform/errors.ts";
import {
  type AskedHost,
  badAnswer,
  forbidden,
  type HostWords,
  noAnswer,
  notFound,
  rateLimited,
  unauthorised,
  unreachable,
} from "../platform/hostFailures.ts";

export const host = "bitbucket.org";

/** Scopes as an answer of Bitbucket names them. */
export interface Scopes {
  readonly required: ReadonlyArray<string>;
  readonly granted: ReadonlyArray<string>;
}

/** Where a person makes a token: for themselves, or for one repository or workspace. */
const tokenPages =
  "make one at https://id.atlassian.com/manage-profile/security/api-tokens (besides it, BITBUCKET_USERNAME is your Atlassian e-mail) or under Access tokens in the repository's settings";

const words: HostWords = {
  host,
  giveToken: "set BITBUCKET_TOKEN (and BITBUCKET_USERNAME, for an app password or API token)",
  setToken: "set BITBUCKET_TOKEN",
  tokenFaults: "expired, revoked or mistyped, or BITBUCKET_USERNAME is missing",
  renewToken: `renew BITBUCKET_TOKEN; an app password or API token needs BITBUCKET_USERNAME too: ${tokenPages}`,
  rights: "use a token with the scopes repository:read and pullrequest:read",
  notFound: {
    withToken: "check workspace, repository and number, and that the token may read this repository",
    without: "check workspace, repository and number; a private repository needs BITBUCKET_TOKEN",
  },
  statusPage: "bitbucket.status.atlassian.com",
  addressVariable: "BITBUCKET_API_URL",
};

const withoutScope = (scopes: Scopes, asked: AskedHost): NotPermitted => {
  const missing = scopes.required.filter((scope) => !scopes.granted.includes(scope));
  const has = scopes.granted.length === 0 ? "none" : scopes.granted.join(", ");
  return new NotPermitted({
    message: `the token for ${host} may not read ${asked.what}: it lacks the scope ${missing.join(", ")} (it has ${has})`,
    hint: `${tokenPages}, with read access to repositories and pull requests, and export BITBUCKET_TOKEN=…`,
    host,
    sso: false,
    tokenAccepted: true,
  });
};

/** An answer of Bitbucket that is no success → the failure that says what it means. Never "closed" or "empty". */
export const statusFailure = (
  answer: {
    readonly status: number;
    readonly message: string;
    readonly scopes?: Scopes | null;
    readonly retryAt: number | null;
  },
  asked: AskedHost,
): PlatformFailure => {
  const { status } = answer;
  const { scopes } = answer;
  if (status === 429) return rateLimited(words, asked, answer.retryAt === null ? null : formatTime(answer.retryAt));
  if (status === 401) return unauthorised(words, asked);
  if (status === 403 && asked.hasToken && scopes !== undefined && scopes !== null) return withoutScope(scopes, asked);
  if (status === 403) return forbidden(words, asked, answer.message);
  if (status === 404 || status === 410) return notFound(words, asked);
  if (status >= 500) return unreachable(words, asked, { problem: `the host answered ${status}` });
  return badResponse(`status ${status}`, asked.what);
};

/** An answer that is not what was promised. `problem` completes the sentence "… answered with". */
export const badResponse = (problem: string, what: string): BadResponse => badAnswer(words, problem, what);

/** No answer at all. */
export const networkFailure = (error: unknown, asked: AskedHost): PlatformFailure => {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return cause instanceof SyntaxError
    ? badResponse("something that is not JSON", asked.what)
    : noAnswer(words, asked, error, "no connection");
};
