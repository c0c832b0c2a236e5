import * as Effect from "effect/Effect";
import { UsageError } from "../src/errors.ts";
import type { VerbModule } from "./verb.ts";

/** A verb whose module is not part of this build: fails, does nothing. */
export const unavailable =
  (verb: string): VerbModule["run"] =>
  () =>
    Effect.fail(new UsageError({ message: `adk ${verb} is not available in this build`, hint: "see adk --help" }));
