import { formatTime, type IsoTime } from "../../src/time.ts";
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

/** What was asked for, for messages. */
export interface Asked {
  readonly host: string;
  /** `owner/repo#N`. */
  readonly what: string;
  readonly hasToken: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Masks secrets: a host's or a proxy's answer may hold what it was sent. */
  readonly redact?: (text: string) => string;
}

type Headers = Readonly<Record<string, string | number | undefined>>;

interface HostAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly message: string;
}

const same = (text: string): string => text;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

/** The host's answer inside an error of Octokit; null when there was none (Octokit then says status 500 by itself). */
const answerIn = (error: unknown, redact: (text: string) => string): HostAnswer | null => {
  if (!isRecord(error) || !isRecord(error.response) || typeof error.response.status !== "number") return null;
  const { status, headers, data } = error.response;
  const message = isRecord(data) && typeof data.message === "string" ? redact(data.message).slice(0, 300) : "";
  return { status, headers: isRecord(headers) ? (headers as Headers) : {}, message };
};

const header = (headers: Headers, name: string): string | null => {
  const value = headers[name];
  return value === undefined ? null : String(value);
};

const retryAt = (answer: HostAnswer, now: number): IsoTime | null => {
  const after = header(answer.headers, "retry-after");
  if (after !== null && /^\d{1,7}$/.test(after)) return formatTime(now + Number(after) * 1000);
  const date = after === null ? Number.NaN : Date.parse(after);
  if (!Number.isNaN(date)) return formatTime(date);
  const reset = header(answer.headers, "x-ratelimit-reset");
  const isSpent = header(answer.headers, "x-ratelimit-remaining") === "0";
  return isSpent && reset !== null && /^\d{1,11}$/.test(reset) ? formatTime(Number(reset) * 1000) : null;
};

const isRateLimit = (answer: HostAnswer): boolean =>
  answer.status === 429 ||
  (answer.status === 403 &&
    (header(answer.headers, "x-ratelimit-remaining") === "0" ||
      header(answer.headers, "retry-after") !== null ||
      /\brate limit\b/i.test(answer.message)));

const rateLimited = (answer: HostAnswer, asked: Asked): RateLimited => {
  const retry_at = retryAt(answer, asked.now);
  const until = retry_at === null ? "without saying until when" : `until ${retry_at}`;
  return new RateLimited({
    message: `${asked.host} limits the rate of requests ${until}; ${asked.what} was not read`,
    hint: asked.hasToken ? "run it again after that" : "set GITHUB_TOKEN: with a token the limit is far higher",
    host: asked.host,
    retry_at,
  });
};

const forbidden = (answer: HostAnswer, asked: Asked): PlatformFailure => {
  const sso = header(answer.headers, "x-github-sso") !== null || /\bSAML\b/i.test(answer.message);
  const why = answer.message === "" ? "" : `: ${answer.message}`;
  if (!asked.hasToken && !sso) return tokenMissing(asked);
  return new NotPermitted({
    message: sso
      ? `${asked.host} refuses the token for ${asked.what}: the organisation asks for SAML single sign-on (SSO)`
      : `${asked.host} does not let the token read ${asked.what}${why}`,
    hint: sso
      ? `authorise the token for the organisation under https://${asked.host}/settings/tokens (Configure SSO), then run it again`
      : "use a token that may read pull requests and contents of this repository",
    host: asked.host,
    sso,
  });
};

const tokenMissing = (asked: Asked): TokenMissing =>
  new TokenMissing({
    message: `${asked.host} wants a token for ${asked.what}`,
    hint: `set GITHUB_TOKEN, or log in: gh auth login --hostname ${asked.host}`,
    host: asked.host,
  });

const unauthorised = (asked: Asked): PlatformFailure =>
  asked.hasToken
    ? new NotPermitted({
        message: `${asked.host} does not accept the token (expired, revoked or mistyped)`,
        hint: `renew GITHUB_TOKEN, or log in again: gh auth login --hostname ${asked.host}`,
        host: asked.host,
        sso: false,
      })
    : tokenMissing(asked);

const notFound = (asked: Asked): NotFoundOnHost =>
  new NotFoundOnHost({
    message: `${asked.host} shows no ${asked.what}`,
    hint: asked.hasToken
      ? "check owner, repository and number, and that the token may read this repository"
      : `check owner, repository and number; a private repository needs GITHUB_TOKEN or gh auth login --hostname ${asked.host}`,
    host: asked.host,
  });

/** An answer that is not what was promised. `problem` completes the sentence "… answered with". */
export const badResponse = (problem: string, asked: Pick<Asked, "host" | "what">): BadResponse =>
  new BadResponse({
    message: `${asked.host} answered with ${problem} when asked for ${asked.what}`,
    hint: "run it again with -v and look at the log; behind a proxy, check GITHUB_API_URL",
    host: asked.host,
  });

const unreachable = (problem: string, asked: Asked, cause: unknown): HostUnreachable =>
  new HostUnreachable({
    message: `${asked.host} was not reached for ${asked.what}: ${problem}`,
    hint: "check the network and the host's status page, then run it again",
    host: asked.host,
    cause,
  });

const networkFailure = (error: unknown, asked: Asked): PlatformFailure => {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (cause instanceof AnswerRefused) return badResponse(cause.message, asked);
  if (cause instanceof Error && /^(TimeoutError|AbortError)$/.test(cause.name))
    return unreachable("no answer within the time limit", asked, error);
  const problem = error instanceof Error && error.message !== "" ? error.message : "no connection";
  return unreachable((asked.redact ?? same)(problem), asked, error);
};

/** Any error of one request → the failure that says what happened. Nothing here is read as "closed" or "empty". */
export const platformFailure = (error: unknown, asked: Asked): PlatformFailure => {
  const answer = answerIn(error, asked.redact ?? same);
  if (answer === null) return networkFailure(error, asked);
  if (isRateLimit(answer)) return rateLimited(answer, asked);
  if (answer.status === 401) return unauthorised(asked);
  if (answer.status === 403 || answer.status === 451) return forbidden(answer, asked);
  if (answer.status === 404 || answer.status === 410) return notFound(asked);
  if (answer.status >= 500) return unreachable(`the host answered ${answer.status}`, asked, error);
  return badResponse(`status ${answer.status}`, asked);
};

/** An error of a GraphQL answer that came beside good data. */
export interface GraphQlError {
  readonly type?: string | undefined;
  readonly message: string;
  readonly path?: ReadonlyArray<string | number> | undefined;
  readonly saml: boolean;
}

/** What an error of a GraphQL answer means for one PR; `headers` of that answer say how long a limit lasts. */
export const graphQlFailure = (error: GraphQlError, asked: Asked, headers: Headers = {}): PlatformFailure => {
  const answer = { status: 403, headers, message: error.message.slice(0, 300) };
  if (error.type === "RATE_LIMITED") return rateLimited({ ...answer, status: 429 }, asked);
  if (error.type === "NOT_FOUND") return notFound(asked);
  if (error.type === "FORBIDDEN" || error.saml) return forbidden(answer, asked);
  return badResponse(`the error "${error.message.slice(0, 200)}"`, asked);
};

/** A GitHub host that nobody configured; nothing is sent there. */
export const notConfigured = (host: string): NotFoundOnHost =>
  new NotFoundOnHost({
    message: `${host} is not a GitHub host that adk knows`,
    hint: "add it to github.hosts in core.yaml",
    host,
  });
