import type { Config } from "../config/config.ts";
import type { Platform } from "../names.ts";
import type { QueueRow } from "../queue/row.ts";
import type { BranchMeta, RepoMeta } from "../repo/repoMeta.ts";
import type { BaseAction, BaseClass, Tier } from "./syncPlanFile.ts";

/** What is known of one base on this machine before planning. */
export interface BaseFacts {
  /** Folder name of the repository under repos/. */
  readonly repoName: string;
  readonly platform: Platform;
  readonly host: string;
  readonly owner: string;
  readonly repo: string;
  readonly branch: string;
  /** Null for a tracked branch that has nothing on disk. */
  readonly meta: BranchMeta | null;
  /** The index opens and agrees with its meta. */
  readonly indexReadable: boolean;
  /** Made by another embedder or chunker than the configured one. */
  readonly foreign: boolean;
  /** Named in the repository's tracked_branches. */
  readonly tracked: boolean;
}

/** Measured speeds of the configured provider on this machine, in seconds of one worker. */
export interface Rates {
  /** A full index of a branch whose size is not known. */
  readonly full_seconds: number;
  /** A preparation seeded from a base. */
  readonly seeded_seconds: number;
  /** Bringing a stale base to the tip. */
  readonly refresh_seconds: number;
  /** Full indexing speed, for branches whose number of chunks is known; null until measured. */
  readonly chunks_per_second: number | null;
}

export interface PlanInput {
  /** The queue's rows in file order, oldest first. */
  readonly rows: ReadonlyArray<QueueRow>;
  readonly bases: ReadonlyArray<BaseFacts>;
  /** Registered repositories, for the folder names of those without any base. */
  readonly repos?: ReadonlyArray<Pick<RepoMeta, "name" | "platform" | "host" | "owner" | "repo">>;
  /** Branch tips by `baseKey`; null or absent when the host could not be asked. */
  readonly tips: ReadonlyMap<string, string | null>;
  readonly config: Config["pr_sync"];
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Refresh every base in use and prepare ready rows again. */
  readonly rebuild: boolean;
  readonly rates: Rates;
  /** pr_urls under a live review claim: nothing is changed under a reviewer's hands. */
  readonly held?: ReadonlySet<string>;
}

export interface PlannedBase {
  readonly repo: string;
  readonly branch: string;
  readonly class: BaseClass;
  readonly action: BaseAction;
  /** Event that starts the work on the base's machine; null when there is none. */
  readonly event: "BUILD" | "REFRESH" | null;
  /** Event that the machine needs before: a lost index is `LOST`, an expired base with new PRs is kept. */
  readonly before: "LOST" | "KEEP" | null;
  readonly created_by: "user" | "auto" | null;
  readonly auto_reason: string | null;
  /** Numbers of the PRs that will be prepared from it, or would be if it were built. */
  readonly prs: ReadonlyArray<number>;
  readonly order: number;
}

export interface PlannedPr {
  readonly pr_url: string;
  readonly repo: string;
  readonly number: number;
  readonly target_branch: string;
  readonly tier: Tier;
  readonly base: { readonly repo: string; readonly branch: string } | null;
  readonly rebuild: boolean;
  /** Place in the queue, oldest first. */
  readonly order: number;
}

export type SkipReason = "draft" | "ready" | "failed_out" | "in_review" | "being_prepared" | "no_target" | "no_head";

export interface SkippedPr {
  readonly pr_url: string;
  readonly repo: string;
  readonly number: number;
  readonly target_branch: string | null;
  readonly reason: SkipReason;
  /** One line for people. */
  readonly why: string;
}

export interface SyncPlan {
  readonly bases: ReadonlyArray<PlannedBase>;
  readonly prs: ReadonlyArray<PlannedPr>;
  readonly skipped: ReadonlyArray<SkippedPr>;
  readonly estimates: {
    /** Work if every planned PR were indexed from scratch, in seconds of one worker. */
    readonly full_seconds: number;
    /** Work of this plan. */
    readonly planned_seconds: number;
    readonly saved_seconds: number;
  };
}
