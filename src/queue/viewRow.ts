import type { QueueRow, Status } from "./row.ts";

/** The `lock` of a row as lists show it. */
export interface LockView {
  readonly held: boolean;
  readonly run_id: string | null;
  readonly since: string | null;
  readonly age_s: number | null;
}

/** A row with what is computed for display and never stored (spec 2). */
export interface RowView {
  readonly row: QueueRow;
  readonly lock: LockView;
  readonly ready: boolean;
}

/** `reviewed` means changes were requested, `comments` that there is something to read (spec 5, "Approve gate"). */
const statusIcons: Partial<Record<Status, string>> = {
  reviewed: "🚫",
  comments: "📝",
  approved: "✅",
  merged: "🔒",
  closed: "🔒",
  error: "⚠",
  reminded: "⏰",
};

/** One sign for where a row stands: join of claim, preparation and status (plan §8.3). */
export const rowIcon = (view: RowView): string => {
  const { row } = view;
  if (view.lock.held) return "⚙↻";
  if (row.status === "merged" || row.status === "closed") return "🔒";
  if (view.ready) return "✓";
  if (row.prep_status === "waiting_for_base") return "⏳";
  if (row.prep_status === "preparing") return "⚙";
  if (row.prep_status === "failed") return "⚠";
  return statusIcons[row.status] ?? (row.head_sha === null ? "🌱" : "·");
};

const units: ReadonlyArray<readonly [string, number]> = [
  ["d", 86_400],
  ["h", 3_600],
  ["m", 60],
];

/** Seconds as one rounded-down unit: `3d`, `7h`, `12m`, `40s`. Negative and unknown ages have none. */
export const shortAge = (seconds: number | null): string => {
  if (seconds === null || seconds < 0) return "-";
  for (const [name, size] of units) {
    if (seconds >= size) return `${Math.floor(seconds / size)}${name}`;
  }
  return `${Math.floor(seconds)}s`;
};
