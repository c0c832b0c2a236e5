import { renderTable } from "../cli/table.ts";
import { parseTime } from "../time.ts";
import { isTerminal, type QueueRow, type Status } from "./row.ts";
import { type RowView, rowIcon, shortAge } from "./viewRow.ts";

/** Counts of the whole queue, whatever a list shows of it. `in_review`: rows under a live claim. */
export interface QueueCounts {
  readonly total: number;
  readonly ready: number;
  readonly in_review: number;
  readonly by_status: Readonly<Partial<Record<Status, number>>>;
}

export interface ListFilter {
  readonly status: string | null;
  readonly ready: boolean;
}

export const queueCounts = (views: ReadonlyArray<RowView>): QueueCounts => {
  const by_status: Partial<Record<Status, number>> = {};
  for (const { row } of views) by_status[row.status] = (by_status[row.status] ?? 0) + 1;
  return {
    total: views.length,
    ready: views.filter((view) => view.ready).length,
    in_review: views.filter((view) => view.lock.held).length,
    by_status,
  };
};

/** The rows that a list shows, in the order of the queue. */
export const filterViews = (views: ReadonlyArray<RowView>, filter: ListFilter): ReadonlyArray<RowView> =>
  views.filter(
    (view) => (filter.status === null || view.row.status === filter.status) && (!filter.ready || view.ready),
  );

/** Document of `pr-queue list --json` (spec 3). */
export const listDocument = (queue: string, all: ReadonlyArray<RowView>, shown: ReadonlyArray<RowView>) => ({
  queue,
  counts: queueCounts(all),
  prs: shown.map((view) => ({ ...view.row, ready_for_review: view.ready, lock: view.lock })),
});

const ageOf = (row: QueueRow, nowMs: number): string => {
  const since = parseTime(row.added_at) ?? parseTime(row.last_checked_at);
  return since === null ? "-" : shortAge(Math.max(0, (nowMs - since) / 1000));
};

const prepWord = (row: QueueRow): string => (isTerminal(row) ? "-" : row.prep_status);

const cells = (view: RowView, nowMs: number): ReadonlyArray<string> => {
  const { row } = view;
  return [
    rowIcon(view),
    String(row.pr_number),
    row.repo,
    `${row.is_draft ? "[draft] " : ""}${row.title ?? row.pr_url}`,
    row.target_branch ?? "-",
    row.status,
    prepWord(row),
    ageOf(row, nowMs),
  ];
};

const footer = (queue: string, counts: QueueCounts): string => {
  const statuses = Object.entries(counts.by_status).map(([status, count]) => `${count} ${status}`);
  const rows = `${counts.total} ${counts.total === 1 ? "row" : "rows"}`;
  return `${[rows, `${counts.ready} ready`, `${counts.in_review} in review`].join(" · ")}${
    statuses.length === 0 ? "" : ` (${statuses.join(", ")})`
  } · queue: ${queue}`;
};

export interface ListTextOptions {
  readonly queue: string;
  readonly all: ReadonlyArray<RowView>;
  readonly shown: ReadonlyArray<RowView>;
  readonly nowMs: number;
  /** Columns of the terminal; left out for a pipe, where nothing is cut. */
  readonly width?: number;
}

/** The table of `pr-queue list` with its footer; every cell is made safe for a terminal by the table. */
export const listText = (options: ListTextOptions): string => {
  const foot = footer(options.queue, queueCounts(options.all));
  if (options.shown.length === 0) {
    return `${options.all.length === 0 ? "the queue is empty: add a PR with adk pr-queue add PR" : "no row matches"}\n${foot}`;
  }
  const table = renderTable({
    columns: [
      { header: "" },
      { header: "#", align: "right" },
      { header: "repo" },
      { header: "title", shrinks: true },
      { header: "target" },
      { header: "status" },
      { header: "prep" },
      { header: "age", align: "right" },
    ],
    rows: options.shown.map((view) => cells(view, options.nowMs)),
    ...(options.width === undefined ? {} : { width: options.width }),
  });
  return `${table}\n\n${foot}`;
};
