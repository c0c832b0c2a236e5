import * as Either from "effect/Either";
import { prepContext } from "../machines/prep.ts";
import { step } from "../machines/step.ts";
import { newRow, type QueueRow } from "../src/queue/row.ts";
import { atLeast, atMost, type BenchRow } from "./BenchRow.ts";

const at = "2026-01-02T03:04:05Z";
const actors = 10_000;

const rows: ReadonlyArray<QueueRow> = Array.from({ length: actors }, (_, i) => ({
  ...newRow({
    pr_url: `https://github.com/acme/shop/pull/${i}`,
    platform: "github",
    host: "github.com",
    owner: "acme",
    repo: "shop",
    pr_number: i,
  }),
  head_sha: "h",
  target_branch: "main",
}));

const cpuSeconds = (work: () => void): number => {
  const before = process.cpuUsage();
  work();
  const used = process.cpuUsage(before);
  return (used.user + used.system) / 1e6;
};

/** Four steps of one row: start, failure, retry, start again. */
const drive = (row: QueueRow): number => {
  const id = `row:${row.pr_number}:prep`;
  const start = { type: "START", at, tier: 2, seed: null, rebuild: false } as const;
  const first = Either.getOrThrow(step("prep", id, undefined, prepContext(row), start));
  const command = first.issued[0]?.id ?? "";
  const failed = Either.getOrThrow(
    step("prep", id, first.snapshot, first.context, { type: "FAILED", at, command, error: "x" }),
  );
  const retried = Either.getOrThrow(
    step("prep", id, failed.snapshot, failed.context, { type: "RETRY", at, by: "sync" }),
  );
  return Either.getOrThrow(step("prep", id, retried.snapshot, retried.context, start)).snapshot.seq;
};

/** Steps a CPU-second, and what bringing 10,000 interrupted rows back from their JSON costs. */
export const run = async (): Promise<Array<BenchRow>> => {
  for (const row of rows.slice(0, 500)) drive(row);
  const stepping = cpuSeconds(() => {
    for (const row of rows) drive(row);
  });
  const stored = rows.map((row) => {
    const event = { type: "START", at, tier: 2, seed: null, rebuild: false } as const;
    const { snapshot, context } = Either.getOrThrow(
      step("prep", `row:${row.pr_number}:prep`, undefined, prepContext(row), event),
    );
    return JSON.stringify({ snapshot, context });
  });
  const restoring = cpuSeconds(() => {
    for (const [i, text] of stored.entries()) {
      const { snapshot, context } = JSON.parse(text);
      Either.getOrThrow(step("prep", `row:${i}:prep`, snapshot, context, { type: "INTERRUPTED", at }));
    }
  });
  const rate = Math.round((4 * actors) / stepping);
  return [
    atLeast(15_000, {
      name: "machine steps",
      value: rate,
      unit: "steps per CPU-second",
      note: "xstate's transition()",
    }),
    atMost(1000, {
      name: "restore 10,000 actors",
      value: restoring * 1000,
      unit: "ms CPU",
      note: "from their JSON, and one step each",
    }),
  ];
};
