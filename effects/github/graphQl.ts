import * as Effect from "effect/Effect";
import type { PlatformFailure } from "../platform/errors.ts";
import { ask, type Connection, graphQlBase, type Services, tellLimited } from "./connection.ts";
import { badResponse, type GraphQlError, graphQlFailure } from "./failures.ts";

export interface GraphQlAnswer {
  readonly data: Readonly<Record<string, unknown>>;
  readonly errors: ReadonlyArray<GraphQlError>;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const errorOf = (value: unknown, redact: (text: string) => string): GraphQlError => {
  const error = isRecord(value) ? value : {};
  const message = typeof error.message === "string" ? redact(error.message) : "an error without a message";
  const path = Array.isArray(error.path)
    ? error.path.filter((part) => typeof part === "string" || typeof part === "number")
    : undefined;
  const saml = (isRecord(error.extensions) && error.extensions.saml_failure === true) || /\bSAML\b/.test(message);
  return { message, saml, path, type: typeof error.type === "string" ? error.type : undefined };
};

/**
 * Asks one query. Errors that belong to a part of it come back beside the other parts' data; an answer without data fails
 * as what its first error says. A rate limit fails the whole, since GitHub then answers nothing.
 */
export const askGraphQl = (
  services: Services,
  to: Connection,
  request: { readonly what: string; readonly query: string; readonly variables: Readonly<Record<string, unknown>> },
): Effect.Effect<GraphQlAnswer, PlatformFailure> => {
  const { what } = request;
  const failed = { host: to.host, what, hasToken: to.hasToken, now: Date.now() };
  return Effect.flatMap(
    ask(services, to, { what, resource: "graphql" }, (options) =>
      to.client.request({
        method: "POST",
        url: "/graphql",
        baseUrl: graphQlBase(to.baseUrl),
        query: request.query,
        variables: request.variables,
        request: options,
      }),
    ),
    ({ data: body, headers }) => {
      if (!isRecord(body)) return Effect.fail(badResponse("something that is no GraphQL answer", failed));
      const errors = Array.isArray(body.errors)
        ? body.errors.slice(0, 1000).map((error) => errorOf(error, services.log.redact))
        : [];
      const limited = errors.find(({ type }) => type === "RATE_LIMITED");
      if (limited !== undefined) {
        const failure = graphQlFailure(limited, failed, headers);
        const retryAt = failure._tag === "RateLimited" ? failure.retry_at : null;
        return Effect.zipRight(tellLimited(services, to, { resource: "graphql", retryAt }), Effect.fail(failure));
      }
      if (isRecord(body.data)) return Effect.succeed({ data: body.data, errors });
      const [first] = errors;
      return Effect.fail(first === undefined ? badResponse("no data", failed) : graphQlFailure(first, failed));
    },
  );
};
