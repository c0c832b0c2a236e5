import * as Either from "effect/Either";
import * as ParseResult from "effect/ParseResult";
import * as Schema from "effect/Schema";
import { parseTime } from "../time.ts";
import { prepStatuses, statuses } from "./row.ts";

/** One of some words; the message names them all, and what stands there instead. */
const oneOf = <Words extends readonly [string, ...ReadonlyArray<string>]>(...words: Words) =>
  Schema.Literal(...words).annotations({
    message: (issue) => ({
      message: `is ${JSON.stringify(issue.actual)?.slice(0, 40) ?? "missing"}, must be one of ${words.join(", ")}`,
      override: true,
    }),
  });

const text = Schema.NullOr(Schema.String);
const count = Schema.NullOr(Schema.NonNegativeInt);
const flag = Schema.NullOr(Schema.Boolean);
const time = Schema.NullOr(
  Schema.String.pipe(
    Schema.filter((value) => parseTime(value) !== null, { message: () => "is not a time like 2026-01-31T09:00:00Z" }),
  ),
);
const name = Schema.String.pipe(Schema.minLength(1, { message: () => "is empty" }));
const thread = Schema.Struct({
  channel_id: Schema.optional(Schema.String),
  thread_ts: Schema.optional(Schema.NullOr(Schema.String)),
  message_ts: Schema.optional(Schema.NullOr(Schema.String)),
});
const actor = Schema.Struct({
  version: Schema.NonNegativeInt,
  seq: Schema.NonNegativeInt,
  value: Schema.String,
  pending: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      name: Schema.String,
      params: Schema.Record({ key: Schema.String, value: Schema.Unknown }),
    }),
  ),
});

/** A row as a person may leave it (spec 2, "Queue row"); unknown fields pass at every level. */
const Row = Schema.Struct({
  pr_url: name,
  platform: oneOf("github", "bitbucket", "local"),
  host: name,
  owner: name,
  repo: name,
  pr_number: Schema.Int.pipe(Schema.positive()),
  node_id: text,
  title: text,
  author: text,
  head_sha: text,
  head_ref: text,
  target_branch: text,
  is_draft: Schema.Boolean,
  additions: count,
  deletions: count,
  changed_files: count,
  merged_at: time,
  state: text,
  last_checked_at: time,
  added_at: Schema.optional(time),
  status: oneOf(...statuses),
  last_reviewed_at: time,
  last_reviewed_head_sha: text,
  last_reviewed_base_ref: text,
  last_reviewed_merge_base: text,
  approved_host: flag,
  recommendation: text,
  approve_ready: flag,
  last_reminded_at: time,
  last_error: text,
  prep_status: oneOf(...prepStatuses),
  prep_started_at: time,
  prep_completed_at: time,
  prep_head_sha: text,
  prep_base_ref: text,
  prep_merge_base: text,
  prep_used_base: Schema.NullOr(
    Schema.Struct({
      repo: Schema.String,
      branch: Schema.String,
      sha: Schema.String,
      created_by: Schema.Literal("user", "auto"),
    }),
  ),
  prep_error: text,
  prep_attempts: Schema.NonNegativeInt,
  taken_at: time,
  last_heartbeat_at: time,
  claim: Schema.NullOr(
    Schema.Struct({
      run_id: Schema.String,
      token_hash: Schema.String,
      epoch: Schema.NonNegativeInt,
      host: Schema.String,
      boot: Schema.String,
      pid: Schema.NullOr(Schema.NonNegativeInt),
      start: text,
      beat: Schema.optional(
        Schema.Struct({ host: Schema.String, boot: Schema.String, uptime_s: Schema.NonNegativeInt }),
      ),
    }),
  ),
  slack: Schema.NullOr(thread),
  slack_threads: Schema.Array(thread),
  supporting_docs: Schema.Array(Schema.String),
  merge_base: text,
  review_attempts: Schema.Record({ key: Schema.String, value: Schema.NonNegativeInt }),
  actors: Schema.Struct({ prep: Schema.optional(actor), review: Schema.optional(actor) }),
  local_path: Schema.optional(Schema.String),
  former_urls: Schema.optional(Schema.Array(Schema.String)),
});

const check = Schema.validateEither(Row, { errors: "first" });

/** What is wrong with a row: the field, with its path inside the row, and why. Null when nothing is. */
export const rowFault = (row: unknown): { readonly field: string; readonly message: string } | null => {
  const checked = check(row);
  if (Either.isRight(checked)) return null;
  const [issue] = ParseResult.ArrayFormatter.formatErrorSync(checked.left);
  return { field: issue?.path.join(".") || "row", message: issue?.message ?? "is not valid" };
};
