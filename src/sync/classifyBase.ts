import { repoKey } from "../names.ts";
import { parseTime } from "../time.ts";
import type { BaseFacts } from "./planTypes.ts";
import type { BaseClass, Tier } from "./syncPlanFile.ts";

/** Key of a base: its repository's case-folded identity and the exact branch. */
export const baseKey = (base: Pick<BaseFacts, "platform" | "host" | "owner" | "repo" | "branch">): string =>
  `${repoKey(base)}\n${base.branch}`;

const dayMs = 86_400_000;

/**
 * Class of a base (spec 4, "Base classes"; exact branch only). Stale needs both age and a tip that has moved: an old
 * index at the tip is fresh. When the tip cannot be asked, age alone decides. `rebuild` makes every usable base stale.
 * An unreadable, partial or deleted index is missing; a foreign one is never torn down, so it is asked for first.
 */
export const classifyBase = (
  facts: BaseFacts | undefined,
  options: {
    readonly tip: string | null;
    readonly now: number;
    readonly maxStalenessDays: number;
    readonly rebuild: boolean;
  },
): BaseClass => {
  const meta = facts?.meta;
  if (facts === undefined || meta === undefined || meta === null || meta.last_indexed_sha === null) return "missing";
  if (meta.state === "missing" || meta.state === "building" || meta.state === "deleting") return "missing";
  if (facts.foreign) return "foreign";
  if (!facts.indexReadable) return "missing";
  const indexedAt = parseTime(meta.last_indexed_at);
  const old = indexedAt === null || options.now - indexedAt >= options.maxStalenessDays * dayMs;
  const moved = options.tip === null || options.tip !== meta.last_indexed_sha;
  const freshness = options.rebuild || (old && moved) ? "stale" : "fresh";
  return `${freshness}-${meta.created_by}`;
};

/** Tier of a base's PRs after its build or refresh failed: what was stale still seeds, with a note; all else is indexed in full. */
export const tierAfterFailure = (kind: BaseClass): Tier => (kind.startsWith("stale-") ? 1 : 2);
