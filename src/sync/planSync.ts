import { repoFolderName, repoKey } from "../names.ts";
import { preparedAtKey } from "../queue/eligibility.ts";
import { isTerminal, type QueueRow } from "../queue/row.ts";
import { baseKey, classifyBase } from "./classifyBase.ts";
import type { BaseFacts, PlanInput, PlannedBase, PlannedPr, SkippedPr, SkipReason, SyncPlan } from "./planTypes.ts";
import type { BaseAction, Tier } from "./syncPlanFile.ts";

/** Failed tries at one review key after which only a person may try again (spec 4). */
const maxAttempts = 3;

interface Member {
  readonly row: QueueRow;
  readonly order: number;
}

/** The rows of one target branch of one repository. */
interface Group {
  readonly repo: string;
  readonly branch: string;
  readonly key: string;
  /** All rows that count for the threshold of an auto base. */
  readonly counted: ReadonlyArray<QueueRow>;
  /** The rows that will be prepared. */
  readonly toPrepare: ReadonlyArray<Member>;
}

const skipReason = (row: QueueRow, input: PlanInput): readonly [SkipReason, string] | null => {
  if (row.is_draft && !input.config.prepare_drafts)
    return ["draft", "a draft; set pr_sync.prepare_drafts to prepare drafts"];
  if (row.target_branch === null) return ["no_target", "its target branch is unknown; run: adk pr-queue update"];
  if (row.head_sha === null) return ["no_head", "its head is unknown; run: adk pr-queue update"];
  if (input.held?.has(row.pr_url) === true) return ["in_review", "it is being reviewed"];
  if (row.prep_status === "preparing") return ["being_prepared", "another process is preparing it"];
  if (row.prep_status === "ready" && preparedAtKey(row) && !input.rebuild) return ["ready", "already prepared"];
  if (row.prep_status === "failed" && row.prep_attempts >= maxAttempts)
    return ["failed_out", `failed ${row.prep_attempts} times; try again with: adk pr-task prepare`];
  return null;
};

const repoNames = (input: PlanInput): ((row: QueueRow) => string) => {
  const names = new Map<string, string>();
  for (const repo of input.repos ?? []) names.set(repoKey(repo), repo.name);
  for (const base of input.bases) names.set(repoKey(base), base.repoName);
  return (row) => names.get(repoKey(row)) ?? repoFolderName(row.repo);
};

interface Sorted {
  readonly groups: ReadonlyArray<Group>;
  readonly skipped: ReadonlyArray<SkippedPr>;
}

const sortRows = (input: PlanInput): Sorted => {
  const nameOf = repoNames(input);
  const groups = new Map<string, Group & { counted: Array<QueueRow>; toPrepare: Array<Member> }>();
  const skipped: Array<SkippedPr> = [];
  for (const [order, row] of input.rows.entries()) {
    if (isTerminal(row)) continue;
    const repo = nameOf(row);
    const branch = row.target_branch;
    const skip = skipReason(row, input);
    if (skip !== null) {
      const [reason, why] = skip;
      skipped.push({ pr_url: row.pr_url, repo, number: row.pr_number, target_branch: branch, reason, why });
    }
    if (branch === null) continue;
    const key = baseKey({ ...row, branch });
    const group = groups.get(key) ?? { repo, branch, key, counted: [], toPrepare: [] };
    groups.set(key, group);
    if (!row.is_draft) group.counted.push(row);
    if (skip === null) group.toPrepare.push({ row, order });
  }
  return { groups: [...groups.values()], skipped };
};

const autoReason = (counted: ReadonlyArray<QueueRow>): string => {
  const numbers = counted.map((row) => row.pr_number).sort((a, b) => a - b);
  return `shared by ${numbers.length} ${numbers.length === 1 ? "PR" : "PRs"}: ${numbers.map((n) => `#${n}`).join(", ")}`;
};

type Work = Pick<PlannedBase, "action" | "event" | "created_by" | "auto_reason">;

const idle = (action: BaseAction, facts: BaseFacts | undefined): Work => ({
  action,
  event: null,
  created_by: facts?.meta?.created_by ?? (facts?.tracked === true ? "user" : null),
  auto_reason: facts?.meta?.auto_reason ?? null,
});

/** `created_by` on disk wins over what this sync would have chosen; a tracked branch is a user's. */
const isUserBase = (facts: BaseFacts | undefined): boolean =>
  facts?.meta === undefined || facts.meta === null ? facts?.tracked === true : facts.meta.created_by === "user";

const missingWork = (group: Group, facts: BaseFacts | undefined, threshold: number): Work => {
  if (isUserBase(facts)) return { action: "refresh", event: "BUILD", created_by: "user", auto_reason: null };
  if (group.counted.length < threshold) return idle("none_singleton", facts);
  return { action: "create_auto", event: "BUILD", created_by: "auto", auto_reason: autoReason(group.counted) };
};

const before = (facts: BaseFacts | undefined, event: Work["event"]): PlannedBase["before"] => {
  const state = facts?.meta?.state;
  if (event === "BUILD") return state === "fresh" || state === "stale" || state === "expired" ? "LOST" : null;
  return state === "expired" ? "KEEP" : null;
};

const planBase = (group: Group, facts: BaseFacts | undefined, input: PlanInput): PlannedBase => {
  const kind = classifyBase(facts, {
    tip: input.tips.get(group.key) ?? null,
    now: input.now,
    maxStalenessDays: input.config.max_base_staleness_days,
    rebuild: input.rebuild,
  });
  const work = ((): Work => {
    if (group.toPrepare.length === 0 || kind === "fresh-user" || kind === "fresh-auto") return idle("none", facts);
    if (kind === "missing") return missingWork(group, facts, input.config.auto_base_threshold);
    return { ...idle("refresh", facts), event: "REFRESH" };
  })();
  return {
    repo: group.repo,
    branch: group.branch,
    class: kind,
    ...work,
    before: group.toPrepare.length === 0 ? null : before(facts, work.event),
    prs: group.toPrepare.map(({ row }) => row.pr_number),
    order: group.toPrepare[0]?.order ?? Number.MAX_SAFE_INTEGER,
  };
};

const tierOf = (base: PlannedBase): Tier => (base.event !== null ? 1 : base.class === "missing" ? 2 : 0);

const planPrs = (group: Group, base: PlannedBase, input: PlanInput): ReadonlyArray<PlannedPr> => {
  const tier = tierOf(base);
  return group.toPrepare.map(({ row, order }) => ({
    pr_url: row.pr_url,
    repo: group.repo,
    number: row.pr_number,
    target_branch: group.branch,
    tier,
    base: tier === 2 ? null : { repo: group.repo, branch: group.branch },
    rebuild: input.rebuild,
    order,
  }));
};

/** Seconds of a full index of a branch: by its own size, else by that of a sibling branch, else the measured mean. */
const fullSeconds = (group: Group, facts: BaseFacts | undefined, input: PlanInput): number => {
  const chunks =
    facts?.meta?.chunks ??
    input.bases.find((base) => base.repoName === group.repo && (base.meta?.chunks ?? null) !== null)?.meta?.chunks ??
    null;
  const { chunks_per_second, full_seconds } = input.rates;
  return chunks === null || chunks_per_second === null ? full_seconds : chunks / chunks_per_second;
};

/**
 * Phase B of a sync: which bases to build, and the tier of every PR (spec 4). Pure and deterministic: groups the
 * open rows by platform, repository and target branch, classifies each base, builds or refreshes one only when a PR
 * will be prepared from it, and says of every other row why it is left out.
 *
 * Bases come with the most waiting PRs first, PRs in queue order.
 */
export const planSync = (input: PlanInput): SyncPlan => {
  const factsOf = new Map(input.bases.map((base) => [baseKey(base), base]));
  const { groups, skipped } = sortRows(input);
  const planned = groups.map((group) => {
    const facts = factsOf.get(group.key);
    const base = planBase(group, facts, input);
    const prs = planPrs(group, base, input);
    const full = fullSeconds(group, facts, input);
    const baseSeconds = base.event === "BUILD" || base.class === "foreign" ? full : input.rates.refresh_seconds;
    const each = tierOf(base) === 2 ? full : Math.min(full, input.rates.seeded_seconds);
    return {
      base,
      prs,
      fullWork: full * prs.length,
      work: (base.event === null ? 0 : baseSeconds) + each * prs.length,
    };
  });
  const sum = (of: (group: (typeof planned)[number]) => number): number =>
    planned.reduce((total, group) => total + of(group), 0);
  const full_seconds = sum((group) => group.fullWork);
  const planned_seconds = sum((group) => group.work);
  return {
    bases: planned.map(({ base }) => base).sort((a, b) => b.prs.length - a.prs.length || a.order - b.order),
    prs: planned.flatMap(({ prs }) => prs).sort((a, b) => a.order - b.order),
    skipped,
    estimates: { full_seconds, planned_seconds, saved_seconds: Math.max(0, full_seconds - planned_seconds) },
  };
};
