import type { SyncPreview } from "../../effects/sync/previewSync.ts";
import type { SkippedPr, SyncPlan } from "../../src/sync/planTypes.ts";
import type { PlanFileBase, PlanFilePr, SyncPlanFile } from "../../src/sync/syncPlanFile.ts";
import { plainTable } from "../plainTable.ts";

const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? "" : "s"}`;

const tierCounts = (file: SyncPlanFile): string => {
  const ready = file.prs.filter((pr) => pr.prep_status === "ready");
  if (ready.length === 0) return "";
  const tiers = [0, 1, 2]
    .map((tier) => ({ tier, count: ready.filter((pr) => pr.tier === tier).length }))
    .filter(({ count }) => count > 0)
    .map(({ tier, count }) => `${count} in tier ${tier}`);
  return ` (${tiers.join(", ")})`;
};

/** Steps that could not do all of their work; the sync went on with what is known. */
export const warnedSteps = (file: SyncPlanFile): ReadonlyArray<{ readonly step: string; readonly summary: string }> =>
  file.steps.filter((step) => step.status === "warn").map((step) => ({ step: step.name, summary: step.summary ?? "" }));

/** The one line a person reads at the end of a sync, then a line per failure and note. */
export const summaryLine = (file: SyncPlanFile): string => {
  const { summary } = file;
  const embedded =
    summary.chunks_embedded === 0
      ? "nothing embedded"
      : `${summary.chunks_embedded} chunks embedded, ${summary.chunks_reused} reused`;
  const saved =
    summary.saved_seconds > 0
      ? `, ${summary.saved_seconds.toFixed(1)} s saved against indexing everything from scratch`
      : "";
  const line = [
    `${counted(summary.bases_built, "base")} built`,
    `${counted(summary.ready, "PR")} made ready${tierCounts(file)}`,
    `${summary.failed} failed`,
    `${summary.skipped} left as they are`,
    `${embedded}`,
    `${summary.seconds.toFixed(1)} s${saved}`,
  ].join(" · ");
  const failures = file.prs
    .filter((pr) => pr.prep_status === "failed")
    .map((pr) => `failed ${pr.pr_url}: ${pr.error ?? "no reason"}`);
  const steps = warnedSteps(file).map(({ step, summary }) => `warning: ${step}: ${summary}`);
  return [line, ...failures, ...steps, ...file.notes.map((note) => `note: ${note}`)].join("\n");
};

interface PlanShown {
  readonly bases: ReadonlyArray<PlanFileBase | SyncPreview["bases"][number]>;
  readonly prs: ReadonlyArray<PlanFilePr | SyncPreview["prs"][number]>;
  readonly skipped: ReadonlyArray<SkippedPr>;
  readonly estimates: SyncPlan["estimates"] | null;
  readonly clean: SyncPreview["clean"] | null;
}

const baseName = (base: PlanFilePr["base"] | SyncPlan["prs"][number]["base"]): string =>
  base === null ? "-" : typeof base === "string" ? base : base.branch;

/** A plan as tables of bases and PRs, with why rows are left out. */
export const planLines = (plan: PlanShown): string => {
  const bases = plan.bases.map((base) => [
    base.repo,
    base.branch,
    base.class,
    base.action,
    base.prs.map((n) => `#${n}`).join(" "),
    base.auto_reason ?? "",
  ]);
  const prs = plan.prs.map((pr) => [`tier ${pr.tier}`, `${pr.repo}#${pr.number}`, pr.target_branch, baseName(pr.base)]);
  const parts = [
    plan.bases.length === 0 ? "no base" : plainTable([["repo", "branch", "class", "action", "PRs", "why"], ...bases]),
    plan.prs.length === 0 ? "no PR to prepare" : plainTable([["tier", "PR", "target", "base"], ...prs]),
    ...plan.skipped.map((skip) => `left: ${skip.repo}#${skip.number}: ${skip.why}`),
    ...(plan.estimates === null
      ? []
      : [
          `about ${plan.estimates.planned_seconds.toFixed(0)} s of work, ${plan.estimates.saved_seconds.toFixed(0)} s saved`,
        ]),
    ...(plan.clean === null ? [] : plan.clean.map((line) => `would ${line}`)),
  ];
  return parts.join("\n");
};
