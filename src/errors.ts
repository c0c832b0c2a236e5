import type { YieldableError } from "effect/Cause";
import * as Data from "effect/Data";

/** Exit codes of every verb: 1 failed, 2 bad usage or refused by a guard, 3 queue or configuration unreadable, 130 interrupted. */
export type FailureExitCode = 1 | 2 | 3 | 130;

/** What every failure of adk carries besides its tag: what happened, what to do next, and how the process ends. */
export interface Failure {
  readonly _tag: string;
  /** What happened, one line, no trailing full stop, already safe to print (secrets are redacted at the sink). */
  readonly message: string;
  /** What the user does next, one line. */
  readonly hint: string;
  readonly exitCode: FailureExitCode;
}

interface FailureText {
  readonly message: string;
  readonly hint: string;
  readonly cause?: unknown;
}

type FailureClass<Tag extends string> = new <Fields extends Record<string, unknown> = Record<never, never>>(
  fields: FailureText & Fields,
) => YieldableError & FailureText & { readonly _tag: Tag; readonly exitCode: FailureExitCode } & Readonly<Fields>;

/**
 * Base class for tagged errors: `class GitFailed extends failure("GitFailed", 1)<{ readonly code: number }> {}`.
 * The exit code belongs to the class, so that the same tag always ends the process the same way.
 * Data.TaggedError rather than Schema.TaggedError: errors cross no wire, and Schema costs every verb its load time.
 */
export const failure = <Tag extends string>(tag: Tag, exitCode: FailureExitCode): FailureClass<Tag> =>
  class extends Data.TaggedError(tag)<FailureText & Record<string, unknown>> {
    readonly exitCode = exitCode;
  } as unknown as FailureClass<Tag>;

/** A call whose words are wrong: unknown flag, missing argument, value of the wrong type. */
export class UsageError extends failure("UsageError", 2) {}

/** Refused by a guard: locked, not eligible, needs `-y`, quiet hours, cost cap. */
export class Refused extends failure("Refused", 2) {}

/** A named thing (PR, repository, branch, actor) is not known. */
export class NotFound extends failure("NotFound", 1) {}
