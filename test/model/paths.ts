import * as Either from "effect/Either";
import type { MachineName, MachineTypes } from "../../machines/registry.ts";
import { type StepResult, step } from "../../machines/step.ts";
import type { ActorSnapshot } from "../../src/queue/row.ts";

/** An actor as it is persisted: its snapshot and the fields that are its context. */
export interface Actor<Name extends MachineName> {
  readonly snapshot: ActorSnapshot | undefined;
  readonly context: MachineTypes[Name]["context"];
}

type Made<Name extends MachineName> = (actor: Actor<Name>) => MachineTypes[Name]["event"];

/** What was seen of one event sent to one actor. */
export interface Observed<Name extends MachineName> {
  readonly before: Actor<Name>;
  readonly event: MachineTypes[Name]["event"];
  readonly result: StepResult<MachineTypes[Name]["context"]> | null;
}

/** The id of the command that the actor waits for, or one that nobody waits for. */
export const pendingId = (actor: { readonly snapshot: ActorSnapshot | undefined }): string =>
  actor.snapshot?.pending.at(-1)?.id ?? "nobody#0.0";

/**
 * Sends events one after the other, each made from the actor as it then stands and through JSON, as it is stored.
 * Refused events leave the actor as it was; anything but a refusal is thrown.
 */
export const run = <Name extends MachineName>(
  name: Name,
  actorId: string,
  first: Actor<Name>,
  events: ReadonlyArray<Made<Name>>,
): ReadonlyArray<Observed<Name>> => {
  const seen: Array<Observed<Name>> = [];
  let actor = first;
  for (const make of events) {
    const event = make(actor);
    const result = step(name, actorId, actor.snapshot, actor.context, event);
    if (Either.isLeft(result) && result.left._tag !== "IllegalEvent") throw result.left;
    const right = Either.getOrNull(result);
    seen.push({ before: actor, event, result: right });
    if (right !== null && !right.ignored)
      actor = JSON.parse(JSON.stringify({ snapshot: right.snapshot, context: right.context })) as Actor<Name>;
  }
  return seen;
};

/** What holds of every step of every machine. */
export const brokenInvariants = <Name extends MachineName>(
  seen: ReadonlyArray<Observed<Name>>,
): ReadonlyArray<string> => {
  const broken: Array<string> = [];
  const issued = new Set<string>();
  for (const { before, event, result } of seen) {
    if (result === null) continue;
    const seq = before.snapshot?.seq ?? 0;
    if (result.ignored) {
      if (result.snapshot.seq !== seq || result.issued.length > 0) broken.push(`${event.type}: ignored but changed`);
      continue;
    }
    if (before.snapshot !== undefined && result.snapshot.seq !== seq + 1) broken.push(`${event.type}: seq`);
    for (const { id } of result.issued) {
      if (issued.has(id)) broken.push(`${event.type}: ${id} twice`);
      issued.add(id);
    }
    const ids = result.snapshot.pending.map(({ id }) => id);
    if (new Set(ids).size !== ids.length) broken.push(`${event.type}: pending twice`);
    if ("command" in event && ids.includes(event.command)) broken.push(`${event.type}: not settled`);
  }
  return broken;
};
