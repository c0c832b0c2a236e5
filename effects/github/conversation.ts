import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Either from "effect/Either";
import type { PrCheck, PrConversation, PrReview, PrThread } from "../../src/pr/conversation.ts";
import { worstCheck } from "../../src/pr/conversation.ts";
import type { PlatformRequest } from "../../src/pr/prMetadata.ts";
import type { PlatformFailure } from "../platform/errors.ts";
import type { Connection, Services } from "./connection.ts";
import { checkOf, decodeConversation, query, reviewOf, threadOf, wholeThread } from "./conversationAnswer.ts";
import { badResponse, type GraphQlError, graphQlFailure } from "./failures.ts";
import { askGraphQl } from "./graphQl.ts";

/** Of each list: more than this is said in a note and left out. */
const mostPages = 40;

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
      const decoded = decodeConversation(answer.data);
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
