import { describe, expect, it } from "vitest";
import { patchRow, rowChange } from "../../../src/pr/patchRow.ts";
import type { PrMetadata } from "../../../src/pr/prMetadata.ts";
import { newRow, type QueueRow, type Status, statuses } from "../../../src/queue/row.ts";

const head = "1".repeat(40);
const otherHead = "2".repeat(40);
const at = "2026-11-30T10:00:00Z";

const meta: PrMetadata = {
  node_id: "PR_1",
  title: "Round prices",
  author: "grace",
  author_id: "7",
  author_association: "MEMBER",
  body: "",
  head_sha: head,
  head_ref: "round",
  head_repo_deleted: false,
  target_branch: "main",
  base_sha: "3".repeat(40),
  is_draft: false,
  additions: 3,
  deletions: 1,
  changed_files: 2,
  merged_at: null,
  state: "open",
  disposition: "open",
  clone_url: "https://github.com/acme/shop.git",
  pull_ref: "refs/pull/7/head",
  auto_merge: null,
  in_merge_queue: null,
  review_decision: null,
  renamed_to: null,
};

const merged: PrMetadata = { ...meta, state: "closed", disposition: "merged", merged_at: "2026-11-29T08:00:00Z" };
const closed: PrMetadata = { ...meta, state: "closed", disposition: "closed" };

const row = (over: Partial<QueueRow> = {}): QueueRow => ({
  ...newRow({
    platform: "github",
    host: "github.com",
    owner: "acme",
    repo: "shop",
    pr_number: 7,
    pr_url: "https://github.com/acme/shop/pull/7",
  }),
  head_sha: head,
  target_branch: "main",
  merge_base: "4".repeat(40),
  ...over,
});

const open = statuses.filter((status) => status !== "merged" && status !== "closed");

describe("a row with fresh metadata", () => {
  it("carries what the host says, and when it was asked", () => {
    expect(patchRow(row(), meta, at)).toEqual({
      ...row(),
      node_id: "PR_1",
      auto_merge: null,
      in_merge_queue: null,
      review_decision: null,
      title: "Round prices",
      author: "grace",
      head_ref: "round",
      additions: 3,
      deletions: 1,
      changed_files: 2,
      state: "open",
      last_checked_at: at,
    });
    expect(rowChange(row(), meta).unchanged).toBe(true);
  });

  it("keeps claim, review, preparation and unknown fields", () => {
    const full = {
      ...row({ prep_status: "ready", prep_head_sha: head, taken_at: at, last_reviewed_head_sha: head }),
      note_of_a_person: "keep me",
    };
    expect(patchRow(full, merged, at)).toMatchObject({
      prep_status: "ready",
      prep_head_sha: head,
      taken_at: at,
      last_reviewed_head_sha: head,
      note_of_a_person: "keep me",
    });
  });

  it("forgets the merge base when the head or the target moved, and only then", () => {
    expect(patchRow(row({ head_sha: otherHead }), meta, at).merge_base).toBeNull();
    expect(patchRow(row({ target_branch: "release/v2.1" }), meta, at).merge_base).toBeNull();
    expect(patchRow(row({ title: "Old title" }), meta, at).merge_base).toBe("4".repeat(40));
    expect(patchRow(row({ head_sha: null, target_branch: null }), meta, at).merge_base).toBe("4".repeat(40));
  });

  it("counts as moved for another head or target, not for a first look", () => {
    expect(rowChange(row({ head_sha: otherHead }), meta)).toMatchObject({ moved: true, unchanged: false });
    expect(rowChange(row({ target_branch: "release/v2.1" }), meta)).toMatchObject({ moved: true, unchanged: false });
    expect(rowChange(row({ head_sha: null, target_branch: null }), meta)).toMatchObject({ moved: false });
  });

  it("keeps counts that the platform can no longer tell", () => {
    const gone = { ...closed, additions: null, deletions: null, changed_files: null };
    expect(patchRow(row({ additions: 9, deletions: 8, changed_files: 7 }), gone, at)).toMatchObject({
      additions: 9,
      deletions: 8,
      changed_files: 7,
    });
  });
});

describe("the status of a row", () => {
  it.each(open)("%s becomes merged or closed with its PR, and stays while the PR is open", (status) => {
    expect(patchRow(row({ status }), merged, at)).toMatchObject({ status: "merged", merged_at: merged.merged_at });
    expect(rowChange(row({ status }), merged)).toMatchObject({ merged: true, closed: false, unchanged: false });
    expect(patchRow(row({ status }), closed, at).status).toBe("closed");
    expect(rowChange(row({ status }), closed)).toMatchObject({ merged: false, closed: true, unchanged: false });
    expect(patchRow(row({ status }), meta, at).status).toBe(status);
  });

  it.each([
    ["merged", meta, "merged"],
    ["merged", closed, "merged"],
    ["closed", closed, "closed"],
    ["closed", meta, "pending"],
    ["closed", merged, "merged"],
  ] as ReadonlyArray<[Status, PrMetadata, Status]>)("%s, seen again, becomes the right thing", (status, seen, next) => {
    expect(patchRow(row({ status }), seen, at).status).toBe(next);
    expect(rowChange(row({ status }), seen).reopened).toBe(status === "closed" && next === "pending");
  });
});
