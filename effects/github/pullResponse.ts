import * as Either from "effect/Either";
import * as Schema from "effect/Schema";
import type { PrIdentity } from "../../src/names.ts";
import { ownerAndRepo } from "../../src/pr/prGrammar.ts";
import type { PrMetadata } from "../../src/pr/prMetadata.ts";
import { formatTime, parseTime } from "../../src/time.ts";
import { pullProblem } from "../platform/answerProblem.ts";
import { Count, ObjectId, RefName, Time } from "./answerFields.ts";

/** The part of GitHub's answer to "get a pull request" that adk reads; a head without repository is a deleted fork. */
const PullResponse = Schema.Struct({
  number: Schema.Int,
  node_id: Schema.String.pipe(Schema.minLength(1)),
  state: Schema.Literal("open", "closed"),
  title: Schema.String,
  body: Schema.NullishOr(Schema.String),
  user: Schema.NullOr(Schema.Struct({ login: Schema.String, id: Schema.Union(Schema.Int, Schema.BigIntFromSelf) })),
  author_association: Schema.String,
  draft: Schema.optional(Schema.Boolean),
  auto_merge: Schema.NullishOr(Schema.Object),
  merged_at: Schema.NullOr(Time),
  head: Schema.Struct({ sha: ObjectId, ref: RefName, repo: Schema.NullOr(Schema.Object) }),
  base: Schema.Struct({ sha: ObjectId, ref: RefName, repo: Schema.Struct({ full_name: Schema.String }) }),
  additions: Count,
  deletions: Count,
  changed_files: Count,
});

const decode = Schema.decodeUnknownEither(PullResponse);

const disposition = (pull: typeof PullResponse.Type): PrMetadata["disposition"] => {
  if (pull.merged_at !== null) return "merged";
  return pull.state;
};

/** GitHub's answer → metadata, or what is wrong with the answer ("… answered with …"). */
export const readPull = (data: unknown, asked: PrIdentity): Either.Either<PrMetadata, string> => {
  const decoded = decode(data);
  if (Either.isLeft(decoded)) return Either.left(pullProblem(decoded.left));
  const pull = decoded.right;
  if (pull.number !== asked.pr_number) return Either.left(`pull request ${pull.number}`);
  const names = ownerAndRepo("github", pull.base.repo.full_name);
  if (names === null) return Either.left("a repository name that is none");
  const isSame =
    names.owner.toLowerCase() === asked.owner.toLowerCase() && names.repo.toLowerCase() === asked.repo.toLowerCase();
  const mergedAt = parseTime(pull.merged_at);
  return Either.right({
    node_id: pull.node_id,
    title: pull.title,
    author: pull.user?.login ?? null,
    author_id: pull.user === null ? null : String(pull.user.id),
    author_association: pull.author_association,
    body: pull.body ?? "",
    head_sha: pull.head.sha,
    head_ref: pull.head.ref,
    head_repo_deleted: pull.head.repo === null,
    target_branch: pull.base.ref,
    base_sha: pull.base.sha,
    is_draft: pull.draft ?? false,
    additions: pull.additions,
    deletions: pull.deletions,
    changed_files: pull.changed_files,
    merged_at: mergedAt === null ? null : formatTime(mergedAt),
    state: pull.state,
    disposition: disposition(pull),
    // Built from checked names, never taken from the answer: git and the token go to the PR's own host.
    clone_url: `https://${asked.host.toLowerCase()}/${names.owner}/${names.repo}.git`,
    pull_ref: `refs/pull/${asked.pr_number}/head`,
    auto_merge: pull.auto_merge === undefined ? null : pull.auto_merge !== null,
    in_merge_queue: null,
    review_decision: null,
    renamed_to: isSame ? null : names,
  });
};
