import { failure } from "../src/errors.ts";

/** An event that the machine does not accept in its state: a verb asked for something out of order. */
export class IllegalEvent extends failure("IllegalEvent", 2)<{
  readonly actor: string;
  readonly machine: string;
  readonly state: string;
  readonly event: string;
}> {}

/** A persisted snapshot of an unknown state, a newer version or a broken shape. Its row is quarantined, nothing else. */
export class SnapshotUnreadable extends failure("SnapshotUnreadable", 3)<{
  readonly actor: string;
  readonly machine: string;
}> {}

/** A pending command whose name or parameters this build does not know. */
export class CommandUnreadable extends failure("CommandUnreadable", 3)<{
  readonly id: string;
  readonly name: string;
}> {}
