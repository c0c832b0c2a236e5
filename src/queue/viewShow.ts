import { counted } from "../text/counted.ts";
import { terminalCell } from "../text/sanitize.ts";
import type { EligibilityRule } from "./eligibility.ts";
import type { QueueRow } from "./row.ts";
import { type LockView, shortAge } from "./viewRow.ts";

export interface RowDetail {
  readonly row: QueueRow;
  readonly ready: boolean;
  readonly rules: ReadonlyArray<EligibilityRule>;
  readonly lock: LockView;
}

/** Document of `pr-queue show --json` (spec 3): the row and what is computed from it. */
export const showDocument = (detail: RowDetail) => ({
  ...detail.row,
  ready_for_review: detail.ready,
  eligibility: detail.rules.map(({ rule, name, pass, why }) => ({ rule, name, pass, why })),
  lock: detail.lock,
});

const sha = (text: string | null): string => (text === null ? "unknown" : text.slice(0, 12));

const lockText = (lock: LockView): string =>
  lock.held ? `held by run ${lock.run_id ?? "unknown"} for ${shortAge(lock.age_s)} (since ${lock.since})` : "free";

const size = (row: QueueRow): string =>
  row.changed_files === null
    ? "unknown"
    : `${counted(row.changed_files, "file")}, +${row.additions ?? 0} -${row.deletions ?? 0}`;

const reviewed = (row: QueueRow): string =>
  row.last_reviewed_at === null ? "never" : `${row.last_reviewed_at} at ${sha(row.last_reviewed_head_sha)}`;

const prepared = (row: QueueRow): string => {
  const base = row.prep_used_base;
  const seed = base === null ? "" : `, from ${base.repo} ${base.branch} (${base.created_by})`;
  const at = row.prep_head_sha === null ? "" : ` at ${sha(row.prep_head_sha)}${seed}`;
  return `${row.prep_status}${at}${row.prep_error === null ? "" : `: ${row.prep_error}`}`;
};

/** What the host says will or must happen before a merge; empty where it says nothing. */
const hostWords = (row: QueueRow): ReadonlyArray<readonly [string, string]> => {
  const words = [
    ...(row.review_decision === null || row.review_decision === undefined
      ? []
      : [row.review_decision.toLowerCase().replaceAll("_", " ")]),
    ...(row.in_merge_queue === true ? ["in the merge queue"] : []),
    ...(row.auto_merge === true ? ["merges by itself once it may"] : []),
  ];
  return words.length === 0 ? [] : [["on the host", words.join(", ")]];
};

/** One row for people, one fact a line; everything that comes from outside is made safe for a terminal. */
export const showText = (detail: RowDetail): string => {
  const { row } = detail;
  const facts: ReadonlyArray<readonly [string, string]> = [
    ["title", row.title ?? "unknown"],
    ["author", row.author ?? "unknown"],
    ["branches", `${row.head_ref ?? "unknown"} → ${row.target_branch ?? "unknown"}`],
    ["head", sha(row.head_sha)],
    ["size", size(row)],
    ["status", `${row.status}${row.is_draft ? " (draft)" : ""}${row.state === null ? "" : `, host says ${row.state}`}`],
    ...hostWords(row),
    ["preparation", prepared(row)],
    ["last review", reviewed(row)],
    ["lock", lockText(detail.lock)],
    ["ready", detail.ready ? "yes" : "no"],
  ];
  const width = Math.max(...facts.map(([name]) => name.length));
  return [
    terminalCell(row.pr_url),
    ...facts.map(([name, value]) => `  ${name.padEnd(width)}  ${terminalCell(value)}`),
    ...detail.rules.map((rule) => `    ${rule.pass ? "✓" : "✗"} ${rule.rule} ${terminalCell(rule.why)}`),
  ].join("\n");
};
