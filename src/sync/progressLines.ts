import type { PlanFilePr, SyncPlanFile } from "./syncPlanFile.ts";

const bar = (done: number, total: number, width: number): string => {
  const filled = total === 0 ? width : Math.round((done / total) * width);
  return `${"█".repeat(filled)}${"░".repeat(width - filled)}`;
};

const counts = (prs: ReadonlyArray<PlanFilePr>, tier: number): string | null => {
  const own = prs.filter((pr) => pr.initial_tier === tier);
  if (own.length === 0) return null;
  return `tier ${tier} ${own.filter((pr) => pr.prep_status === "ready").length}/${own.length}`;
};

const percent = (progress: PlanFilePr["progress"]): string =>
  progress === null
    ? ""
    : ` ${progress.stage}${progress.total > 1 ? ` ${Math.floor((100 * progress.done) / progress.total)} %` : ""}`;

/** The few lines of a running sync on a terminal: the step, the bases, the tiers, and what is being worked on. */
export const progressLines = (plan: SyncPlanFile, columns: number): ReadonlyArray<string> => {
  const step = plan.steps.find((candidate) => candidate.status === "running");
  const ready = plan.prs.filter((pr) => pr.prep_status === "ready").length;
  const ended = plan.prs.filter((pr) => pr.completed_at !== null).length;
  const lines = [`pr-sync · ${step?.name ?? plan.status}`];
  if (plan.prs.length > 0) {
    const tiers = [0, 1, 2].map((tier) => counts(plan.prs, tier)).filter((text) => text !== null);
    lines.push(
      `${bar(ended, plan.prs.length, Math.max(10, Math.min(30, columns - 50)))} ${ready}/${plan.prs.length} ready · ${tiers.join(" · ")}`,
    );
  }
  for (const base of plan.bases.filter((candidate) => candidate.status === "building").slice(0, 4)) {
    lines.push(`  base ${base.repo} ${base.branch}${percent(base.progress)}`);
  }
  for (const pr of plan.prs.filter((candidate) => candidate.prep_status === "preparing").slice(0, 4)) {
    lines.push(`  ${pr.repo}#${pr.number}${percent(pr.progress)}`);
  }
  return lines;
};
