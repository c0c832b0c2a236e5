import type { IsoTime } from "../time.ts";

/** Who wrote something on a host. Untrusted text: sanitise at every sink. */
export interface PrActor {
  /** Login or account name; null when the account is gone. */
  readonly login: string | null;
  readonly kind: "user" | "bot" | "unknown";
}

export interface PrComment {
  readonly id: string;
  readonly author: PrActor;
  /** Markdown as the host has it, cut at 4,000 characters. Untrusted. */
  readonly body: string;
  readonly created_at: IsoTime | null;
  readonly url: string | null;
}

/** A thread of comments on a line of the diff, or on the PR as a whole (`path` null). */
export interface PrThread {
  readonly id: string;
  readonly path: string | null;
  readonly side: "LEFT" | "RIGHT" | null;
  /** Line on that side, 1-based; null for a file comment or an outdated position. */
  readonly line: number | null;
  /** Null where the host does not say. */
  readonly resolved: boolean | null;
  readonly outdated: boolean;
  readonly comments: ReadonlyArray<PrComment>;
}

export interface PrReview {
  readonly id: string;
  readonly author: PrActor;
  /** APPROVED, CHANGES_REQUESTED, COMMENTED, DISMISSED, PENDING as the host says it. */
  readonly state: string;
  readonly submitted_at: IsoTime | null;
  /** Commit that the host names; not believed as "reviewed at" (spec 5). */
  readonly commit_sha: string | null;
}

export type CheckState = "success" | "failure" | "pending" | "neutral" | "skipped" | "unknown";

export interface PrCheck {
  readonly name: string;
  readonly state: CheckState;
  readonly url: string | null;
}

/** Checks at exactly `head_sha`; `state` is the worst of them, `none` when the host reports no check there. */
export interface PrChecks {
  readonly head_sha: string;
  readonly state: CheckState | "none";
  readonly checks: ReadonlyArray<PrCheck>;
}

/**
 * What was said about a PR, as the host has it now. A part that could not be read is null and named in `notes`; it is
 * never an empty list.
 */
export interface PrConversation {
  readonly threads: ReadonlyArray<PrThread> | null;
  readonly reviews: ReadonlyArray<PrReview> | null;
  readonly checks: PrChecks | null;
  readonly notes: ReadonlyArray<string>;
}

const severity: ReadonlyArray<CheckState> = ["failure", "pending", "unknown", "success", "neutral", "skipped"];

/** The state that a reader wants to know of: a failure before what still runs, before success; `none` without checks. */
export const worstCheck = (checks: ReadonlyArray<PrCheck>): CheckState | "none" =>
  severity.find((state) => checks.some((check) => check.state === state)) ?? "none";
