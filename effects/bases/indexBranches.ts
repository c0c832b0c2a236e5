import { cpus, totalmem } from "node:os";
import * as Effect from "effect/Effect";
import type { RepoMeta } from "../../src/repo/repoMeta.ts";
import { effectiveJobs } from "../../src/sync/jobs.ts";
import { Log } from "../log/Log.ts";
import { fetchRepository } from "../repos/fetchRepository.ts";
import { Repos } from "../repos/Repos.ts";
import { Settings } from "../settings/Settings.ts";
import { branchMissing } from "./branchMissing.ts";
import { runBase } from "./runBase.ts";

/** Base and prepare workers of this machine under the configuration (spec 4, "Effective jobs"). */
export const machineJobs = (configured: {
  readonly base?: number | undefined;
  readonly prepare?: number | undefined;
}) =>
  Effect.map(Settings, ({ config }) => {
    const machine = {
      ramBytes: totalmem(),
      cores: cpus().length,
      provider: config.embed.provider,
    };
    return {
      base: effectiveJobs({
        ...machine,
        configured: configured.base ?? Math.min(machine.cores, config.pr_sync.base_jobs),
      }),
      prepare: effectiveJobs({ ...machine, configured: configured.prepare ?? config.pr_sync.prepare_jobs }),
    };
  });

export interface WantedBase {
  readonly branch: string;
  readonly createdBy: "user" | "auto";
  readonly autoReason?: string | null;
}

/** Fetches the tips of some branches in one go and builds or refreshes their bases, as many at once as the machine may. */
export const indexBranches = (options: {
  readonly repo: RepoMeta;
  readonly branches: ReadonlyArray<WantedBase>;
  readonly rebuild: boolean;
}) =>
  Effect.gen(function* () {
    const log = yield* Log;
    const repos = yield* Repos;
    const jobs = yield* machineJobs({});
    yield* log.step(`fetching ${options.repo.name}`);
    const { missing } = yield* fetchRepository({
      repo: options.repo,
      branches: options.branches.map((base) => base.branch),
      rows: [],
    });
    return yield* Effect.forEach(
      options.branches,
      (base) =>
        Effect.gen(function* () {
          const isNew = (yield* repos.base(options.repo.name, base.branch)) === null;
          // A branch that does not exist must not stay behind as a base that fails at every update.
          if (isNew && missing.includes(`refs/heads/${base.branch}`)) {
            const error = yield* Effect.flip(branchMissing(options.repo, base.branch));
            return { branch: base.branch, outcome: "failed", error: `${error.message} — ${error.hint}` } as const;
          }
          const result = yield* runBase({ ...base, repo: options.repo, rebuild: options.rebuild, slots: jobs.base });
          return { branch: base.branch, ...result };
        }),
      { concurrency: jobs.base },
    );
  });
