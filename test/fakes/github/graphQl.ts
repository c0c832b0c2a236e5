import { readFileSync } from "node:fs";
import { buildASTSchema, type GraphQLSchema, graphqlSync, parse } from "graphql";
import {
  type FakeCheck,
  type FakeComment,
  type FakeGitHubState,
  type FakePull,
  type FakeRepository,
  type FakeToken,
  findFormerName,
  findRepository,
  findUser,
} from "./state.ts";

const file = new URL("../../../node_modules/@octokit/graphql-schema/schema.graphql", import.meta.url);

let schema: GraphQLSchema | null = null;

/** GitHub's published schema; a second of work, so it is made with the first query. */
const published = (): GraphQLSchema => {
  schema ??= buildASTSchema(parse(readFileSync(file, "utf8"), { noLocation: true }), { assumeValidSDL: true });
  return schema;
};

/** An error as GitHub's GraphQL gives it beside good data: with a type, and null at its path. */
class HostError extends Error {
  readonly type: string;
  readonly saml: boolean;
  constructor(type: string, message: string, saml = false) {
    super(message);
    this.type = type;
    this.saml = saml;
  }
}

export interface GraphQlCall {
  readonly state: FakeGitHubState;
  readonly token: FakeToken;
  readonly limit: { readonly used: number; readonly reset: number };
}

interface PageArguments {
  readonly first?: number;
  readonly after?: string | null;
}

const longestPage = 100;

/** A connection over a list; cursors are positions. */
const page = <A>(items: ReadonlyArray<A>, { first, after }: PageArguments) => {
  if (first === undefined)
    throw new HostError(
      "MISSING_PAGINATION_BOUNDARIES",
      "You must provide a `first` or `last` value to properly paginate.",
    );
  if (first < 1 || first > longestPage)
    throw new HostError(
      "EXCESSIVE_PAGINATION",
      `Requesting ${first} records exceeds the \`first\` limit of 100 records.`,
    );
  const from = after === undefined || after === null ? 0 : Number(after);
  const nodes = items.slice(from, from + first);
  return {
    nodes,
    totalCount: items.length,
    pageInfo: {
      hasNextPage: from + first < items.length,
      endCursor: nodes.length === 0 ? null : String(from + nodes.length),
    },
  };
};

const actor = (state: FakeGitHubState, login: string | null) => {
  if (login === null) return null;
  const user = findUser(state, login);
  return { __typename: user.type ?? "User", login: user.login, databaseId: user.id };
};

const comment = (state: FakeGitHubState, one: FakeComment) => ({
  id: one.id,
  author: actor(state, one.author),
  body: one.body,
  createdAt: one.createdAt ?? "2026-01-06T08:00:00Z",
  url: `https://github.com/comments/${one.id}`,
});

const rollup = (checks: ReadonlyArray<FakeCheck>) =>
  checks.length === 0
    ? null
    : {
        state: checks.some(({ conclusion }) => conclusion === "FAILURE") ? "FAILURE" : "SUCCESS",
        contexts: (args: PageArguments) =>
          page(
            checks.map(({ name, kind, conclusion }) =>
              kind === "run"
                ? {
                    __typename: "CheckRun",
                    name,
                    status: conclusion === null ? "IN_PROGRESS" : "COMPLETED",
                    conclusion,
                    detailsUrl: null,
                  }
                : { __typename: "StatusContext", context: name, state: conclusion ?? "PENDING", targetUrl: null },
            ),
            args,
          ),
      };

const pullNode = (state: FakeGitHubState, repository: FakeRepository, pull: FakePull) => {
  const merged = pull.mergedAt !== undefined;
  return {
    __typename: "PullRequest",
    id: `PR_${repository.id}_${pull.number}`,
    number: pull.number,
    title: pull.title,
    body: pull.body ?? "",
    state: merged ? "MERGED" : pull.state.toUpperCase(),
    isDraft: pull.draft ?? false,
    merged,
    mergedAt: pull.mergedAt ?? null,
    author: actor(state, pull.author),
    authorAssociation: pull.association ?? "CONTRIBUTOR",
    headRefName: pull.head.ref,
    headRefOid: pull.head.sha,
    headRepository:
      pull.head.repo === null ? null : { nameWithOwner: pull.head.repo ?? `${repository.owner}/${repository.name}` },
    baseRefName: pull.base.ref,
    baseRefOid: pull.base.sha,
    additions: pull.files.reduce((sum, file) => sum + file.additions, 0),
    deletions: pull.files.reduce((sum, file) => sum + file.deletions, 0),
    changedFiles: pull.files.length,
    autoMergeRequest: pull.autoMerge === true ? { enabledAt: "2026-01-06T08:00:00Z" } : null,
    isInMergeQueue: pull.inMergeQueue ?? false,
    reviewDecision: pull.reviewDecision ?? null,
    repository: () => repositoryNode(state, repository),
    reviewThreads: (args: PageArguments) =>
      page(
        (pull.threads ?? []).map((thread) => ({
          id: thread.id,
          path: thread.path,
          line: thread.line,
          diffSide: thread.side ?? "RIGHT",
          isResolved: thread.resolved ?? false,
          isOutdated: thread.outdated ?? false,
          comments: (inner: PageArguments) =>
            page(
              thread.comments.map((one) => comment(state, one)),
              inner,
            ),
        })),
        args,
      ),
    comments: (args: PageArguments) =>
      page(
        (pull.comments ?? []).map((one) => comment(state, one)),
        args,
      ),
    reviews: (args: PageArguments) =>
      page(
        (pull.reviews ?? []).map((review) => ({
          id: review.id,
          author: actor(state, review.author),
          state: review.state,
          submittedAt: review.submittedAt ?? "2026-01-06T09:00:00Z",
          commit: { oid: review.sha },
        })),
        args,
      ),
  };
};

const repositoryNode = (state: FakeGitHubState, repository: FakeRepository) => ({
  nameWithOwner: `${repository.owner}/${repository.name}`,
  pullRequest: ({ number }: { readonly number: number }) => {
    const pull = repository.pulls.find((known) => known.number === number);
    if (pull === undefined)
      throw new HostError("NOT_FOUND", `Could not resolve to a PullRequest with the number of ${number}.`);
    return pullNode(state, repository, pull);
  },
  object: ({ oid }: { readonly oid?: string }) => ({
    __typename: "Commit",
    oid,
    statusCheckRollup: rollup((repository.checks ?? []).filter(({ sha }) => sha === oid)),
  }),
});

/** What a token may see: a hidden repository is no different from none; single sign-on is named. */
const visible = (call: GraphQlCall, repository: FakeRepository) => {
  if (call.token.ssoMissing?.includes(repository.owner))
    throw new HostError(
      "FORBIDDEN",
      "Resource protected by organization SAML enforcement. You must grant your Personal Access token access to this organization.",
      true,
    );
  return repository;
};

const root = (call: GraphQlCall) => ({
  repository: ({ owner, name }: { readonly owner: string; readonly name: string }) => {
    const found = findRepository(call.state, owner, name) ?? findFormerName(call.state, owner, name);
    if (found === undefined)
      throw new HostError("NOT_FOUND", `Could not resolve to a Repository with the name '${owner}/${name}'.`);
    return repositoryNode(call.state, visible(call, found));
  },
  node: ({ id }: { readonly id: string }) => {
    for (const repository of call.state.repositories) {
      const pull = repository.pulls.find(({ number }) => id === `PR_${repository.id}_${number}`);
      if (pull !== undefined) return pullNode(call.state, visible(call, repository), pull);
    }
    throw new HostError("NOT_FOUND", `Could not resolve to a node with the global id of '${id}'`);
  },
  rateLimit: () => ({
    limit: 5000,
    cost: 1,
    used: call.limit.used,
    remaining: 5000 - call.limit.used,
    resetAt: new Date(call.limit.reset * 1000).toISOString().replace(/\.\d+Z/, "Z"),
    nodeCount: 1,
  }),
  viewer: () => ({ login: call.token.login }),
});

export interface GraphQlAnswer {
  readonly body: Readonly<Record<string, unknown>>;
  /** What the published schema does not allow: an unknown field, a wrong argument, an answer of a wrong type. */
  readonly problems: ReadonlyArray<string>;
}

/** Runs one query by GitHub's published schema over the fake's state. */
export const answerGraphQl = (
  call: GraphQlCall,
  request: { readonly query: string; readonly variables: Readonly<Record<string, unknown>> },
): GraphQlAnswer => {
  const result = graphqlSync({
    schema: published(),
    source: request.query,
    variableValues: request.variables,
    rootValue: root(call),
  });
  const errors = result.errors ?? [];
  const problems = errors.flatMap(({ originalError, message }) =>
    originalError instanceof HostError ? [] : [message],
  );
  const shown = errors.map(({ message, path, originalError }) => ({
    message,
    ...(originalError instanceof HostError
      ? { type: originalError.type, path, ...(originalError.saml ? { extensions: { saml_failure: true } } : {}) }
      : {}),
  }));
  return { body: { data: result.data ?? null, ...(shown.length > 0 ? { errors: shown } : {}) }, problems };
};
