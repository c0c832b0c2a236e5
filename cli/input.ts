import * as Effect from "effect/Effect";
import { UsageError } from "../src/errors.ts";
import type { VerbInput } from "./verb.ts";

/** The value of `--branch`, which this verb cannot do without. */
export const requiredBranch = (input: VerbInput): Effect.Effect<string, UsageError> => {
  const branch = input.flags.flag("branch");
  return branch === undefined || branch === ""
    ? Effect.fail(new UsageError({ message: "--branch is missing", hint: "name the branch: --branch X" }))
    : Effect.succeed(branch);
};
