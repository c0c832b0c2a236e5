import * as Effect from "effect/Effect";
import type { SyncPlan } from "../../src/sync/planTypes.ts";
import { cleanAutoBases } from "../bases/cleanAutoBases.ts";
import { cleanOrphans } from "../queue/cleanOrphans.ts";
import { cleanRows } from "../queue/cleanRows.ts";
import { makePlan } from "./makePlan.ts";

/** What `pr-sync --dry-run` shows: the plan for the queue as it stands and what would be removed. */
export interface SyncPreview extends Omit<SyncPlan, "bases" | "prs"> {
  readonly bases: ReadonlyArray<Omit<SyncPlan["bases"][number], "order">>;
  readonly prs: ReadonlyArray<Omit<SyncPlan["prs"][number], "order">>;
  readonly notes: ReadonlyArray<string>;
  readonly clean: ReadonlyArray<string>;
}

/** Looks and changes nothing at all: hosts are asked for branch tips only, no row, folder or plan file is written. */
export const previewSync = (options: { readonly rebuild: boolean }) =>
  Effect.gen(function* () {
    const { plan, facts } = yield* makePlan({ ...options, register: false });
    const rows = yield* cleanRows({ mode: "terminal", dryRun: true });
    const orphans = yield* cleanOrphans({ dryRun: true });
    const bases = yield* cleanAutoBases({ dryRun: true });
    return {
      ...plan,
      bases: plan.bases.map(({ order: _place, ...base }) => base),
      prs: plan.prs.map(({ order: _place, ...pr }) => pr),
      notes: facts.notes,
      clean: [
        ...rows.removed.map((url) => `remove row ${url}`),
        ...orphans.removed.map((name) => `remove folder ${name}`),
        ...bases.removed.map((base) => `remove auto base ${base.repo} ${base.branch}`),
      ],
    } satisfies SyncPreview;
  });
