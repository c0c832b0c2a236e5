import { join } from "node:path";
import * as Effect from "effect/Effect";
import * as Either from "effect/Either";
import type { UsedBase } from "../../src/queue/row.ts";
import { reviewDir } from "../home/layout.ts";
import { JsonDocuments } from "../store/JsonDocument.ts";
import type { ChunkCounts } from "./prepareIndex.ts";

/** state.json of a task: written last, so that its presence at a key means the whole preparation stands. */
export interface TaskState {
  readonly schema_version: number;
  readonly pr_url: string;
  readonly head_sha: string;
  readonly base_ref: string;
  readonly merge_base: string;
  readonly used_base: UsedBase | null;
  readonly chunks: ChunkCounts;
  readonly prepared_at: string;
  readonly seconds: number;
  readonly notes: ReadonlyArray<string>;
}

export const taskStateDocument = {
  name: "state.json",
  maxSchema: 1,
  check: (value: unknown): Either.Either<TaskState, string> =>
    typeof value === "object" && value !== null && "head_sha" in value && "merge_base" in value
      ? Either.right(value as TaskState)
      : Either.left("is not the state of a prepared task"),
};

/** Reads the state of a task, for `pr-task info` and `list`; null when it was never prepared. */
export const readTaskState = (folder: string) =>
  Effect.flatMap(JsonDocuments, (documents) =>
    documents.read(join(reviewDir(folder), "state.json"), taskStateDocument),
  );
