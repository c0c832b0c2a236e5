import { describe, expect, it } from "vitest";
import { findLocalChange, nextLocalNumber } from "../../../src/pr/localNumber.ts";
import { newRow, type QueueRow } from "../../../src/queue/row.ts";

const local = (owner: string, repo: string, pr_number: number, head_ref = "x"): QueueRow => ({
  ...newRow({ platform: "local", host: "local", owner, repo, pr_number, pr_url: `local:${repo}#${pr_number}` }),
  head_ref,
  target_branch: "main",
});

describe("the number of a local change request", () => {
  it("runs per repository name over the whole queue, so that two folders of one name never share an address", () => {
    const rows = [local("aaaaaaaaaa", "shop", 1), local("bbbbbbbbbb", "Shop", 2), local("cccccccccc", "other", 9)];
    expect(nextLocalNumber(rows, { repo: "shop" })).toBe(3);
    expect(nextLocalNumber(rows, { repo: "new" })).toBe(1);
  });

  it("is never given twice after rows were dropped", () => {
    expect(nextLocalNumber([], { repo: "shop", atLeast: 5 })).toBe(5);
  });

  it("does not count pull requests of a host", () => {
    const remote = { ...local("acme", "shop", 77), platform: "github" } as const;
    expect(nextLocalNumber([remote], { repo: "shop" })).toBe(1);
  });
});

describe("findLocalChange", () => {
  it("is by repository, head and base branch, exactly", () => {
    const rows = [local("aaaaaaaaaa", "shop", 1, "feature")];
    const change = { owner: "aaaaaaaaaa", head_ref: "feature", target_branch: "main" };
    expect(findLocalChange(rows, change)).toBe(rows[0]);
    expect(findLocalChange(rows, { ...change, owner: "bbbbbbbbbb" })).toBeNull();
    expect(findLocalChange(rows, { ...change, head_ref: "Feature" })).toBeNull();
    expect(findLocalChange(rows, { ...change, target_branch: "dev" })).toBeNull();
  });

  it("passes over a merged row, whose branch may carry the next change, and finds a closed one", () => {
    const change = { owner: "aaaaaaaaaa", head_ref: "develop", target_branch: "main" };
    const row = local("aaaaaaaaaa", "shop", 1, "develop");
    expect(findLocalChange([{ ...row, status: "merged" }], change)).toBeNull();
    expect(findLocalChange([{ ...row, status: "closed" }], change)?.pr_number).toBe(1);
  });
});
