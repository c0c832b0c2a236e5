import * as Effect from "effect/Effect";
import { UsageError } from "../../src/errors.ts";
import { type Status, statuses } from "../../src/queue/row.ts";

/** A word as a canonical status, or a usage error that names them all. */
export const statusOf = (word: string): Effect.Effect<Status, UsageError> => {
  const status = statuses.find((known) => known === word);
  return status === undefined
    ? Effect.fail(
        new UsageError({
          message: `${JSON.stringify(word)} is not a status`,
          hint: `use one of ${statuses.join(", ")}`,
        }),
      )
    : Effect.succeed(status);
};
