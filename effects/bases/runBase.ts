import * as Cause from "effect/Cause";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import type { Failure } from "../../src/errors.ts";
import { branchSlug } from "../../src/names.ts";
import type { BranchMeta, RepoMeta } from "../../src/repo/repoMeta.ts";
import { formatTime } from "../../src/time.ts";
import { crashPoint } from "../engine/crashPoint.ts";
import { Engine } from "../engine/Engine.ts";
import { Home } from "../home/Home.ts";
import { baseLock, branchDir, codeIndexDir } from "../home/layout.ts";
import { CodeIndex } from "../index/CodeIndex.ts";
import { Log } from "../log/Log.ts";
import { failureText } from "../prepare/runPreparation.ts";
import { Repos } from "../repos/Repos.ts";
import { Locks } from "../store/Locks.ts";
import { takeSlot } from "../sync/slots.ts";
import { type BuiltBase, buildBase, type StageProgress } from "./buildBase.ts";

const now = Effect.map(Clock.currentTimeMillis, formatTime);

/** A base that is not on disk yet. */
export const newBase = (branch: string, createdBy: "user" | "auto", at: string): BranchMeta => ({
  schema_version: 1,
  branch,
  slug: branchSlug(branch),
  last_indexed_sha: null,
  last_indexed_at: null,
  provider: null,
  embed_model: null,
  dim: null,
  chunker_version: null,
  chunks: null,
  created_by: createdBy,
  created_at: at,
  last_used_at: null,
  state: "missing",
});

export type BaseOutcome =
  | { readonly outcome: "built"; readonly built: BuiltBase }
  | { readonly outcome: "failed"; readonly error: string };

interface BaseOptions {
  readonly repo: RepoMeta;
  readonly branch: string;
  readonly createdBy: "user" | "auto";
  readonly autoReason?: string | null;
  readonly rebuild: boolean;
  readonly slots: number;
  /** The plan found it older than `max_base_staleness_days` with a moved tip. */
  readonly stale?: boolean;
  readonly onStart?: Effect.Effect<void>;
  readonly onProgress?: (progress: StageProgress) => void;
}

/** Longest wait for another process that works on the same base: what it makes is what we want. */
const baseWaitMs = 15 * 60_000;

const whereOf = (options: BaseOptions, at: string) => ({
  repo: options.repo.name,
  branch: options.branch,
  seed: newBase(options.branch, options.createdBy, at),
});

/** What stands on disk, as an event for a base that nobody works on; null when it says so itself. */
const eventBefore = (meta: BranchMeta, usable: boolean, stale: boolean): "LOST" | "KEEP" | "WENT_STALE" | null => {
  const lost = !usable && meta.last_indexed_sha !== null;
  if (lost && ["fresh", "stale", "failed", "expired"].includes(meta.state)) return "LOST";
  if (!usable && (meta.state === "fresh" || meta.state === "stale")) return "LOST";
  if (meta.state === "expired") return "KEEP";
  return stale && meta.state === "fresh" ? "WENT_STALE" : null;
};

/** Brings the base to where BUILD or REFRESH is accepted; true when its index can be refreshed. */
const approach = (options: BaseOptions) =>
  Effect.gen(function* () {
    const engine = yield* Engine;
    const repos = yield* Repos;
    const index = yield* CodeIndex;
    const home = yield* Home;
    const { name } = options.repo;
    const at = yield* now;
    const where = whereOf(options, at);
    const health = yield* index.health({ dir: codeIndexDir(branchDir(home, name, options.branch)) });
    const readable = health.status === "ok" || health.status === "stale";
    const stored = (yield* repos.base(name, options.branch)) ?? where.seed;
    // We hold the base's lock, so a state that says somebody is at work is the mark of a killed run.
    const cutOff = stored.state === "building" || stored.state === "refreshing" || stored.state === "deleting";
    const meta = cutOff ? (yield* engine.base(where, { type: "INTERRUPTED", at })).meta : stored;
    const usable = readable && meta.last_indexed_sha !== null;
    const type = eventBefore(meta, usable, options.stale === true);
    if (type !== null) yield* engine.base(where, { type, at });
    return usable;
  });

/** BUILD or REFRESH … BUILT, FAILED or INTERRUPTED: once the first is durable, one of the three follows. */
const startAndSettle = (options: BaseOptions, usable: boolean) =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const engine = yield* Engine;
      const log = yield* Log;
      const at = yield* now;
      const where = whereOf(options, at);
      const { issued } = usable
        ? yield* engine.base(where, { type: "REFRESH", rebuild: options.rebuild, at })
        : yield* engine.base(where, {
            type: "BUILD",
            created_by: options.createdBy,
            auto_reason: options.autoReason ?? null,
            rebuild: options.rebuild,
            at,
          });
      const command = issued[0]?.id ?? "";
      const build = crashPoint("base.started").pipe(
        Effect.zipRight(options.onStart ?? Effect.void),
        Effect.zipRight(buildBase(options)),
        Effect.zipLeft(crashPoint("base.indexed")),
      );
      const exit: Exit.Exit<BuiltBase, Failure> = yield* Effect.exit(restore(build));
      if (Exit.isFailure(exit)) {
        if (Cause.isInterruptedOnly(exit.cause)) {
          yield* engine
            .base(where, { type: "INTERRUPTED", at: yield* now })
            .pipe(Effect.catchAll((error) => log.warn(`base ${options.branch}: not put back: ${error.message}`)));
          return yield* Effect.interrupt;
        }
        const error = log.redact(failureText(exit.cause));
        const { name } = options.repo;
        yield* log.record("base.failed", { repo: name, branch: options.branch, cause: Cause.pretty(exit.cause) });
        yield* engine.base(where, { type: "FAILED", command, error, at: yield* now });
        return { outcome: "failed", error } satisfies BaseOutcome;
      }
      yield* engine.base(where, { type: "BUILT", command, ...exit.value, at: yield* now });
      yield* crashPoint("base.built");
      return { outcome: "built", built: exit.value } satisfies BaseOutcome;
    }),
  );

/**
 * One base through the machine: slot, the base's lock, BUILD or REFRESH (durable), the work, then BUILT or FAILED;
 * interrupted, it goes back to where it was. `created_by` on disk always wins. The refs must have been fetched.
 */
export const runBase = (options: BaseOptions) =>
  Effect.scoped(
    Effect.gen(function* () {
      const locks = yield* Locks;
      const repos = yield* Repos;
      const { name } = options.repo;
      yield* takeSlot("base", options.slots);
      yield* locks.acquire(baseLock(name, options.branch), { verb: "base build", deadlineMs: baseWaitMs });
      const usable = yield* approach(options);
      const result = yield* startAndSettle(options, usable);
      if (result.outcome === "failed") return result;
      yield* repos.update(name, (repo) =>
        repo.tracked_branches.includes(options.branch)
          ? repo
          : { ...repo, tracked_branches: [...repo.tracked_branches, options.branch].sort() },
      );
      return result;
    }),
  );
