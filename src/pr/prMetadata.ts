import type { PrIdentity } from "../names.ts";
import type { IsoTime } from "../time.ts";

/** A PR to look at. A queue row is one; the optional fields are needed on `local`, where the row is the only record. */
export interface PlatformRequest extends PrIdentity {
  readonly pr_url: string;
  /** The host's lasting id where it is known: it names the PR whatever its repository is called now. */
  readonly node_id?: string | null;
  readonly local_path?: string;
  readonly head_ref?: string | null;
  /** Last known head; tells a merged from a closed change when the local branch is gone. */
  readonly head_sha?: string | null;
  readonly target_branch?: string | null;
}

/** What a platform says about one PR at one moment (spec 2, "Queue row"). Untrusted text: sanitise at every sink. */
export interface PrMetadata {
  /** The host's own lasting id; it stays when the repository is renamed or transferred. Null on `local`. */
  readonly node_id: string | null;
  readonly title: string;
  /** Login; null when the account is gone. */
  readonly author: string | null;
  /** The host's lasting id of the author, as text. */
  readonly author_id: string | null;
  /** OWNER, MEMBER, COLLABORATOR … as the host says it; null on `local`. */
  readonly author_association: string | null;
  readonly body: string;
  readonly head_sha: string;
  readonly head_ref: string;
  /** The fork that the head came from is gone; `pull_ref` still works. */
  readonly head_repo_deleted: boolean;
  /** Repository that the head's branch is in, where `pull_ref` does not bring forks along; null when it is deleted. */
  readonly head_repository?: { readonly owner: string; readonly repo: string } | null;
  readonly target_branch: string;
  /** Tip of the target branch as the host knows it; never the merge base. */
  readonly base_sha: string;
  readonly is_draft: boolean;
  /** Counts are null where the platform cannot tell any more (a local change that is merged or closed). */
  readonly additions: number | null;
  readonly deletions: number | null;
  readonly changed_files: number | null;
  readonly merged_at: IsoTime | null;
  /** The host's own word, verbatim. */
  readonly state: string;
  readonly disposition: "open" | "merged" | "closed";
  /** The host merges it by itself once its conditions hold; null where the host does not say. */
  readonly auto_merge: boolean | null;
  /** It stands in a merge queue; null where the host does not say. */
  readonly in_merge_queue: boolean | null;
  /** APPROVED, CHANGES_REQUESTED, REVIEW_REQUIRED as the host says it; null where it does not. */
  readonly review_decision: string | null;
  /** What git fetches from: https without user information, or a real path on `local`. */
  readonly clone_url: string;
  /** Full ref of the head at `clone_url`: `refs/pull/N/head`, or `refs/heads/x` on `local`. */
  readonly pull_ref: string;
  /** Where the repository lives now, when that is not where it was asked for. */
  readonly renamed_to: { readonly owner: string; readonly repo: string } | null;
}
