import * as Effect from "effect/Effect";
import * as Either from "effect/Either";
import { identityKey } from "../../src/names.ts";
import type { PlatformRequest, PrMetadata } from "../../src/pr/prMetadata.ts";
import type { PlatformFailure } from "../platform/errors.ts";
import type { Connection, Services } from "./connection.ts";
import { badResponse, type GraphQlError, graphQlFailure } from "./failures.ts";
import { askGraphQl } from "./graphQl.ts";
import { pullFields, readPullNode } from "./pullNode.ts";

type Seen = Either.Either<PrMetadata, PlatformFailure>;

/** PRs in one request. */
const batchSize = 50;

/** One PR's part of the query: by its lasting id where that is known, which a renamed repository keeps. */
const part = (pr: PlatformRequest, at: number) =>
  typeof pr.node_id === "string" && pr.node_id !== ""
    ? {
        declared: `$id${at}: ID!`,
        text: `p${at}: node(id: $id${at}) { ...pull }`,
        variables: { [`id${at}`]: pr.node_id },
      }
    : {
        declared: `$owner${at}: String!, $name${at}: String!, $number${at}: Int!`,
        text: `p${at}: repository(owner: $owner${at}, name: $name${at}) { pullRequest(number: $number${at}) { ...pull } }`,
        variables: { [`owner${at}`]: pr.owner, [`name${at}`]: pr.repo, [`number${at}`]: pr.pr_number },
      };

const nodeAt = (data: Readonly<Record<string, unknown>>, at: number): unknown => {
  const found = data[`p${at}`] as { readonly pullRequest?: unknown } | null | undefined;
  return found !== null && found !== undefined && "pullRequest" in found ? found.pullRequest : found;
};

const outcome = (pr: PlatformRequest, node: unknown, error: GraphQlError | undefined, to: Connection): Seen => {
  const what = `${pr.owner}/${pr.repo}#${pr.pr_number}`;
  const asked = { host: to.host, what, hasToken: to.hasToken, now: Date.now() };
  if (error !== undefined) return Either.left(graphQlFailure(error, asked));
  if (node === null || node === undefined)
    return Either.left(graphQlFailure({ type: "NOT_FOUND", message: "", saml: false }, asked));
  return Either.mapLeft(readPullNode(node, pr), (problem) => badResponse(problem, asked));
};

const askBatch = (services: Services, to: Connection, prs: ReadonlyArray<PlatformRequest>) => {
  const parts = prs.map(part);
  const query = `query pulls(${parts.map(({ declared }) => declared).join(", ")}) {\n${parts.map(({ text }) => text).join("\n")}\n}\n${pullFields}`;
  const variables = Object.assign({}, ...parts.map((one) => one.variables)) as Readonly<Record<string, unknown>>;
  return Effect.map(askGraphQl(services, to, { what: `${prs.length} pull requests`, query, variables }), (answer) =>
    prs.map((pr, at): readonly [string, Seen] => {
      const error = answer.errors.find(({ path }) => path?.[0] === `p${at}`);
      return [identityKey(pr), outcome(pr, nodeAt(answer.data, at), error, to)];
    }),
  );
};

/** Too much at once for the host, as its time-outs and 502s mean: each half is tried by itself. */
const isTooMuch = (failure: PlatformFailure): boolean => failure._tag === "HostUnreachable";

/** The host serves no GraphQL, or an older one than adk asks in: then each PR is one REST request. */
const isNotServed = (failure: PlatformFailure): boolean =>
  failure._tag === "NotFoundOnHost" || failure._tag === "BadResponse";

const allFailed = (prs: ReadonlyArray<PlatformRequest>, failure: PlatformFailure) =>
  prs.map((pr): readonly [string, Seen] => [identityKey(pr), Either.left(failure)]);

/** Halved so often without an answer, the host is down; then nothing more is sent for this batch. */
const smallest = 8;

type OneByOne = (prs: ReadonlyArray<PlatformRequest>) => Effect.Effect<Iterable<readonly [string, Seen]>>;

const askHalving = (
  services: Services,
  to: Connection,
  options: { readonly prs: ReadonlyArray<PlatformRequest>; readonly oneByOne: OneByOne },
) =>
  Effect.gen(function* () {
    const seen: Array<readonly [string, Seen]> = [];
    const waiting = [options.prs];
    for (let some = waiting.shift(); some !== undefined; some = waiting.shift()) {
      const answer = yield* Effect.either(askBatch(services, to, some));
      if (Either.isRight(answer)) {
        seen.push(...answer.right);
        continue;
      }
      if (isNotServed(answer.left)) {
        seen.push(...(yield* options.oneByOne([...some, ...waiting.flat()])));
        break;
      }
      const half = Math.ceil(some.length / 2);
      if (isTooMuch(answer.left) && some.length >= smallest) {
        waiting.unshift(some.slice(0, half), some.slice(half));
        continue;
      }
      seen.push(...allFailed([...some, ...waiting.flat()], answer.left));
      break;
    }
    return seen;
  });

/**
 * Metadata of PRs of one host through GraphQL, 50 a request; each PR has its own outcome. `oneByOne` is the way without
 * GraphQL, for a host that does not serve it.
 */
export const batchMetadata = (
  services: Services,
  to: Connection,
  options: { readonly prs: ReadonlyArray<PlatformRequest>; readonly oneByOne: OneByOne },
): Effect.Effect<ReadonlyArray<readonly [string, Seen]>> =>
  Effect.map(
    Effect.forEach(
      Array.from({ length: Math.ceil(options.prs.length / batchSize) }, (_, at) =>
        options.prs.slice(at * batchSize, (at + 1) * batchSize),
      ),
      (batch) => askHalving(services, to, { ...options, prs: batch }),
      { concurrency: 4 },
    ),
    (answers) => answers.flat(),
  );
