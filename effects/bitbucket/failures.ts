import { formatTime } from "../../src/time.ts";
import { AnswerRefused } from "../network/guardedFetch.ts";
import {
  BadResponse,
  HostUnreachable,
  NotFoundOnHost,
  NotPermitted,
  type PlatformFailure,
  RateLimited,
  TokenMissing,
} from "../platform/errors.ts";

export const host = "bitbucket.org";

/** What was asked for, for messages. */
export interface Asked {
  readonly what: string;
  readonly hasToken: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

const tokenMissing = (asked: Asked): TokenMissing =>
  new TokenMissing({
    message: `${host} wants a token for ${asked.what}`,
    hint: "set BITBUCKET_TOKEN (and BITBUCKET_USERNAME, for an app password or API token)",
    host,
  });

/** Scopes as an answer of Bitbucket names them. */
export interface Scopes {
  readonly required: ReadonlyArray<string>;
  readonly granted: ReadonlyArray<string>;
}

/** Where a person makes a token: for themselves, or for one repository or workspace. */
const tokenPages =
  "make one at https://id.atlassian.com/manage-profile/security/api-tokens (besides it, BITBUCKET_USERNAME is your Atlassian e-mail) or under Access tokens in the repository's settings";

const withoutScope = (scopes: Scopes, asked: Asked): NotPermitted => {
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
  asked: Asked,
): PlatformFailure => {
  const { status } = answer;
  if (status === 429) {
    const retry_at = answer.retryAt === null ? null : formatTime(answer.retryAt);
    return new RateLimited({
      message: `${host} limits the rate of requests ${retry_at === null ? "without saying until when" : `until ${retry_at}`}; ${asked.what} was not read`,
      hint: asked.hasToken ? "run it again after that" : "set BITBUCKET_TOKEN: with a token the limit is far higher",
      host,
      retry_at,
    });
  }
  if (status === 401 && !asked.hasToken) return tokenMissing(asked);
  if (status === 401)
    return new NotPermitted({
      message: `${host} does not accept the token (expired, revoked or mistyped, or BITBUCKET_USERNAME is missing)`,
      hint: `renew BITBUCKET_TOKEN; an app password or API token needs BITBUCKET_USERNAME too: ${tokenPages}`,
      host,
      sso: false,
    });
  const { scopes } = answer;
  if (status === 403 && asked.hasToken && scopes !== undefined && scopes !== null) return withoutScope(scopes, asked);
  if (status === 403)
    return asked.hasToken
      ? new NotPermitted({
          message: `${host} does not let the token read ${asked.what}${answer.message === "" ? "" : `: ${answer.message}`}`,
          hint: "use a token with the scopes repository:read and pullrequest:read",
          host,
          sso: false,
          tokenAccepted: true,
        })
      : tokenMissing(asked);
  if (status === 404 || status === 410)
    return new NotFoundOnHost({
      message: `${host} shows no ${asked.what}`,
      hint: asked.hasToken
        ? "check workspace, repository and number, and that the token may read this repository"
        : "check workspace, repository and number; a private repository needs BITBUCKET_TOKEN",
      host,
    });
  if (status >= 500) return unreachable(`the host answered ${status}`, asked, null);
  return badResponse(`status ${status}`, asked.what);
};

const unreachable = (problem: string, asked: Asked, cause: unknown): HostUnreachable =>
  new HostUnreachable({
    message: `${host} was not reached for ${asked.what}: ${problem}`,
    hint: "check the network and bitbucket.status.atlassian.com, then run it again",
    host,
    ...(cause === null ? {} : { cause }),
  });

/** An answer that is not what was promised. `problem` completes the sentence "… answered with". */
export const badResponse = (problem: string, what: string): BadResponse =>
  new BadResponse({
    message: `${host} answered with ${problem} when asked for ${what}`,
    hint: "run it again with -v and look at the log; behind a proxy, check BITBUCKET_API_URL",
    host,
  });

/** No answer at all. */
export const networkFailure = (error: unknown, asked: Asked): PlatformFailure => {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (cause instanceof AnswerRefused) return badResponse(cause.message, asked.what);
  if (cause instanceof SyntaxError) return badResponse("something that is not JSON", asked.what);
  if (cause instanceof Error && /^(TimeoutError|AbortError)$/.test(cause.name))
    return unreachable("no answer within the time limit", asked, error);
  return unreachable("no connection", asked, error);
};
