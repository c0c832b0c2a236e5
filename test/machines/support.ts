import * as Either from "effect/Either";
import { prepContext } from "../../machines/prep.ts";
import type { MachineName, MachineTypes } from "../../machines/registry.ts";
import { type StepResult, step } from "../../machines/step.ts";
import { type ActorSnapshot, newRow, type QueueRow } from "../../src/queue/row.ts";
import type { BranchMeta } from "../../src/repo/repoMeta.ts";

/** Moment of every event that does not need its own. */
export const at = "2026-03-04T05:06:07Z";

export const row: QueueRow = {
  ...newRow({
    pr_url: "https://github.com/acme/shop/pull/7",
    platform: "github",
    host: "github.com",
    owner: "acme",
    repo: "shop",
    pr_number: 7,
  }),
  head_sha: "h1",
  target_branch: "main",
};

export const context = prepContext(row);

export const meta: BranchMeta = {
  schema_version: 1,
  branch: "main",
  slug: "main",
  last_indexed_sha: null,
  last_indexed_at: null,
  provider: null,
  embed_model: null,
  dim: null,
  chunker_version: null,
  chunks: null,
  created_by: "auto",
  created_at: "2026-03-01T00:00:00Z",
  last_used_at: null,
  state: "missing",
};

/** A step that must be accepted. */
export const dispatch = <Name extends MachineName>(
  name: Name,
  actorId: string,
  stored: ActorSnapshot | undefined,
  from: MachineTypes[Name]["context"],
  event: MachineTypes[Name]["event"],
): StepResult<MachineTypes[Name]["context"]> =>
  Either.getOrThrowWith(step(name, actorId, stored, from, event), (e) => e);
