import { describe, expect, it } from "vitest";
import { autoBaseUse } from "../../../src/sync/expiry.ts";
import { now, pr } from "./support.ts";

const hoursAgo = (hours: number): string => new Date(now - hours * 3_600_000).toISOString();
const repo = { platform: "github", host: "github.com", owner: "acme", repo: "shop", repoName: "shop" } as const;
const meta = (change: object) => ({
  branch: "v2",
  created_by: "auto" as const,
  created_at: hoursAgo(100),
  last_used_at: null as string | null,
  ...change,
});
const use = (of: object, rows: ReadonlyArray<ReturnType<typeof pr>> = []) =>
  autoBaseUse({ meta: meta(of), repo, rows, now, ttlHours: 24 });
const usedBase = { repo: "shop", branch: "v2", sha: "s", created_by: "auto" } as const;

describe("autoBaseUse", () => {
  it("expires at exactly the time to live since the later of creation and last use", () => {
    expect(use({ created_at: hoursAgo(24) })).toMatchObject({ users: 0, expired: true });
    expect(use({ created_at: hoursAgo(23.9) }).expired).toBe(false);
    expect(use({ last_used_at: hoursAgo(23.9) }).expired).toBe(false);
    expect(use({ created_at: hoursAgo(1), last_used_at: hoursAgo(50) }).expired).toBe(false);
    expect(use({ created_at: hoursAgo(20) }).expires_at).toBe("2026-03-20T16:00:00Z");
  });

  it("counts open rows that target the branch or were seeded from the base", () => {
    expect(use({}, [pr(1, { target_branch: "v2" })])).toEqual({ users: 1, expires_at: null, expired: false });
    expect(use({}, [pr(1, { prep_used_base: usedBase })]).users).toBe(1);
    expect(use({}, [pr(1, { target_branch: "v2", prep_used_base: usedBase })]).users).toBe(1);
  });

  it("does not count merged or closed rows, other branches or other repositories", () => {
    const rows = [
      pr(1, { target_branch: "v2", status: "merged" }),
      pr(2, { prep_used_base: usedBase, status: "closed" }),
      pr(3, { target_branch: "V2" }),
      pr(4, { target_branch: "v2", repo: "jobs" }),
      pr(5, { prep_used_base: { ...usedBase, repo: "jobs" } }),
    ];
    expect(use({}, rows)).toMatchObject({ users: 0, expired: true });
  });

  it("never expires a user base, nor one whose times cannot be read; a future time postpones", () => {
    expect(use({ created_by: "user" }).expired).toBe(false);
    expect(use({ created_at: "?" }).expired).toBe(false);
    expect(use({ last_used_at: "?" }).expired).toBe(false);
    expect(use({ last_used_at: hoursAgo(-1000) }).expired).toBe(false);
  });
});
