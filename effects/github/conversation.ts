import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Either from "effect/Either";
import * as Schema from "effect/Schema";
import type {
  CheckState,
  PrActor,
  PrCheck,
  PrComment,
  PrConversation,
  PrReview,
  PrThread,
} from "../../src/pr/conversation.ts";
import { worstCheck } from "../../src/pr/conversation.ts";
import type { PlatformRequest } from "../../src/pr/prMetadata.ts";
import { formatTime, parseTime } from "../../src/time.ts";
import type { PlatformFailure } from "../platform/errors.ts";
import type { Connection, Services } from "./connection.ts";
import { badResponse, type GraphQlError, graphQlFailure } from "./failures.ts";
import { askGraphQl } from "./graphQl.ts";

const query = `query conversation(
  $owner: String!, $name: String!, $number: Int!, $oid: GitObjectID!
  $withThreads: Boolean!, $threads: String, $withComments: Boolean!, $comments: String
  $withReviews: Boolean!, $reviews: String, $withChecks: Boolean!, $checks: String
) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      reviewThreads(first: 50, after: $threads) @include(if: $withThreads) {
        pageInfo { hasNextPage endCursor }
        nodes { id path line diffSide isResolved isOutdated comments(first: 20) { totalCount nodes { ...said } } }
      }
      comments(first: 50, after: $comments) @include(if: $withComments) {
        pageInfo { hasNextPage endCursor }
        nodes { ...said }
      }
      reviews(first: 50, after: $reviews) @include(if: $withReviews) {
        pageInfo { hasNextPage endCursor }
        nodes { id state submittedAt author { __typename login } commit { oid } }
      }
    }
    object(oid: $oid) @include(if: $withChecks) {
      ... on Commit {
        oid
        statusCheckRollup {
          contexts(first: 100, after: $checks) {
            pageInfo { hasNextPage endCursor }
            nodes {
              __typename
              ... on CheckRun { name status conclusion detailsUrl }
              ... on StatusContext { context state targetUrl }
            }
          }
        }
      }
    }
  }
}
fragment said on Comment { id body createdAt author { __typename login } ... on IssueComment { url } ... on PullRequestReviewComment { url } }`;

const Actor = Schema.NullOr(Schema.Struct({ __typename: Schema.String, login: Schema.String }));
const Comment = Schema.Struct({
  id: Schema.String,
  body: Schema.String,
  createdAt: Schema.String,
  author: Actor,
  url: Schema.optional(Schema.String),
});
const Page = <A, I>(node: Schema.Schema<A, I>) =>
  Schema.Struct({
    pageInfo: Schema.Struct({ hasNextPage: Schema.Boolean, endCursor: Schema.NullOr(Schema.String) }),
    nodes: Schema.Array(node),
  });
const Thread = Schema.Struct({
  id: Schema.String,
  path: Schema.String,
  line: Schema.NullOr(Schema.Int),
  diffSide: Schema.Literal("LEFT", "RIGHT"),
  isResolved: Schema.Boolean,
  isOutdated: Schema.Boolean,
  comments: Schema.Struct({ totalCount: Schema.Int, nodes: Schema.Array(Comment) }),
});
const Review = Schema.Struct({
  id: Schema.String,
  state: Schema.String,
  submittedAt: Schema.NullOr(Schema.String),
  author: Actor,
  commit: Schema.NullOr(Schema.Struct({ oid: Schema.String })),
});
const Check = Schema.Union(
  Schema.Struct({
    __typename: Schema.Literal("CheckRun"),
    name: Schema.String,
    status: Schema.String,
    conclusion: Schema.NullOr(Schema.String),
    detailsUrl: Schema.NullOr(Schema.String),
  }),
  Schema.Struct({
    __typename: Schema.Literal("StatusContext"),
    context: Schema.String,
    state: Schema.String,
    targetUrl: Schema.NullOr(Schema.String),
  }),
);
const Answer = Schema.Struct({
  repository: Schema.Struct({
    pullRequest: Schema.Struct({
      reviewThreads: Schema.optional(Page(Thread)),
      comments: Schema.optional(Page(Comment)),
      reviews: Schema.optional(Page(Review)),
    }),
    object: Schema.optional(
      Schema.NullOr(
        Schema.Struct({
          oid: Schema.optional(Schema.String),
          statusCheckRollup: Schema.optional(Schema.NullOr(Schema.Struct({ contexts: Page(Check) }))),
        }),
      ),
    ),
  }),
});

const decode = Schema.decodeUnknownEither(Answer);

const longestBody = 4000;
/** Of each list: more than this is said in a note and left out. */
const mostPages = 40;

const actorOf = (author: typeof Actor.Type): PrActor => {
  if (author === null) return { login: null, kind: "unknown" };
  const isBot = author.__typename === "Bot" || /\[bot\]$/i.test(author.login);
  return { login: author.login, kind: isBot ? "bot" : "user" };
};

const timeOf = (text: string | null) => {
  const ms = parseTime(text);
  return ms === null ? null : formatTime(ms);
};

const commentOf = (one: typeof Comment.Type): PrComment => ({
  id: one.id,
  author: actorOf(one.author),
  body: one.body.slice(0, longestBody),
  created_at: timeOf(one.createdAt),
  url: one.url ?? null,
});

const threadOf = (thread: typeof Thread.Type): PrThread => ({
  id: thread.id,
  path: thread.path,
  side: thread.diffSide,
  line: thread.line,
  resolved: thread.isResolved,
  outdated: thread.isOutdated,
  comments: thread.comments.nodes.map(commentOf),
});

/** A comment on the PR as a whole is a thread of its own; nobody resolves it. */
const wholeThread = (one: typeof Comment.Type): PrThread => ({
  id: one.id,
  path: null,
  side: null,
  line: null,
  resolved: null,
  outdated: false,
  comments: [commentOf(one)],
});

const reviewOf = (review: typeof Review.Type): PrReview => ({
  id: review.id,
  author: actorOf(review.author),
  state: review.state,
  submitted_at: timeOf(review.submittedAt),
  commit_sha: review.commit?.oid ?? null,
});

const runStates: Readonly<Record<string, CheckState>> = {
  SUCCESS: "success",
  NEUTRAL: "neutral",
  SKIPPED: "skipped",
  FAILURE: "failure",
  TIMED_OUT: "failure",
  CANCELLED: "failure",
  ACTION_REQUIRED: "failure",
  STARTUP_FAILURE: "failure",
  STALE: "unknown",
};
const statusStates: Readonly<Record<string, CheckState>> = {
  SUCCESS: "success",
  FAILURE: "failure",
  ERROR: "failure",
  PENDING: "pending",
  EXPECTED: "pending",
};

const checkOf = (check: typeof Check.Type): PrCheck =>
  check.__typename === "CheckRun"
    ? {
        name: check.name,
        state: check.status === "COMPLETED" ? (runStates[check.conclusion ?? ""] ?? "unknown") : "pending",
        url: check.detailsUrl,
      }
    : { name: check.context, state: statusStates[check.state] ?? "unknown", url: check.targetUrl };

type Part = "threads" | "comments" | "reviews" | "checks";
type Cursors = Readonly<Record<Part, string | null | "done">>;

const capital: Readonly<Record<Part, string>> = {
  threads: "withThreads",
  comments: "withComments",
  reviews: "withReviews",
  checks: "withChecks",
};

const variablesOf = (pr: PlatformRequest, oid: string, cursors: Cursors) => ({
  owner: pr.owner,
  name: pr.repo,
  number: pr.pr_number,
  oid,
  ...Object.fromEntries(
    Object.entries(cursors).flatMap(([part, cursor]) => [
      [capital[part as Part], cursor !== "done"],
      [part, cursor === "done" ? null : cursor],
    ]),
  ),
});

/** Where each part stands in an answer; an error's path names it. */
const fieldOf: Readonly<Record<string, Part>> = {
  reviewThreads: "threads",
  comments: "comments",
  reviews: "reviews",
  object: "checks",
};

/** The part that an error belongs to, or null when it is about the pull request or its repository itself. */
const failedPart = ({ path }: GraphQlError): Part | null => {
  const field = path?.[1] === "object" ? "object" : path?.[1] === "pullRequest" ? path[2] : undefined;
  return typeof field === "string" ? (fieldOf[field] ?? null) : null;
};

type PageInfo = { readonly hasNextPage: boolean; readonly endCursor: string | null } | undefined;

const nextCursor = (info: PageInfo): string | "done" =>
  info === undefined || !info.hasNextPage || info.endCursor === null ? "done" : info.endCursor;

/**
 * Everything said on a PR and the checks at exactly `headSha`, page by page to the end, all lists in one request while
 * they last (spec 5, "Existing threads"). More than 2,000 of one list are cut with a note. A part that the host refuses
 * (a token that may not read checks) is null with a note, and the page is asked again without it; what concerns the PR
 * as a whole is the failure.
 */
export const readConversation = (
  services: Services,
  to: Connection,
  pr: PlatformRequest,
  headSha: string,
): Effect.Effect<PrConversation, PlatformFailure> =>
  Effect.gen(function* () {
    const what = `the conversation of ${pr.owner}/${pr.repo}#${pr.pr_number}`;
    const asked = { host: to.host, what, hasToken: to.hasToken, now: yield* Clock.currentTimeMillis };
    const threads: PrThread[] = [];
    const whole: PrThread[] = [];
    const reviews: PrReview[] = [];
    const checks: PrCheck[] = [];
    const failed = new Map<Part, string>();
    let longThreads = 0;
    let commitSeen = true;
    let cursors: Cursors = { threads: null, comments: null, reviews: null, checks: null };
    for (let page = 0; page < mostPages && Object.values(cursors).some((cursor) => cursor !== "done"); page += 1) {
      const answer = yield* askGraphQl(services, to, { what, query, variables: variablesOf(pr, headSha, cursors) });
      if (answer.errors.length > 0) {
        for (const error of answer.errors) {
          const part = failedPart(error);
          const failure = graphQlFailure(error, { ...asked, what: `${part ?? "all"} of ${what}` });
          if (part === null || cursors[part] === "done") return yield* Effect.fail(failure);
          failed.set(part, `${part} were not read: ${failure.message}`);
        }
        for (const part of failed.keys()) cursors = { ...cursors, [part]: "done" };
        continue;
      }
      const decoded = decode(answer.data);
      if (Either.isLeft(decoded)) return yield* Effect.fail(badResponse("fields that GitHub does not describe", asked));
      const { pullRequest, object } = decoded.right.repository;
      const onLines = pullRequest.reviewThreads?.nodes ?? [];
      threads.push(...onLines.map(threadOf));
      longThreads += onLines.filter(({ comments }) => comments.totalCount > comments.nodes.length).length;
      whole.push(...(pullRequest.comments?.nodes ?? []).map(wholeThread));
      reviews.push(...(pullRequest.reviews?.nodes ?? []).map(reviewOf));
      const contexts = object?.statusCheckRollup?.contexts;
      checks.push(...(contexts?.nodes ?? []).map(checkOf));
      if (cursors.checks === null && (object === null || object?.oid !== headSha)) commitSeen = false;
      cursors = {
        threads: nextCursor(pullRequest.reviewThreads?.pageInfo),
        comments: nextCursor(pullRequest.comments?.pageInfo),
        reviews: nextCursor(pullRequest.reviews?.pageInfo),
        checks: nextCursor(contexts?.pageInfo),
      };
    }
    const cut = Object.entries(cursors).flatMap(([part, cursor]) =>
      cursor === "done" ? [] : [`only the first ${part} were read: there are more than adk reads`],
    );
    const hasChecks = commitSeen && !failed.has("checks");
    return {
      threads: failed.has("threads") || failed.has("comments") ? null : [...threads, ...whole],
      reviews: failed.has("reviews") ? null : reviews,
      checks: hasChecks ? { head_sha: headSha, state: worstCheck(checks), checks } : null,
      notes: [
        ...failed.values(),
        ...cut,
        ...(longThreads > 0 ? [`${longThreads} long threads are shown with their first comments only`] : []),
        ...(commitSeen
          ? []
          : [`the host does not know commit ${headSha.slice(0, 12)} (any more), so its checks were not read`]),
      ],
    };
  });
