import type { Platform } from "../names.ts";
import type { ActorSnapshot } from "../queue/row.ts";
import type { IsoTime } from "../time.ts";

/** repo-meta.json: one registered repository (spec 2). */
export interface RepoMeta {
  readonly schema_version: number;
  /** Folder name under repos/. */
  readonly name: string;
  readonly platform: Platform;
  readonly host: string;
  readonly owner: string;
  /** The host's own name of the repository. */
  readonly repo: string;
  /** What git fetches from: a URL without user information, or a real path on the `local` platform. */
  readonly url: string;
  readonly default_branch: string | null;
  readonly tracked_branches: ReadonlyArray<string>;
  /** PR numbers given out on the `local` platform; a number is never given twice. */
  readonly next_local_number?: number;
}

export const baseStates = [
  "missing",
  "building",
  "fresh",
  "stale",
  "refreshing",
  "failed",
  "expired",
  "deleting",
] as const;
export type BaseState = (typeof baseStates)[number];

/** branch-meta.json: one base of a repository; the persisted snapshot of the base machine (spec 2). */
export interface BranchMeta {
  readonly schema_version: number;
  readonly branch: string;
  readonly slug: string;
  /** Null while a first build has not ended: such a base is partial and torn down at the next start. */
  readonly last_indexed_sha: string | null;
  readonly last_indexed_at: IsoTime | null;
  readonly provider: string | null;
  readonly embed_model: string | null;
  readonly dim: number | null;
  readonly chunker_version: number | null;
  readonly chunks: number | null;
  readonly created_by: "user" | "auto";
  readonly created_at: IsoTime;
  readonly auto_reason?: string;
  readonly last_used_at: IsoTime | null;
  readonly state: BaseState;
  readonly error?: string | null;
  readonly actor?: ActorSnapshot;
}
