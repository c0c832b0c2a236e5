/**
 * Declares a named action of a machine with the type of its parameters and no implementation: the step function hands
 * it out as data. A `cmd.*` action becomes a pending command; `pending.drop` forgets the commands nobody waits for.
 */
export const declared = <Params>(): ((args: unknown, params: Params) => void) => undefined as never;

/** Parameters of an action that has none. */
export type NoParams = undefined;

/** Name of the action that forgets every pending command of the actor. */
export const dropPending = "pending.drop";

/** What every event carries: the moment it happened, so that no machine ever asks a clock. */
export interface Timed {
  readonly at: string;
}

/** What a completion carries besides: the id of the command that it settles. */
export interface Completion extends Timed {
  readonly command: string;
}
