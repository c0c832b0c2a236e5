import type { JsonObject } from "./schemas.ts";

/** What the host does instead of answering from its state. */
export type Misbehaviour =
  /** An answer that the description allows. */
  | { readonly kind: "answer"; readonly status: number; readonly headers?: Headers; readonly body?: JsonObject }
  /** Bytes that no description allows: a proxy's page, a cut document. Not judged. */
  | { readonly kind: "raw"; readonly status: number; readonly headers?: Headers; readonly body: string }
  /** The request arrives and nothing ever comes back. */
  | { readonly kind: "hang" }
  /** The connection is cut without an answer. */
  | { readonly kind: "drop" };

type Headers = Readonly<Record<string, string>>;

export interface Behaviour {
  /** Only requests of this operation; all when left out. */
  readonly operation?: string;
  /** How often; 1 when left out. */
  readonly times?: number;
  readonly does: Misbehaviour;
}

const documentation = "https://docs.github.com/rest";

const error = (status: number, message: string, headers: Headers = {}): Misbehaviour => ({
  kind: "answer",
  status,
  headers,
  body: { message, documentation_url: documentation, status: String(status) },
});

/** Behaviours in GitHub's own words and headers. */
export const misbehaviours = {
  notFound: error(404, "Not Found"),
  badCredentials: error(401, "Bad credentials"),
  serverError: (status: 500 | 502 | 503): Misbehaviour => error(status, "Server Error"),
  notAllowed: error(403, "Resource not accessible by personal access token"),
  samlRequired: (owner: string): Misbehaviour =>
    error(
      403,
      "Resource protected by organization SAML enforcement. You must grant your Personal Access token access to this organization.",
      { "x-github-sso": `required; url=https://github.com/orgs/${owner}/sso?authorization_request=A1B2` },
    ),
  rateLimitSpent: (options: { readonly status: 403 | 429; readonly resetAt: number }): Misbehaviour =>
    error(options.status, "API rate limit exceeded for user ID 1.", {
      "x-ratelimit-remaining": "0",
      "x-ratelimit-reset": String(options.resetAt),
    }),
  secondaryLimit: (options: { readonly status: 403 | 429; readonly retryAfter: number }): Misbehaviour =>
    error(options.status, "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.", {
      "retry-after": String(options.retryAfter),
    }),
};
