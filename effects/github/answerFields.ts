import * as Schema from "effect/Schema";
import { parseTime } from "../../src/time.ts";

// The kinds of fields that GitHub's answers are made of, REST and GraphQL alike.
export const ObjectId = Schema.String.pipe(Schema.pattern(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/));
export const RefName = Schema.String.pipe(Schema.minLength(1), Schema.maxLength(1024));
export const Count = Schema.Int.pipe(Schema.nonNegative());
export const Time = Schema.String.pipe(Schema.filter((text) => parseTime(text) !== null));
