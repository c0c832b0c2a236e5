import type { IsoTime } from "../../src/time.ts";
import { AnswerRefused } from "../network/guardedFetch.ts";
import {
  BadResponse,
  HostUnreachable,
  NotFoundOnHost,
  NotPermitted,
  type PlatformFailure,
  RateLimited,
  TokenMissing,
} from "./errors.ts";

/** What is a host's own in the failures that all hosts have; each a hint, or part of one. */
export interface HostWords {
  readonly host: string;
  /** Where a token is missing. */
  readonly giveToken: string;
  /** Where the limit is the one without a token: `set GITHUB_TOKEN`. */
  readonly setToken: string;
  /** What may be wrong with a token that is refused. */
  readonly tokenFaults: string;
  readonly renewToken: string;
  /** Which rights a token needs. */
  readonly rights: string;
  /** What to look at where nothing is found, with a token and without. */
  readonly notFound: { readonly withToken: string; readonly without: string };
  /** Where the host says how it is. */
  readonly statusPage: string;
  /** Variable that leads requests to another address. */
  readonly addressVariable: string;
}

/** What was asked for, for messages. */
export interface AskedHost {
  readonly what: string;
  readonly hasToken: boolean;
}

export const tokenMissing = (words: HostWords, asked: AskedHost): TokenMissing =>
  new TokenMissing({
    message: `${words.host} wants a token for ${asked.what}`,
    hint: words.giveToken,
    host: words.host,
  });

/** The host refuses the token itself, or wants one. */
export const unauthorised = (words: HostWords, asked: AskedHost): NotPermitted | TokenMissing =>
  asked.hasToken
    ? new NotPermitted({
        message: `${words.host} does not accept the token (${words.tokenFaults})`,
        hint: words.renewToken,
        host: words.host,
        sso: false,
      })
    : tokenMissing(words, asked);

/** The host knows the token, and it may not read this; without one, the host wants one. `said`: the host's own words. */
export const forbidden = (words: HostWords, asked: AskedHost, said: string): NotPermitted | TokenMissing =>
  asked.hasToken
    ? new NotPermitted({
        message: `${words.host} does not let the token read ${asked.what}${said === "" ? "" : `: ${said}`}`,
        hint: words.rights,
        host: words.host,
        sso: false,
        tokenAccepted: true,
      })
    : tokenMissing(words, asked);

export const rateLimited = (words: HostWords, asked: AskedHost, retry_at: IsoTime | null): RateLimited =>
  new RateLimited({
    message: `${words.host} limits the rate of requests ${retry_at === null ? "without saying until when" : `until ${retry_at}`}; not read: ${asked.what}`,
    hint: asked.hasToken ? "run it again after that" : `${words.setToken}: with a token the limit is far higher`,
    host: words.host,
    retry_at,
  });

export const notFound = (words: HostWords, asked: AskedHost): NotFoundOnHost =>
  new NotFoundOnHost({
    message: `${words.host} shows no ${asked.what}`,
    hint: asked.hasToken ? words.notFound.withToken : words.notFound.without,
    host: words.host,
  });

/** An answer that is not what was promised. `problem` completes the sentence "… answered with". */
export const badAnswer = (
  words: Pick<HostWords, "host" | "addressVariable">,
  problem: string,
  what: string,
): BadResponse =>
  new BadResponse({
    message: `${words.host} answered with ${problem} when asked for ${what}`,
    hint: `run it again with -v and look at the log; behind a proxy, check ${words.addressVariable}`,
    host: words.host,
  });

export const unreachable = (
  words: HostWords,
  asked: AskedHost,
  why: { readonly problem: string; readonly cause?: unknown },
): HostUnreachable =>
  new HostUnreachable({
    message: `${words.host} was not reached for ${asked.what}: ${why.problem}`,
    hint: `check the network and ${words.statusPage}, then run it again`,
    host: words.host,
    ...(why.cause === undefined ? {} : { cause: why.cause }),
  });

/** No answer at all, or one that was not taken. `problem` says why where nothing better is known. */
export const noAnswer = (words: HostWords, asked: AskedHost, error: unknown, problem: string): PlatformFailure => {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (cause instanceof AnswerRefused) return badAnswer(words, cause.message, asked.what);
  const isTimeout = cause instanceof Error && /^(TimeoutError|AbortError)$/.test(cause.name);
  return unreachable(words, asked, {
    problem: isTimeout ? "no answer within the time limit" : problem,
    cause: error,
  });
};
