import type { SyncReport } from "../../effects/sync/prSync.ts";
import { parseTime } from "../../src/time.ts";
import { plainTable } from "../plainTable.ts";
import { summaryLine } from "./prSyncText.ts";

const seconds = (from: string | null, to: string | null): string => {
  const start = parseTime(from);
  const end = parseTime(to);
  return start === null || end === null ? "-" : `${Math.round((end - start) / 1000)} s`;
};

const quoted = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** What a demo prints: the queue with tiers, the bases, the sync's own line, and what to type next. */
export const demoText = (options: {
  readonly dir: string;
  readonly temporary: boolean;
  readonly adk: string;
  readonly report: SyncReport;
}): string => {
  const { file, skipped } = options.report;
  const prs = file.prs.map((pr) => [
    `${pr.repo}#${pr.number}`,
    `tier ${pr.tier}`,
    pr.target_branch,
    pr.base === null ? "no base" : `seeded from ${pr.base}`,
    pr.prep_status,
    seconds(pr.started_at, pr.completed_at),
  ]);
  const bases = file.bases
    .filter((base) => base.action !== "none_singleton")
    .map((base) => [
      base.repo,
      base.branch,
      base.class,
      base.action === "none" ? "used as it is" : base.status === "ready" ? "built once" : base.status,
      base.created_by ?? "-",
    ]);
  const adk = quoted(options.adk);
  const next = options.temporary
    ? [`The folder of this demo is gone again; keep one with: ${adk} demo --dir DIR`]
    : [
        "Next:",
        `  export ADK_DATA_HOME=${quoted(options.dir)}`,
        `  ${adk} pr-queue list`,
        `  ${adk} pr-sync`,
        `  ${adk} index query "where are totals rounded" --pr ${file.prs[0]?.pr_url ?? "PR"}`,
      ];
  return [
    ...(prs.length === 0 ? [] : [plainTable([["PR", "tier", "target", "index", "status", "time"], ...prs]), ""]),
    ...(bases.length === 0 ? [] : [plainTable([["repo", "base", "was", "now", "origin"], ...bases]), ""]),
    ...skipped.map((skip) => `${skip.repo}#${skip.number}: ${skip.why}`),
    summaryLine(file),
    "",
    ...next,
  ].join("\n");
};
