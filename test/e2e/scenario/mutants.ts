import { readFileSync } from "node:fs";
import type { Plugin } from "esbuild";
import { baseMachine } from "../../../machines/base.ts";
import { prepMachine } from "../../../machines/prep.ts";
import { syncMachine } from "../../../machines/sync.ts";

/** One transition of a machine. `index` counts the alternatives that guards choose from. */
export interface MachineTransition {
  readonly machine: "prep" | "base" | "sync";
  readonly state: string;
  readonly event: string;
  readonly index: number;
  readonly target: string;
}

type Config = { readonly states?: Readonly<Record<string, { readonly on?: Readonly<Record<string, unknown>> }>> };

const targetOf = (transition: unknown, state: string): string => {
  if (typeof transition === "string") return transition;
  const target = (transition as { readonly target?: string }).target;
  return target ?? state;
};

/** Every single transition of the preparation, base and sync machines. */
export const transitionsOf = (): ReadonlyArray<MachineTransition> => {
  const machines = { prep: prepMachine, base: baseMachine, sync: syncMachine } as const;
  return (["prep", "base", "sync"] as const).flatMap((machine) => {
    const { states = {} } = machines[machine].config as unknown as Config;
    return Object.entries(states).flatMap(([state, { on = {} }]) =>
      Object.entries(on).flatMap(([event, value]) =>
        (Array.isArray(value) ? value : [value]).map((one, index) => ({
          machine,
          state,
          event,
          index,
          target: targetOf(one, state),
        })),
      ),
    );
  });
};

/** How `ADK_TEST_MUTANT` names a transition. */
export const mutantName = (one: MachineTransition): string => `${one.machine}/${one.state}/${one.event}/${one.index}`;

const cut = `
function __without(config) {
  const [machine, state, event, index] = (process.env.ADK_TEST_MUTANT ?? "").split("/");
  if (machine !== config.id) return config;
  const on = config.states[state].on;
  const kept = Array.isArray(on[event]) ? on[event].filter((_, at) => at !== Number(index)) : [];
  const { [event]: _cut, ...others } = on;
  const next = kept.length === 0 ? others : { ...others, [event]: kept };
  return { ...config, states: { ...config.states, [state]: { ...config.states[state], on: next } } };
}
`;

/**
 * Builds machines that leave out the one transition named by ADK_TEST_MUTANT: the config of each machine goes through a
 * filter before `createMachine` sees it. Without the variable the build behaves as the original.
 */
export const mutable: Plugin = {
  name: "mutable-machines",
  setup: (build) => {
    build.onLoad({ filter: /[\\/]machines[\\/](prep|base|sync)\.ts$/ }, ({ path }) => {
      const source = readFileSync(path, "utf8");
      const call = /createMachine\(\{\n([\s\S]*?)\n\}\);/;
      if (!call.test(source)) throw new Error(`${path}: no createMachine call to change`);
      return { contents: `${source.replace(call, "createMachine(__without({\n$1\n}));")}${cut}`, loader: "ts" };
    });
  },
};
