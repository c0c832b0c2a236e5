import * as Either from "effect/Either";
import { describe, expect, it } from "vitest";
import { applyBase, type BaseEvent, baseContext } from "../../machines/base.ts";
import { step } from "../../machines/step.ts";
import type { BranchMeta } from "../../src/repo/repoMeta.ts";
import { at, meta } from "./support.ts";

const later = "2026-03-05T00:00:00Z";
const dispatch = (from: BranchMeta, event: BaseEvent) =>
  step("base", "base:shop:release/v2:1", from.actor, baseContext(from), event);
const take = (from: BranchMeta, event: BaseEvent): BranchMeta => {
  const { context, snapshot } = Either.getOrThrowWith(dispatch(from, event), (error) => error);
  return applyBase(from, context, snapshot);
};
const refuses = (from: BranchMeta, event: BaseEvent): boolean => Either.isLeft(dispatch(from, event));
const command = (from: BranchMeta): string => from.actor?.pending[0]?.id ?? "";
const built = (from: BranchMeta, sha = "s1") =>
  ({
    type: "BUILT",
    at,
    command: command(from),
    sha,
    provider: "builtin",
    model: "m",
    dim: 256,
    chunker_version: 1,
    chunks: 9,
  }) as const;

const build = { type: "BUILD", at, created_by: "auto", auto_reason: "shared by 2 PRs: #1, #2" } as const;
const building = take(meta, build);
const fresh = take(building, built(building));
const expired = take(fresh, { type: "EXPIRE", at });
const user = take(fresh, { type: "PROMOTE", at });

describe("a base", () => {
  it("is built on request, with its origin and reason in the command and the meta", () => {
    expect(building.actor?.pending).toMatchObject([
      {
        id: "base:shop:release/v2:1#1.0",
        name: "cmd.buildBase",
        params: { repo: "shop", branch: "main", created_by: "auto", auto_reason: build.auto_reason, rebuild: false },
      },
    ]);
    expect(building).toMatchObject({ state: "building", auto_reason: build.auto_reason, last_indexed_sha: null });
    expect(building).not.toHaveProperty("repo");
    expect(fresh).toMatchObject({ state: "fresh", last_indexed_sha: "s1", last_indexed_at: at, chunks: 9, dim: 256 });
  });

  it("is refreshed when stale; a failed refresh keeps the index and says why", () => {
    const refreshing = take(take(fresh, { type: "WENT_STALE", at }), { type: "REFRESH", at, rebuild: true });
    expect(refreshing.actor?.pending).toMatchObject([
      { name: "cmd.refreshBase", params: { repo: "shop", rebuild: true } },
    ]);
    const failed = take(refreshing, { type: "FAILED", at, command: command(refreshing), error: "no network" });
    expect(failed).toMatchObject({ state: "failed", error: "no network", last_indexed_sha: "s1" });
    const again = take(failed, { type: "REFRESH", at, rebuild: false });
    expect(take(again, built(again, "s2"))).toMatchObject({ state: "fresh", error: null, last_indexed_sha: "s2" });
    expect(take(refreshing, { type: "INTERRUPTED", at })).toMatchObject({ state: "stale", last_indexed_sha: "s1" });
  });

  it("that was never indexed is built, not refreshed, after a failure or an interruption", () => {
    const failed = take(building, { type: "FAILED", at, command: command(building), error: "x" });
    expect(refuses(failed, { type: "REFRESH", at, rebuild: false })).toBe(true);
    expect(take(failed, build).state).toBe("building");
    const stopped = take(building, { type: "INTERRUPTED", at });
    expect(stopped).toMatchObject({ state: "missing", actor: { pending: [] } });
    expect(Either.getOrThrow(dispatch(stopped, built(building))).ignored).toBe(true);
  });

  it("built anew is partial until it ends", () => {
    const refreshing = take(fresh, { type: "REFRESH", at, rebuild: true });
    const failed = take(refreshing, { type: "FAILED", at, command: command(refreshing), error: "x" });
    expect(take(take(failed, build), { type: "INTERRUPTED", at }).last_indexed_sha).toBeNull();
  });

  it("remembers when it was used last", () => {
    expect(take(fresh, { type: "USED", at: later }).last_used_at).toBe(later);
  });

  it("that is auto expires, is deleted, or is kept for a PR that arrived", () => {
    expect(take(expired, { type: "KEEP", at }).state).toBe("stale");
    const deleting = take(expired, { type: "DELETE", at });
    expect(deleting.actor?.pending).toMatchObject([
      { name: "cmd.deleteBase", params: { repo: "shop", branch: "main" } },
    ]);
    expect(take(deleting, { type: "DELETED", at, command: command(deleting) })).toMatchObject({
      state: "missing",
      last_indexed_sha: null,
    });
    expect(take(deleting, { type: "FAILED", at, command: command(deleting), error: "busy" }).state).toBe("expired");
    expect(take(deleting, { type: "INTERRUPTED", at }).state).toBe("expired");
  });

  it("that is a user's never expires and never turns auto, whatever builds it", () => {
    expect(user).toMatchObject({ created_by: "user", state: "fresh" });
    expect(user).not.toHaveProperty("auto_reason");
    expect(refuses(user, { type: "EXPIRE", at })).toBe(true);
    const lost = take(user, { type: "LOST", at });
    expect(lost).toMatchObject({ state: "missing", last_indexed_sha: null });
    expect(take(lost, build)).toMatchObject({ created_by: "user", state: "building" });
  });

  it("promoted while expired is a user's and stale, and cannot be deleted", () => {
    const promoted = take(expired, { type: "PROMOTE", at });
    expect(promoted).toMatchObject({ created_by: "user", state: "stale" });
    expect(refuses(promoted, { type: "DELETE", at })).toBe(true);
  });

  it("keeps fields of the meta that it does not know", () => {
    expect(take({ ...meta, future: 1 } as BranchMeta, build)).toMatchObject({ future: 1, slug: "main" });
  });
});
