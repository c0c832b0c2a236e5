import { assign, setup } from "xstate";
import type { ActorSnapshot } from "../src/queue/row.ts";
import type { BaseState, BranchMeta } from "../src/repo/repoMeta.ts";
import type { IsoTime } from "../src/time.ts";
import type { BranchRef, BuildBaseParams, RefreshBaseParams } from "./commandParams.ts";
import { type Completion, declared, type NoParams, type Timed } from "./declared.ts";

/** The fields of branch-meta.json that the base machine reads and writes. */
export type BaseContext = Pick<
  BranchMeta,
  | "branch"
  | "last_indexed_sha"
  | "last_indexed_at"
  | "provider"
  | "embed_model"
  | "dim"
  | "chunker_version"
  | "chunks"
  | "created_by"
  | "created_at"
  | "last_used_at"
  | "state"
> & { readonly auto_reason: string | null; readonly error: string | null };

/** The machine's own context: the repository's folder name comes from the actor's id. */
export type BaseMachineContext = BaseContext & { readonly repo: string };

export type BaseEvent =
  | ({
      readonly type: "BUILD";
      readonly created_by: "user" | "auto";
      readonly auto_reason?: string | null;
      readonly rebuild?: boolean;
    } & Timed)
  | ({ readonly type: "REFRESH"; readonly rebuild: boolean } & Timed)
  | ({ readonly type: "WENT_STALE" } & Timed)
  | ({
      readonly type: "BUILT";
      readonly sha: string;
      readonly provider: string;
      readonly model: string;
      readonly dim: number;
      readonly chunker_version: number;
      readonly chunks: number;
    } & Completion)
  | ({ readonly type: "FAILED"; readonly error: string } & Completion)
  | ({ readonly type: "INTERRUPTED" } & Timed)
  | ({ readonly type: "USED" } & Timed)
  | ({ readonly type: "EXPIRE" } & Timed)
  | ({ readonly type: "DELETE" } & Timed)
  | ({ readonly type: "DELETED" } & Completion)
  | ({ readonly type: "KEEP" } & Timed)
  | ({ readonly type: "PROMOTE" } & Timed)
  | ({ readonly type: "LOST" } & Timed);

type Built = Omit<Extract<BaseEvent, { type: "BUILT" }>, "type" | "command">;
type Origin = Pick<BuildBaseParams, "created_by" | "auto_reason">;

/** `created_by` on disk wins: a user base is never turned into an auto base (spec 4, "Base classes"). */
const origin = (context: BaseContext, event: Extract<BaseEvent, { type: "BUILD" }>): Origin => {
  const user = event.created_by === "user" || context.created_by === "user";
  return user
    ? { created_by: "user", auto_reason: null }
    : { created_by: "auto", auto_reason: event.auto_reason ?? context.auto_reason };
};

const baseSetup = setup({
  types: { context: {} as BaseMachineContext, events: {} as BaseEvent },
  actions: {
    "cmd.buildBase": declared<BuildBaseParams>(),
    "cmd.refreshBase": declared<RefreshBaseParams>(),
    "cmd.deleteBase": declared<BranchRef>(),
    "pending.drop": declared<NoParams>(),
    origin: assign((_, params: Origin) => params),
    built: assign((_, params: Built) => ({
      last_indexed_sha: params.sha,
      last_indexed_at: params.at,
      provider: params.provider,
      embed_model: params.model,
      dim: params.dim,
      chunker_version: params.chunker_version,
      chunks: params.chunks,
      error: null,
    })),
    failed: assign((_, params: { error: string }) => ({ error: params.error })),
    used: assign((_, params: { at: IsoTime }) => ({ last_used_at: params.at })),
    /** A base is partial from here on, and stays so when the build is cut short (spec 2, "branch-meta.json"). */
    building: assign({ last_indexed_sha: null, last_indexed_at: null, chunks: null }),
    lost: assign({ last_indexed_sha: null, last_indexed_at: null, chunks: null }),
    promoted: assign({ created_by: "user", auto_reason: null }),
  },
  guards: {
    isAuto: ({ context }) => context.created_by === "auto",
    indexed: ({ context }) => context.last_indexed_sha !== null,
  },
});

const build = {
  target: "building",
  actions: [
    {
      type: "cmd.buildBase",
      params: ({ context, event }: { context: BaseMachineContext; event: Extract<BaseEvent, { type: "BUILD" }> }) => ({
        repo: context.repo,
        branch: context.branch,
        ...origin(context, event),
        rebuild: event.rebuild ?? false,
      }),
    },
    {
      type: "origin",
      params: ({ context, event }: { context: BaseMachineContext; event: Extract<BaseEvent, { type: "BUILD" }> }) =>
        origin(context, event),
    },
    "building",
  ],
} as const;

const refresh = {
  target: "refreshing",
  actions: {
    type: "cmd.refreshBase",
    params: ({ context, event }: { context: BaseMachineContext; event: Extract<BaseEvent, { type: "REFRESH" }> }) => ({
      repo: context.repo,
      branch: context.branch,
      rebuild: event.rebuild,
    }),
  },
} as const;

const failed = {
  target: "failed",
  actions: {
    type: "failed",
    params: ({ event }: { event: { error: string } }) => ({ error: event.error }),
  },
} as const;

const used = {
  actions: { type: "used", params: ({ event }: { event: { at: IsoTime } }) => ({ at: event.at }) },
} as const;
const expire = { guard: "isAuto", target: "expired" } as const;
const lost = { target: "missing", actions: "lost" } as const;
const promote = { actions: "promoted" } as const;

const built = {
  target: "fresh",
  actions: {
    type: "built",
    params: ({ event }: { event: Extract<BaseEvent, { type: "BUILT" }> }): Built => ({
      at: event.at,
      sha: event.sha,
      provider: event.provider,
      model: event.model,
      dim: event.dim,
      chunker_version: event.chunker_version,
      chunks: event.chunks,
    }),
  },
} as const;

/** The index of one branch that PRs are seeded from (spec 4, "State machines"). Only an auto base ever expires. */
export const baseMachine = baseSetup.createMachine({
  id: "base",
  context: {} as BaseMachineContext,
  initial: "missing",
  states: {
    missing: { on: { BUILD: build } },
    building: {
      on: {
        BUILT: built,
        FAILED: failed,
        INTERRUPTED: { target: "missing", actions: "pending.drop" },
        PROMOTE: promote,
      },
    },
    fresh: {
      on: { WENT_STALE: "stale", REFRESH: refresh, USED: used, EXPIRE: expire, LOST: lost, PROMOTE: promote },
    },
    stale: { on: { REFRESH: refresh, USED: used, EXPIRE: expire, LOST: lost, PROMOTE: promote } },
    refreshing: {
      on: {
        BUILT: built,
        FAILED: failed,
        INTERRUPTED: { target: "stale", actions: "pending.drop" },
        USED: used,
        PROMOTE: promote,
      },
    },
    failed: {
      on: {
        BUILD: build,
        REFRESH: { ...refresh, guard: "indexed" },
        USED: used,
        EXPIRE: expire,
        LOST: lost,
        PROMOTE: promote,
      },
    },
    expired: {
      on: {
        DELETE: {
          target: "deleting",
          guard: "isAuto",
          actions: {
            type: "cmd.deleteBase",
            params: ({ context }) => ({ repo: context.repo, branch: context.branch }),
          },
        },
        KEEP: [{ guard: "indexed", target: "stale" }, { target: "missing" }],
        LOST: lost,
        PROMOTE: [
          { ...promote, guard: "indexed", target: "stale" },
          { ...promote, target: "failed" },
        ],
      },
    },
    deleting: {
      on: {
        DELETED: { target: "missing", actions: "lost" },
        FAILED: { ...failed, target: "expired" },
        INTERRUPTED: { target: "expired", actions: "pending.drop" },
      },
    },
  },
});

/** The part of a meta that the base machine owns. */
export const baseContext = (meta: BranchMeta): BaseContext => ({
  branch: meta.branch,
  last_indexed_sha: meta.last_indexed_sha,
  last_indexed_at: meta.last_indexed_at,
  provider: meta.provider,
  embed_model: meta.embed_model,
  dim: meta.dim,
  chunker_version: meta.chunker_version,
  chunks: meta.chunks,
  created_by: meta.created_by,
  created_at: meta.created_at,
  auto_reason: meta.auto_reason ?? null,
  last_used_at: meta.last_used_at,
  state: meta.state,
  error: meta.error ?? null,
});

/** The meta after a step: its context, its snapshot, and the state as the snapshot says it. */
export const applyBase = (meta: BranchMeta, context: BaseContext, snapshot: ActorSnapshot): BranchMeta => {
  const { auto_reason: _dropped, ...rest } = meta;
  const { auto_reason, ...fields } = context;
  return {
    ...rest,
    ...fields,
    ...(auto_reason === null ? {} : { auto_reason }),
    state: snapshot.value as BaseState,
    actor: snapshot,
  };
};
