import { failure } from "../../src/errors.ts";
import type { IsoTime } from "../../src/time.ts";

// None of these ever means "closed" or "empty": a row keeps what it had, and the verb says why it could not look.

/** The host knows no such repository or PR, or the token may not see it (hosts answer both alike). */
export class NotFoundOnHost extends failure("NotFoundOnHost", 1)<{ readonly host: string }> {}

/** The host refuses the token: revoked, missing right, or single sign-on (SAML) not done. */
export class NotPermitted extends failure("NotPermitted", 1)<{
  readonly host: string;
  readonly sso: boolean;
  /** True where the host said that the token itself is good and only a right is missing. */
  readonly tokenAccepted?: boolean;
}> {}

/** The host asks to wait. `retry_at` is null when it did not say until when. */
export class RateLimited extends failure("RateLimited", 1)<{
  readonly host: string;
  readonly retry_at: IsoTime | null;
}> {}

/** No answer within the time limit, no connection, or an answer of the kind "not now" (5xx). */
export class HostUnreachable extends failure("HostUnreachable", 1)<{ readonly host: string }> {}

/** An answer that is not what the host's own description promises, or one that is larger than adk reads. */
export class BadResponse extends failure("BadResponse", 1)<{ readonly host: string }> {}

/** The host wants a token and there is none. */
export class TokenMissing extends failure("TokenMissing", 1)<{ readonly host: string }> {}

/** A registered local repository is gone, or git cannot read it. */
export class RepositoryUnreadable extends failure("RepositoryUnreadable", 1)<{ readonly path: string }> {}

export type PlatformFailure =
  | NotFoundOnHost
  | NotPermitted
  | RateLimited
  | HostUnreachable
  | BadResponse
  | TokenMissing
  | RepositoryUnreadable;
