import { formatTime, type IsoTime } from "../../src/time.ts";
import { type BadResponse, NotFoundOnHost, NotPermitted, type PlatformFailure } from "../platform/errors.ts";
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

/** What was asked for, for messages. */
export interface Asked extends AskedHost {
  readonly host: string;
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

const wordsOf = (host: string): HostWords => ({
  host,
  giveToken: `set GITHUB_TOKEN, or log in: gh auth login --hostname ${host}`,
  setToken: "set GITHUB_TOKEN",
  tokenFaults: "expired, revoked or mistyped",
  renewToken: `renew GITHUB_TOKEN, or log in again: gh auth login --hostname ${host}`,
  rights: "use a token that may read pull requests and contents of this repository",
  notFound: {
    withToken: "check owner, repository and number, and that the token may read this repository",
    without: `check owner, repository and number; a private repository needs GITHUB_TOKEN or gh auth login --hostname ${host}`,
  },
  statusPage: "the host's status page",
  addressVariable: "GITHUB_API_URL",
});

const limitedBy = (answer: HostAnswer, asked: Asked): PlatformFailure =>
  rateLimited(wordsOf(asked.host), asked, retryAt(answer, asked.now));

const refusedBy = (answer: HostAnswer, asked: Asked): PlatformFailure => {
  const { host, what } = asked;
  const sso = header(answer.headers, "x-github-sso") !== null || /\bSAML\b/i.test(answer.message);
  if (!sso) return forbidden(wordsOf(host), asked, answer.message);
  return new NotPermitted({
    message: `${host} refuses the token for ${what}: the organisation asks for SAML single sign-on (SSO)`,
    hint: `authorise the token for the organisation under https://${host}/settings/tokens (Configure SSO), then run it again`,
    host,
    sso,
  });
};

/** An answer that is not what was promised. `problem` completes the sentence "… answered with". */
export const badResponse = (problem: string, asked: Pick<Asked, "host" | "what">): BadResponse =>
  badAnswer(wordsOf(asked.host), problem, asked.what);

const networkFailure = (error: unknown, asked: Asked): PlatformFailure => {
  const problem = error instanceof Error && error.message !== "" ? error.message : "no connection";
  return noAnswer(wordsOf(asked.host), asked, error, (asked.redact ?? same)(problem));
};

/** Any error of one request → the failure that says what happened. Nothing here is read as "closed" or "empty". */
export const platformFailure = (error: unknown, asked: Asked): PlatformFailure => {
  const answer = answerIn(error, asked.redact ?? same);
  if (answer === null) return networkFailure(error, asked);
  if (isRateLimit(answer)) return limitedBy(answer, asked);
  if (answer.status === 401) return unauthorised(wordsOf(asked.host), asked);
  if (answer.status === 403 || answer.status === 451) return refusedBy(answer, asked);
  if (answer.status === 404 || answer.status === 410) return notFound(wordsOf(asked.host), asked);
  if (answer.status >= 500)
    return unreachable(wordsOf(asked.host), asked, { problem: `the host answered ${answer.status}`, cause: error });
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
  if (error.type === "RATE_LIMITED") return limitedBy({ ...answer, status: 429 }, asked);
  if (error.type === "NOT_FOUND") return notFound(wordsOf(asked.host), asked);
  if (error.type === "FORBIDDEN" || error.saml) return refusedBy(answer, asked);
  return badResponse(`the error "${error.message.slice(0, 200)}"`, asked);
};

/** A GitHub host that nobody configured; nothing is sent there. */
export const notConfigured = (host: string): NotFoundOnHost =>
  new NotFoundOnHost({
    message: `${host} is not a GitHub host that adk knows`,
    hint: "add it to github.hosts in core.yaml",
    host,
  });
