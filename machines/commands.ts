import * as Either from "effect/Either";
import * as Schema from "effect/Schema";
import type { PendingCommand } from "../src/queue/row.ts";
import { CommandUnreadable } from "./errors.ts";

// Only the engine's drivers and recovery import this module: Schema costs every verb that loads it its start-up time.

const branchRef = { repo: Schema.String, branch: Schema.String };

const command = <Name extends string, Fields extends Schema.Struct.Fields>(name: Name, fields: Fields) =>
  Schema.Struct({ id: Schema.String, name: Schema.Literal(name), params: Schema.Struct(fields) });

/** Every command that a machine of this build issues. */
export const Command = Schema.Union(
  command("cmd.prepare", {
    pr_url: Schema.String,
    head_sha: Schema.NullOr(Schema.String),
    target_branch: Schema.NullOr(Schema.String),
    seed: Schema.NullOr(Schema.Struct(branchRef)),
    rebuild: Schema.Boolean,
    tier: Schema.Literal(0, 1, 2),
  }),
  command("cmd.buildBase", {
    ...branchRef,
    created_by: Schema.Literal("user", "auto"),
    auto_reason: Schema.NullOr(Schema.String),
    rebuild: Schema.Boolean,
  }),
  command("cmd.refreshBase", { ...branchRef, rebuild: Schema.Boolean }),
  command("cmd.deleteBase", branchRef),
  command("cmd.syncPhase", { phase: Schema.Literal("discover", "plan", "work", "remind", "cleanup") }),
);
export type Command = typeof Command.Type;

const decode = Schema.decodeUnknownEither(Command);

/** A pending command as one of the known ones; Left for a name or parameters that this build does not know. */
export const decodeCommand = (pending: PendingCommand): Either.Either<Command, CommandUnreadable> =>
  Either.mapLeft(
    decode(pending),
    () =>
      new CommandUnreadable({
        id: pending.id,
        name: pending.name,
        message: `the pending command ${pending.name} of ${pending.id} cannot be read`,
        hint: "update adk, or interrupt the work: adk pr-sync starts it anew",
      }),
  );
