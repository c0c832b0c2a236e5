import { isTerminal, type QueueRow } from "./row.ts";

/** One of the five rules for reviewing a PR, and how a row stands against it. */
export interface EligibilityRule {
  readonly rule: 1 | 2 | 3 | 4 | 5;
  readonly name: "not_terminal" | "not_claimed" | "prepared" | "prepared_at_key" | "not_reviewed_at_key";
  readonly pass: boolean;
  /** One short line for people, whichever way it went. */
  readonly why: string;
}

const short = (sha: string | null): string => (sha === null ? "unknown" : sha.slice(0, 12));

/** True when the preparation on disk is for the row's head, target and (once known) merge base. */
export const preparedAtKey = (row: QueueRow): boolean =>
  row.head_sha !== null &&
  row.prep_head_sha === row.head_sha &&
  row.prep_base_ref === row.target_branch &&
  (row.merge_base === null || row.prep_merge_base === row.merge_base);

/**
 * True when the prepared review key is the one that was reviewed last. Rows of older programs know only the reviewed
 * head: a part of the key that was never recorded says nothing.
 */
export const reviewedAtKey = (row: QueueRow): boolean =>
  row.last_reviewed_head_sha !== null &&
  row.last_reviewed_head_sha === row.prep_head_sha &&
  (row.last_reviewed_base_ref === null || row.last_reviewed_base_ref === row.prep_base_ref) &&
  (row.last_reviewed_merge_base === null || row.last_reviewed_merge_base === row.prep_merge_base);

const keyMismatch = (row: QueueRow): string => {
  if (row.head_sha === null) return "the head is unknown";
  if (row.prep_head_sha !== row.head_sha)
    return `prepared at ${short(row.prep_head_sha)}, the head is ${short(row.head_sha)}`;
  if (row.prep_base_ref !== row.target_branch)
    return `prepared against ${row.prep_base_ref ?? "no branch"}, the target is ${row.target_branch ?? "unknown"}`;
  return `prepared at merge base ${short(row.prep_merge_base)}, it is now ${short(row.merge_base)}`;
};

/**
 * The five rules for reviewing a PR (plan §6.u, rules 4 and 5 over head, target and merge base as spec 2 has it), in
 * order, each with its reason. Every caller that asks whether a row may be reviewed asks here.
 * `leaseHeld`: the lease is live, see `leaseState`.
 */
export const eligibility = (
  row: QueueRow,
  options: { readonly leaseHeld: boolean },
): ReadonlyArray<EligibilityRule> => {
  const terminal = isTerminal(row);
  const ready = row.prep_status === "ready";
  const current = preparedAtKey(row);
  const reviewed = reviewedAtKey(row);
  return [
    { rule: 1, name: "not_terminal", pass: !terminal, why: terminal ? `the PR is ${row.status}` : "the PR is open" },
    {
      rule: 2,
      name: "not_claimed",
      pass: !options.leaseHeld,
      why: options.leaseHeld ? `claimed by run ${row.claim?.run_id ?? "unknown"}` : "nobody holds it",
    },
    {
      rule: 3,
      name: "prepared",
      pass: ready,
      why: ready ? "the preparation is ready" : `the preparation is ${row.prep_status}`,
    },
    {
      rule: 4,
      name: "prepared_at_key",
      pass: current,
      why: current ? `prepared at the head ${short(row.head_sha)}` : keyMismatch(row),
    },
    {
      rule: 5,
      name: "not_reviewed_at_key",
      pass: !reviewed,
      why: reviewed ? `already reviewed at ${short(row.last_reviewed_head_sha)}` : "not reviewed at this head",
    },
  ];
};

/** True when all five rules pass. Computed, never stored. */
export const readyForReview = (row: QueueRow, options: { readonly leaseHeld: boolean }): boolean =>
  eligibility(row, options).every((rule) => rule.pass);

/**
 * Key of a review: head, target branch and merge base, each `-` while unknown. `review_attempts` counts by it.
 * The parts cannot contain the separator: no ref has a colon.
 */
export const reviewKey = (row: Pick<QueueRow, "head_sha" | "target_branch" | "merge_base">): string =>
  `${row.head_sha ?? "-"}:${row.target_branch ?? "-"}:${row.merge_base ?? "-"}`;
