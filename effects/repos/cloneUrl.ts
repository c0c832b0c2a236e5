import type { QueueRow } from "../../src/queue/row.ts";

/** Where a row's repository is cloned from: the host's https URL, or the registered path of a local one. */
export const cloneUrl = (row: Pick<QueueRow, "platform" | "host" | "owner" | "repo" | "local_path">): string =>
  row.platform === "local" ? (row.local_path ?? "") : `https://${row.host}/${row.owner}/${row.repo}.git`;
