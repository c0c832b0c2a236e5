import * as Either from "effect/Either";
import fc from "fast-check";
import { expect, it } from "vitest";
import { transition } from "xstate";
import { type PrepContext, type PrepEvent, prepContext, prepMachine } from "../../machines/prep.ts";
import { step } from "../../machines/step.ts";
import type { ActorSnapshot } from "../../src/queue/row.ts";
import { at, row } from "./support.ts";

const types = ["INTERRUPTED", "KEY_MOVED", "REBUILD", "PR_ENDED", "PR_REOPENED"] as const;
const event = fc.oneof(
  fc.constantFrom(...types).map((type): PrepEvent => ({ type, at })),
  fc.constant<PrepEvent>({ type: "START", at, tier: 0, seed: null, rebuild: false }),
  fc.constant<PrepEvent>({ type: "RETRY", at, by: "sync" }),
  fc.constant<PrepEvent>({ type: "FAILED", at, command: "", error: "x" }),
);

it("a step goes where xstate's own transition() goes, with the same context and commands", () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 30 }), (events) => {
      let snapshot: ActorSnapshot | undefined;
      let context: PrepContext = prepContext(row);
      for (const made of events) {
        const sent = "command" in made ? { ...made, command: snapshot?.pending[0]?.id ?? "" } : made;
        const before = prepMachine.resolveState({ value: snapshot?.value ?? "pending", context });
        const [after, actions] = transition(prepMachine, before, sent);
        const result = step("prep", "row:a:prep", snapshot, context, sent);
        if (Either.isLeft(result)) {
          expect(after).toBe(before);
          continue;
        }
        if (result.right.ignored) continue;
        expect(result.right.to).toBe(after.value);
        expect(result.right.context).toEqual({ ...after.context, prep_status: after.value });
        const commands = actions.filter(({ type }) => type.startsWith("cmd."));
        expect(result.right.issued.map(({ name, params }) => ({ type: name, params }))).toEqual(
          commands.map(({ type, params }) => ({ type, params })),
        );
        ({ snapshot, context } = result.right);
      }
    }),
  );
});
