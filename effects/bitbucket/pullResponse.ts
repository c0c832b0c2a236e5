import * as Either from "effect/Either";
import * as Schema from "effect/Schema";
import { ownerAndRepo } from "../../src/pr/prGrammar.ts";
import type { PlatformRequest, PrMetadata } from "../../src/pr/prMetadata.ts";
import { formatTime, parseTime } from "../../src/time.ts";
import { pullProblem } from "../platform/answerProblem.ts";

const Hash = Schema.String.pipe(Schema.pattern(/^[0-9a-f]{7,64}$/));
const RefName = Schema.String.pipe(Schema.minLength(1), Schema.maxLength(1024));
const Repository = Schema.Struct({ full_name: Schema.String, uuid: Schema.optional(Schema.String) });
const Account = Schema.Struct({
  display_name: Schema.optional(Schema.String),
  nickname: Schema.optional(Schema.String),
  account_id: Schema.optional(Schema.String),
  uuid: Schema.optional(Schema.String),
});

const PullResponse = Schema.Struct({
  id: Schema.Int,
  title: Schema.String,
  description: Schema.NullishOr(Schema.String),
  state: Schema.Literal("OPEN", "MERGED", "DECLINED", "SUPERSEDED"),
  draft: Schema.optional(Schema.Boolean),
  author: Schema.NullOr(Account),
  updated_on: Schema.String,
  source: Schema.Struct({
    branch: Schema.Struct({ name: RefName }),
    commit: Schema.NullOr(Schema.Struct({ hash: Hash })),
    repository: Schema.NullOr(Repository),
  }),
  destination: Schema.Struct({
    branch: Schema.Struct({ name: RefName }),
    commit: Schema.NullOr(Schema.Struct({ hash: Hash })),
    repository: Repository,
  }),
});

/** What adk reads of a PR of Bitbucket's. */
export interface BitbucketPull {
  readonly answer: typeof PullResponse.Type;
  /** `workspace/repo` of the branch; null when that repository is gone. */
  readonly source: string | null;
  readonly destination: string;
  /** As Bitbucket gives them: twelve characters of a commit's name. */
  readonly head: string;
  readonly base: string;
}

const decode = Schema.decodeUnknownEither(PullResponse);

/** Bitbucket's answer → a PR, or what is wrong with it ("… answered with …"). */
export const readPull = (data: unknown, asked: PlatformRequest): Either.Either<BitbucketPull, string> => {
  const decoded = decode(data);
  if (Either.isLeft(decoded)) return Either.left(pullProblem(decoded.left));
  const answer = decoded.right;
  if (answer.id !== asked.pr_number) return Either.left(`pull request ${answer.id}`);
  const { source, destination } = answer;
  if (ownerAndRepo("bitbucket", destination.repository.full_name) === null)
    return Either.left("a repository name that is none");
  if (source.repository !== null && ownerAndRepo("bitbucket", source.repository.full_name) === null)
    return Either.left("a repository name that is none");
  if (source.commit === null || destination.commit === null) return Either.left("a pull request without commits");
  return Either.right({
    answer,
    source: source.repository?.full_name ?? null,
    destination: destination.repository.full_name,
    head: source.commit.hash,
    base: destination.commit.hash,
  });
};

/** The whole name of a commit that begins with `short`, from the answer about it. */
export const commitHash = (data: unknown, short: string): Either.Either<string, string> => {
  const hash = (data as { readonly hash?: unknown } | null)?.hash;
  if (typeof hash !== "string" || !/^[0-9a-f]{40,64}$/.test(hash))
    return Either.left("a commit without its whole name");
  return hash.startsWith(short) ? Either.right(hash) : Either.left(`commit ${hash.slice(0, 12)} for ${short}`);
};

const dispositions = { OPEN: "open", MERGED: "merged", DECLINED: "closed", SUPERSEDED: "closed" } as const;

/** The metadata of a PR whose commits are known by their whole names. */
export const metadataOf = (
  pull: BitbucketPull,
  known: {
    readonly head: string;
    readonly base: string;
    readonly counted: Pick<PrMetadata, "additions" | "deletions" | "changed_files"> | null;
    readonly pr: PlatformRequest;
  },
): PrMetadata => {
  const { answer } = pull;
  const names = ownerAndRepo("bitbucket", pull.destination) ?? known.pr;
  const isSame = pull.destination.toLowerCase() === `${known.pr.owner}/${known.pr.repo}`.toLowerCase();
  const updated = parseTime(answer.updated_on);
  const uuid = answer.destination.repository.uuid;
  return {
    node_id: uuid === undefined ? null : `${uuid}/${answer.id}`,
    title: answer.title,
    author: answer.author?.nickname ?? answer.author?.display_name ?? null,
    author_id: answer.author?.account_id ?? answer.author?.uuid ?? null,
    author_association: null,
    body: answer.description ?? "",
    head_sha: known.head,
    head_ref: answer.source.branch.name,
    head_repo_deleted: pull.source === null,
    head_repository: pull.source === null ? null : ownerAndRepo("bitbucket", pull.source),
    target_branch: answer.destination.branch.name,
    base_sha: known.base,
    is_draft: answer.draft ?? false,
    additions: known.counted?.additions ?? null,
    deletions: known.counted?.deletions ?? null,
    changed_files: known.counted?.changed_files ?? null,
    // Bitbucket has no time of the merge itself; nothing changes a merged PR but its comments.
    merged_at: answer.state === "MERGED" && updated !== null ? formatTime(updated) : null,
    state: answer.state,
    disposition: dispositions[answer.state],
    auto_merge: null,
    in_merge_queue: null,
    review_decision: null,
    clone_url: `https://bitbucket.org/${names.owner}/${names.repo}.git`,
    // Bitbucket keeps no ref of its own for a PR: its head is the source branch, while that exists.
    pull_ref: `refs/heads/${answer.source.branch.name}`,
    renamed_to: isSame ? null : { owner: names.owner, repo: names.repo },
  };
};
