import * as Cause from "effect/Cause";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import { branchSlug } from "../../src/names.ts";
import type { BranchMeta, RepoMeta } from "../../src/repo/repoMeta.ts";
import { formatTime } from "../../src/time.ts";
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

/**
 * One base through the machine: slot, the base's lock, BUILD or REFRESH (durable), the work, then BUILT or FAILED;
 * interrupted, it goes back to where it was. `created_by` on disk always wins. The refs must have been fetched.
 */
export const runBase = (options: {
  readonly repo: RepoMeta;
  readonly branch: string;
  readonly createdBy: "user" | "auto";
  readonly autoReason?: string | null;
  readonly rebuild: boolean;
  readonly slots: number;
  readonly onStart?: Effect.Effect<void>;
  readonly onProgress?: (progress: StageProgress) => void;
}) =>
  Effect.scoped(
    Effect.gen(function* () {
      const engine = yield* Engine;
      const locks = yield* Locks;
      const log = yield* Log;
      const repos = yield* Repos;
      const index = yield* CodeIndex;
      const home = yield* Home;
      const { name } = options.repo;
      yield* takeSlot("base", options.slots);
      yield* locks.acquire(baseLock(name, options.branch), { verb: "base build" });
      const at = yield* now;
      const where = { repo: name, branch: options.branch, seed: newBase(options.branch, options.createdBy, at) };
      const meta = (yield* repos.base(name, options.branch)) ?? where.seed;
      const health = yield* index.health({ dir: codeIndexDir(branchDir(home, name, options.branch)) });
      const readable = health.status === "ok" || health.status === "stale";
      // We hold the base's lock, so a state that says somebody is at work is the mark of a killed run.
      if (meta.state === "building" || meta.state === "refreshing") {
        yield* engine.base(where, { type: "INTERRUPTED", at });
      }
      const current = (yield* repos.base(name, options.branch)) ?? where.seed;
      const usable = readable && current.last_indexed_sha !== null;
      if (!usable && ["fresh", "stale", "failed", "expired"].includes(current.state)) {
        yield* engine.base(where, { type: "LOST", at });
      } else if (usable && current.state === "expired") yield* engine.base(where, { type: "KEEP", at });
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
      yield* options.onStart ?? Effect.void;
      const exit = yield* buildBase(options).pipe(
        Effect.onInterrupt(() =>
          Effect.flatMap(now, (time) => engine.base(where, { type: "INTERRUPTED", at: time })).pipe(
            Effect.catchAll((error) => log.warn(`base ${options.branch}: not put back: ${error.message}`)),
          ),
        ),
        Effect.exit,
      );
      if (Exit.isFailure(exit)) {
        if (Cause.isInterruptedOnly(exit.cause)) return yield* Effect.interrupt;
        const error = log.redact(failureText(exit.cause));
        yield* log.record("base.failed", { repo: name, branch: options.branch, cause: Cause.pretty(exit.cause) });
        yield* engine.base(where, { type: "FAILED", command, error, at: yield* now });
        return { outcome: "failed", error } satisfies BaseOutcome;
      }
      yield* engine.base(where, { type: "BUILT", command, ...exit.value, at: yield* now });
      yield* repos.update(name, (repo) =>
        repo.tracked_branches.includes(options.branch)
          ? repo
          : { ...repo, tracked_branches: [...repo.tracked_branches, options.branch].sort() },
      );
      return { outcome: "built", built: exit.value } satisfies BaseOutcome;
    }),
  );
