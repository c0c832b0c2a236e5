import type { BaseDescription } from "../../effects/bases/describeBases.ts";

/** Rows of a table of bases, header first. */
export const baseRows = (bases: ReadonlyArray<BaseDescription>): ReadonlyArray<ReadonlyArray<string>> => [
  ["branch", "origin", "state", "chunks", "PRs", "indexed", "at", "expires"],
  ...bases.map((base) => [
    base.branch,
    base.created_by === "auto" ? `auto (${base.auto_reason ?? "-"})` : "user",
    base.state,
    String(base.chunks ?? "-"),
    String(base.prs),
    base.last_indexed_at ?? "never",
    base.last_indexed_sha?.slice(0, 12) ?? "-",
    base.expires_at ?? "-",
  ]),
];
