import * as Schema from "effect/Schema";
import type { CheckState, PrActor, PrCheck, PrComment, PrReview, PrThread } from "../../src/pr/conversation.ts";
import { formatTime, parseTime } from "../../src/time.ts";

/** Everything said on a PR and the checks at one commit: a page of each list that is asked for. */
export const query = `query conversation(
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

/** An answer to the query, or what does not fit GitHub's description. */
export const decodeConversation = Schema.decodeUnknownEither(Answer);

const longestBody = 4000;

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

/** A thread on a line of the diff. */
export const threadOf = (thread: typeof Thread.Type): PrThread => ({
  id: thread.id,
  path: thread.path,
  side: thread.diffSide,
  line: thread.line,
  resolved: thread.isResolved,
  outdated: thread.isOutdated,
  comments: thread.comments.nodes.map(commentOf),
});

/** A comment on the PR as a whole is a thread of its own; nobody resolves it. */
export const wholeThread = (one: typeof Comment.Type): PrThread => ({
  id: one.id,
  path: null,
  side: null,
  line: null,
  resolved: null,
  outdated: false,
  comments: [commentOf(one)],
});

export const reviewOf = (review: typeof Review.Type): PrReview => ({
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

/** A check run or a commit status as one of the states that both have. */
export const checkOf = (check: typeof Check.Type): PrCheck =>
  check.__typename === "CheckRun"
    ? {
        name: check.name,
        state: check.status === "COMPLETED" ? (runStates[check.conclusion ?? ""] ?? "unknown") : "pending",
        url: check.detailsUrl,
      }
    : { name: check.context, state: statusStates[check.state] ?? "unknown", url: check.targetUrl };
