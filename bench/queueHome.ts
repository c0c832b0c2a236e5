import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as Either from "effect/Either";
import { emptyQueue, encodeQueue } from "../src/queue/codec.ts";
import { newRow, type QueueRow, queueSchemaVersion } from "../src/queue/row.ts";
import type { Bench } from "./Bench.ts";

/** Rows as a data home in use has them: prepared at their key, with the snapshot of their machine, ready for review. */
export const preparedRows = (count: number): ReadonlyArray<QueueRow> =>
  Array.from({ length: count }, (_, i): QueueRow => {
    const number = i + 1;
    const sha = (seed: number): string => (seed * 2_654_435_761).toString(16).padEnd(40, "0").slice(0, 40);
    return {
      ...newRow({
        pr_url: `https://github.com/acme/shop/pull/${number}`,
        platform: "github",
        host: "github.com",
        owner: "acme",
        repo: "shop",
        pr_number: number,
      }),
      title: `Keep the cart's total when an article is removed (${number})`,
      author: "ada",
      head_ref: `cart-${number}`,
      head_sha: sha(number),
      target_branch: "main",
      merge_base: sha(7),
      additions: 120,
      deletions: 30,
      changed_files: 4,
      state: "OPEN",
      last_checked_at: "2026-01-02T03:04:05Z",
      added_at: "2026-01-01T03:04:05Z",
      prep_status: "ready",
      prep_started_at: "2026-01-02T03:04:05Z",
      prep_completed_at: "2026-01-02T03:04:08Z",
      prep_head_sha: sha(number),
      prep_base_ref: "main",
      prep_merge_base: sha(7),
      prep_used_base: { repo: "shop", branch: "main", sha: sha(8), created_by: "user" },
      actors: { prep: { version: 1, seq: 2, value: "ready", pending: [] } },
    };
  });

const fileIn = (home: string): string => {
  mkdirSync(join(home, "config"), { recursive: true, mode: 0o700 });
  return join(home, "config", "pr-queue.json5");
};

/** A data home whose queue was written by adk. */
export const queueHome = (bench: Bench, name: string, rows: ReadonlyArray<QueueRow>): string => {
  const home = join(bench.folder, name);
  const queue = { schema_version: queueSchemaVersion, rev: 1, prs: rows };
  const { bytes } = Either.getOrThrowWith(encodeQueue(emptyQueue, queue), ({ message }) => new Error(message));
  writeFileSync(fileIn(home), bytes, { mode: 0o600 });
  return home;
};

/** A data home whose queue a person edited: all of it has to be checked. */
export const editedQueueHome = (bench: Bench, name: string, rows: ReadonlyArray<QueueRow>): string => {
  const home = join(bench.folder, name);
  const text = JSON.stringify({ schema_version: queueSchemaVersion, rev: 1, prs: rows }, null, 1);
  writeFileSync(fileIn(home), text, { mode: 0o600 });
  return home;
};
