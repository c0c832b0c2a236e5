import * as Either from "effect/Either";
import * as Schema from "effect/Schema";
import type { PrIdentity } from "../../src/names.ts";
import { ownerAndRepo } from "../../src/pr/prGrammar.ts";
import type { PrMetadata } from "../../src/pr/prMetadata.ts";
import { formatTime, parseTime } from "../../src/time.ts";
import { pullProblem } from "../platform/answerProblem.ts";
import { Count, ObjectId, RefName, Time } from "./answerFields.ts";

/** What is asked of each pull request in a batch; `readPullNode` reads it. */
export const pullFields = `fragment pull on PullRequest {
  id number title body state isDraft mergedAt authorAssociation
  author { __typename login ... on User { databaseId } ... on Bot { databaseId } }
  headRefName headRefOid headRepository { nameWithOwner } baseRefName baseRefOid
  additions deletions changedFiles autoMergeRequest { enabledAt } isInMergeQueue reviewDecision
  repository { nameWithOwner }
}`;

const Author = Schema.Struct({ login: Schema.String, databaseId: Schema.optional(Schema.NullOr(Schema.Int)) });

const PullNode = Schema.Struct({
  id: Schema.String.pipe(Schema.minLength(1)),
  number: Schema.Int,
  title: Schema.String,
  body: Schema.String,
  state: Schema.Literal("OPEN", "CLOSED", "MERGED"),
  isDraft: Schema.Boolean,
  mergedAt: Schema.NullOr(Time),
  author: Schema.NullOr(Author),
  authorAssociation: Schema.String,
  headRefName: RefName,
  headRefOid: ObjectId,
  headRepository: Schema.NullOr(Schema.Object),
  baseRefName: RefName,
  baseRefOid: ObjectId,
  additions: Count,
  deletions: Count,
  changedFiles: Count,
  autoMergeRequest: Schema.NullOr(Schema.Object),
  isInMergeQueue: Schema.Boolean,
  reviewDecision: Schema.NullOr(Schema.String),
  repository: Schema.Struct({ nameWithOwner: Schema.String }),
});

const decode = Schema.decodeUnknownEither(PullNode);

const dispositions = { OPEN: "open", CLOSED: "closed", MERGED: "merged" } as const;

/** A pull request of a GraphQL answer → metadata, or what is wrong with it ("… answered with …"). */
export const readPullNode = (data: unknown, asked: PrIdentity): Either.Either<PrMetadata, string> => {
  const decoded = decode(data);
  if (Either.isLeft(decoded)) return Either.left(pullProblem(decoded.left));
  const pull = decoded.right;
  if (pull.number !== asked.pr_number) return Either.left(`pull request ${pull.number}`);
  const names = ownerAndRepo("github", pull.repository.nameWithOwner);
  if (names === null) return Either.left("a repository name that is none");
  const isSame =
    names.owner.toLowerCase() === asked.owner.toLowerCase() && names.repo.toLowerCase() === asked.repo.toLowerCase();
  const mergedAt = parseTime(pull.mergedAt);
  const id = pull.author?.databaseId;
  return Either.right({
    node_id: pull.id,
    title: pull.title,
    author: pull.author?.login ?? null,
    author_id: id === null || id === undefined ? null : String(id),
    author_association: pull.authorAssociation,
    body: pull.body,
    head_sha: pull.headRefOid,
    head_ref: pull.headRefName,
    head_repo_deleted: pull.headRepository === null,
    target_branch: pull.baseRefName,
    base_sha: pull.baseRefOid,
    is_draft: pull.isDraft,
    additions: pull.additions,
    deletions: pull.deletions,
    changed_files: pull.changedFiles,
    merged_at: mergedAt === null ? null : formatTime(mergedAt),
    // The word of the REST interface, which knows no third state.
    state: pull.state === "OPEN" ? "open" : "closed",
    disposition: dispositions[pull.state],
    auto_merge: pull.autoMergeRequest !== null,
    in_merge_queue: pull.isInMergeQueue,
    review_decision: pull.reviewDecision,
    clone_url: `https://${asked.host.toLowerCase()}/${names.owner}/${names.repo}.git`,
    pull_ref: `refs/pull/${asked.pr_number}/head`,
    renamed_to: isSame ? null : names,
  });
};
