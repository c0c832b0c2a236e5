import type { PrIdentity } from "../names.ts";
import type { IsoTime } from "../time.ts";

/** Canonical statuses of a row (spec 2). `merged` and `closed` are terminal. */
export const statuses = [
  "pending",
  "in_review",
  "reviewed",
  "comments",
  "approved",
  "merged",
  "closed",
  "error",
  "reminded",
] as const;
export type Status = (typeof statuses)[number];

export const prepStatuses = ["pending", "waiting_for_base", "preparing", "ready", "failed", "skipped"] as const;
export type PrepStatus = (typeof prepStatuses)[number];

/** One command that a machine has issued and nobody has settled yet. `id` is `<actor>#<seq>.<i>`. */
export interface PendingCommand {
  readonly id: string;
  readonly name: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** The persisted snapshot of an actor; the rest of its context are the fields of the row or of branch-meta.json. */
export interface ActorSnapshot {
  readonly version: number;
  readonly seq: number;
  readonly value: string;
  readonly pending: ReadonlyArray<PendingCommand>;
}

/** The base that a prepared PR was seeded from. */
export interface UsedBase {
  readonly repo: string;
  readonly branch: string;
  readonly sha: string;
  readonly created_by: "user" | "auto";
}

/** A moment by the running time of one boot of one machine, which no setting of a clock moves. */
export interface BootMoment {
  readonly host: string;
  readonly boot: string;
  /** Whole seconds since that boot. */
  readonly uptime_s: number;
}

/** Who holds a review: a lease with a fence (spec 2, "Review claim"). `epoch` only grows, also over releases. */
export interface Claim {
  readonly run_id: string;
  readonly token_hash: string;
  readonly epoch: number;
  readonly host: string;
  readonly boot: string;
  /** Process that owns the claim for as long as it lives; null when the claimer was a person's shell. */
  readonly pid: number | null;
  /** Start time of that process, as the system tells it; null with `pid`. */
  readonly start: string | null;
  /** The claim itself or its last heartbeat, by the machine that sent it; missing in rows of older programs. */
  readonly beat?: BootMoment;
}

export interface SlackOrigin {
  readonly channel_id: string;
  readonly thread_ts: string;
  readonly message_ts: string;
  readonly permalink?: string;
  readonly link_origin?: "main" | "reply";
  readonly n_pr_links_in_message?: number;
}

/** A row of pr-queue.json5 (spec 2, "Queue row"). Unknown fields are kept. */
export interface QueueRow extends PrIdentity {
  readonly pr_url: string;
  readonly node_id: string | null;
  readonly title: string | null;
  readonly author: string | null;
  readonly head_sha: string | null;
  readonly head_ref: string | null;
  readonly target_branch: string | null;
  readonly is_draft: boolean;
  readonly additions: number | null;
  readonly deletions: number | null;
  readonly changed_files: number | null;
  readonly merged_at: IsoTime | null;
  /** The host's own word, verbatim (OPEN, MERGED, DECLINED …). */
  readonly state: string | null;
  /** As last seen on the host; missing or null where it did not say. */
  readonly auto_merge?: boolean | null;
  readonly in_merge_queue?: boolean | null;
  readonly review_decision?: string | null;
  readonly last_checked_at: IsoTime | null;
  readonly added_at?: IsoTime;

  readonly status: Status;

  readonly last_reviewed_at: IsoTime | null;
  readonly last_reviewed_head_sha: string | null;
  readonly last_reviewed_base_ref: string | null;
  readonly last_reviewed_merge_base: string | null;
  readonly approved_host: boolean | null;
  readonly recommendation: string | null;
  readonly approve_ready: boolean | null;
  readonly last_reminded_at: IsoTime | null;
  readonly last_error: string | null;

  readonly prep_status: PrepStatus;
  readonly prep_started_at: IsoTime | null;
  readonly prep_completed_at: IsoTime | null;
  readonly prep_head_sha: string | null;
  readonly prep_base_ref: string | null;
  readonly prep_merge_base: string | null;
  readonly prep_used_base: UsedBase | null;
  readonly prep_error: string | null;
  /** Failed tries at the current review key; three, then only by hand. */
  readonly prep_attempts: number;

  readonly taken_at: IsoTime | null;
  readonly last_heartbeat_at: IsoTime | null;
  readonly claim: Claim | null;

  readonly slack: SlackOrigin | null;
  readonly slack_threads: ReadonlyArray<SlackOrigin>;
  readonly supporting_docs: ReadonlyArray<string>;
  /** Null until fetched. */
  readonly merge_base: string | null;
  readonly review_attempts: Readonly<Record<string, number>>;
  readonly actors: { readonly prep?: ActorSnapshot; readonly review?: ActorSnapshot };
  /** Real path of the repository; `local` platform only. */
  readonly local_path?: string;
  /** Addresses under which it stood before its repository was renamed or transferred, oldest first. */
  readonly former_urls?: ReadonlyArray<string>;
}

export const terminalStatuses: ReadonlySet<Status> = new Set<Status>(["merged", "closed"]);

/** True for a row whose PR is merged or closed. */
export const isTerminal = (row: Pick<QueueRow, "status">): boolean => terminalStatuses.has(row.status);

/** A row with nothing known but its identity. */
export const newRow = (identity: PrIdentity & { readonly pr_url: string }): QueueRow => ({
  pr_url: identity.pr_url,
  platform: identity.platform,
  host: identity.host,
  owner: identity.owner,
  repo: identity.repo,
  pr_number: identity.pr_number,
  node_id: null,
  title: null,
  author: null,
  head_sha: null,
  head_ref: null,
  target_branch: null,
  is_draft: false,
  additions: null,
  deletions: null,
  changed_files: null,
  merged_at: null,
  state: null,
  last_checked_at: null,
  status: "pending",
  last_reviewed_at: null,
  last_reviewed_head_sha: null,
  last_reviewed_base_ref: null,
  last_reviewed_merge_base: null,
  approved_host: null,
  recommendation: null,
  approve_ready: null,
  last_reminded_at: null,
  last_error: null,
  prep_status: "pending",
  prep_started_at: null,
  prep_completed_at: null,
  prep_head_sha: null,
  prep_base_ref: null,
  prep_merge_base: null,
  prep_used_base: null,
  prep_error: null,
  prep_attempts: 0,
  taken_at: null,
  last_heartbeat_at: null,
  claim: null,
  slack: null,
  slack_threads: [],
  supporting_docs: [],
  merge_base: null,
  review_attempts: {},
  actors: {},
});

/** The whole queue file. `rev` grows by one with every write. */
export interface QueueFile {
  readonly schema_version: number;
  readonly rev: number;
  readonly prs: ReadonlyArray<QueueRow>;
}

export const queueSchemaVersion = 4;
