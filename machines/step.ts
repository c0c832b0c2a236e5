import * as Either from "effect/Either";
import type { AnyActorScope, AnyMachineSnapshot } from "xstate";
import { createActor } from "xstate";
import type { ActorSnapshot, PendingCommand } from "../src/queue/row.ts";
import { dropPending } from "./declared.ts";
import { IllegalEvent, SnapshotUnreadable } from "./errors.ts";
import { migrate } from "./migrations.ts";
import { type ActorFacts, type MachineEntry, type MachineName, type MachineTypes, registry } from "./registry.ts";

/** What one step gives: the snapshot and context to store together, and the commands to run once they are stored. */
export interface StepResult<Context> {
  readonly snapshot: ActorSnapshot;
  readonly context: Context;
  readonly issued: ReadonlyArray<PendingCommand>;
  readonly from: string;
  readonly to: string;
  /** True for the completion of a command that is no longer pending: nothing changed, nothing is to be stored. */
  readonly ignored: boolean;
}

interface Action {
  readonly type: string;
  readonly params: unknown;
}

interface Runner {
  /** The machine's snapshot at a state, without the context. */
  readonly at: (value: string) => AnyMachineSnapshot | undefined;
  readonly take: (
    snapshot: AnyMachineSnapshot,
    event: { readonly type: string },
  ) => [AnyMachineSnapshot, Array<Action>];
}

type Entry = MachineEntry<unknown, unknown>;

/**
 * xstate's own `machine.transition` on a scope made once: `transition()` of the package builds a fresh inert actor for
 * every call, which is most of its cost. Nothing here starts an actor or executes an action, so the scope holds no
 * state but the list of actions of the call in progress.
 */
const makeRunner = (machine: Entry["machine"]): Runner => {
  const self = createActor(machine);
  const states = new Map<string, AnyMachineSnapshot>();
  let actions: Array<Action> = [];
  const scope: AnyActorScope = {
    self,
    id: "",
    sessionId: "",
    logger: () => {},
    defer: () => {},
    emit: () => {},
    system: self.system,
    stopChild: () => {},
    actionExecutor: ({ type, params }) => {
      actions.push({ type, params });
    },
  };
  return {
    at: (value) => {
      const known = states.get(value);
      if (known !== undefined || !Object.hasOwn(machine.states, value)) return known;
      const resolved = machine.resolveState({ value, context: {} });
      states.set(value, resolved);
      return resolved;
    },
    take: (snapshot, event) => {
      actions = [];
      return [machine.transition(snapshot, event, scope), actions];
    },
  };
};

const runners = new Map<MachineName, Runner>();
const runnerOf = (name: MachineName, machine: Entry["machine"]): Runner => {
  const known = runners.get(name);
  if (known !== undefined) return known;
  const made = makeRunner(machine);
  runners.set(name, made);
  return made;
};

const wellFormed = (stored: ActorSnapshot): boolean =>
  typeof stored === "object" &&
  stored !== null &&
  Number.isSafeInteger(stored.version) &&
  stored.version >= 1 &&
  Number.isSafeInteger(stored.seq) &&
  stored.seq >= 0 &&
  typeof stored.value === "string" &&
  Array.isArray(stored.pending) &&
  stored.pending.every((command) => typeof command?.id === "string" && typeof command.name === "string");

const unreadable = (machine: MachineName, actor: string, why: string) =>
  new SnapshotUnreadable({
    actor,
    machine,
    message: `the stored state of ${actor} cannot be read: ${why}`,
    hint: "update adk, or restore the file: adk pr-queue restore",
  });

const load = (
  name: MachineName,
  actorId: string,
  stored: ActorSnapshot | undefined,
  context: unknown,
): Either.Either<{ readonly snapshot: ActorSnapshot; readonly machine: AnyMachineSnapshot }, SnapshotUnreadable> => {
  const entry = registry[name] as unknown as Entry;
  if (stored !== undefined && !wellFormed(stored)) return Either.left(unreadable(name, actorId, "its shape is wrong"));
  const migrated =
    stored === undefined
      ? Either.right({ version: entry.version, pending: [], ...entry.first(context) })
      : migrate(stored, entry);
  if (Either.isLeft(migrated)) return Either.left(unreadable(name, actorId, migrated.left));
  const machine = runnerOf(name, entry.machine).at(migrated.right.value);
  if (machine === undefined)
    return Either.left(unreadable(name, actorId, `${JSON.stringify(migrated.right.value)} is not a state of ${name}`));
  return Either.right({ snapshot: migrated.right, machine });
};

const settle = (
  pending: ReadonlyArray<PendingCommand>,
  actions: ReadonlyArray<Action>,
  facts: ActorFacts,
): { readonly pending: ReadonlyArray<PendingCommand>; readonly issued: ReadonlyArray<PendingCommand> } => {
  const issued: Array<PendingCommand> = [];
  let kept = pending;
  for (const action of actions) {
    if (action.type === dropPending) kept = [];
    if (!action.type.startsWith("cmd.")) continue;
    const id = `${facts.actorId}#${facts.seq}.${issued.length}`;
    issued.push({ id, name: action.type, params: (action.params ?? {}) as PendingCommand["params"] });
  }
  return { pending: [...kept, ...issued], issued };
};

const commandOf = (event: object): string | undefined =>
  "command" in event && typeof event.command === "string" ? event.command : undefined;

/**
 * One step of a persisted actor (spec 1, "Effect drives, XState decides"): the stored snapshot and context and one
 * event in, the next ones and the commands out. Pure; command ids are `<actor>#<seq>.<i>`, seq grows by one a step.
 *
 * `stored` undefined is an actor that has never been stepped: it stands where its row or meta says.
 * Fails with IllegalEvent (the state does not accept the event, or a guard refuses it) or SnapshotUnreadable.
 */
export const step = <Name extends MachineName>(
  name: Name,
  actorId: string,
  stored: ActorSnapshot | undefined,
  context: MachineTypes[Name]["context"],
  event: MachineTypes[Name]["event"],
): Either.Either<StepResult<MachineTypes[Name]["context"]>, IllegalEvent | SnapshotUnreadable> => {
  type Result = StepResult<MachineTypes[Name]["context"]>;
  const loaded = load(name, actorId, stored, context);
  if (Either.isLeft(loaded)) return Either.left(loaded.left);
  const { snapshot, machine } = loaded.right;
  const from = snapshot.value;
  const command = commandOf(event);
  const settled = command === undefined ? undefined : snapshot.pending.find((pending) => pending.id === command);
  if (command !== undefined && settled === undefined) {
    return Either.right<Result>({ snapshot, context, issued: [], from, to: from, ignored: true });
  }
  const entry = registry[name] as unknown as Entry;
  const facts: ActorFacts = { actorId, seq: snapshot.seq + 1 };
  const before: AnyMachineSnapshot = { ...machine, context: entry.load(context, facts) };
  const [after, actions] = runnerOf(name, entry.machine).take(before, event);
  if (after === before && settled === undefined) {
    return Either.left(
      new IllegalEvent({
        actor: actorId,
        machine: name,
        state: from,
        event: event.type,
        message: `${actorId} is ${from} and does not accept ${event.type}`,
        hint: hintOf(name),
      }),
    );
  }
  const to = String(after.value);
  const pending = snapshot.pending.filter((other) => other !== settled);
  const commands = settle(pending, actions, facts);
  return Either.right<Result>({
    snapshot: { version: entry.version, seq: facts.seq, value: to, pending: commands.pending },
    context: entry.save(after.context, to) as MachineTypes[Name]["context"],
    issued: commands.issued,
    from,
    to,
    ignored: false,
  });
};

const hints: Readonly<Record<MachineName, string>> = {
  prep: "see where it stands: adk pr-queue show PR",
  review: "see who holds it: adk pr-queue show PR",
  base: "see its bases: adk repo list --branches",
  sync: "start a new run: adk pr-sync",
};
const hintOf = (name: MachineName): string => hints[name];
