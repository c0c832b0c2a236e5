import * as Either from "effect/Either";
import { describe, expect, it } from "vitest";
import { decodeCommand } from "../../machines/commands.ts";
import { migrate } from "../../machines/migrations.ts";
import { registry } from "../../machines/registry.ts";
import { prepStatuses } from "../../src/queue/row.ts";
import { baseStates } from "../../src/repo/repoMeta.ts";

const banned = [
  "invoke",
  "spawn",
  "spawnChild",
  "after",
  "sendTo",
  "raise",
  "entry",
  "exit",
  "always",
  "onDone",
  "type",
];

const keysOf = (value: unknown, path: string): ReadonlyArray<string> =>
  typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([key, inner]) => [`${path}.${key}`, ...keysOf(inner, `${path}.${key}`)])
    : [];

const machines = Object.entries(registry);

describe.each(machines)("the %s machine", (name, { machine }) => {
  const config = machine.config as { readonly states: Record<string, { readonly on?: Record<string, unknown> }> };

  it("invokes, spawns, delays and sends nothing, and has no nested states", () => {
    for (const [state, node] of Object.entries(config.states)) {
      const found = Object.keys(node).filter((key) => banned.includes(key) || key === "states");
      expect(found, `${name}.${state}`).toEqual([]);
    }
    const types = JSON.stringify(machine.config);
    for (const word of ["xstate.raise", "xstate.sendTo", "xstate.spawnChild", "xstate.cancel"])
      expect(types).not.toContain(word);
    expect(Object.keys(machine.config)).not.toContain("invoke");
  });

  it("has no implementation for a command, and named actions only", () => {
    const implementations = machine.implementations.actions as Record<string, unknown>;
    for (const [action, implementation] of Object.entries(implementations))
      if (action.startsWith("cmd.") || action === "pending.drop") expect(implementation, action).toBeUndefined();
    const inline = keysOf(config, name).filter((path) => /\.actions(\.\d+)?$/.test(path));
    expect(inline.length).toBeGreaterThan(0);
    for (const transition of machine.root.transitions.values()) expect(transition).toEqual([]);
    for (const node of Object.values(machine.states))
      for (const transitions of node.transitions.values())
        for (const { actions } of transitions)
          for (const action of actions) {
            expect(typeof action).not.toBe("function");
            const type = typeof action === "string" ? action : (action as { type: string }).type;
            expect(Object.keys(implementations), `${name}: ${type}`).toContain(type);
          }
  });

  it("targets only states that exist", () => {
    for (const node of Object.values(machine.states))
      for (const transitions of node.transitions.values())
        for (const { target } of transitions)
          for (const one of target ?? []) expect(Object.keys(machine.states)).toContain(one.key);
  });

  it("has one migration for every version before its own", () => {
    const { version, migrations } = registry[name as keyof typeof registry];
    expect(Object.keys(migrations).map(Number)).toEqual(Array.from({ length: version - 1 }, (_, i) => i + 1));
  });
});

it("names the states as the row and the meta do", () => {
  expect(Object.keys(registry.prep.machine.states).sort()).toEqual([...prepStatuses].sort());
  expect(Object.keys(registry.base.machine.states).sort()).toEqual([...baseStates].sort());
});

describe("migrate", () => {
  const chain = {
    version: 3,
    migrations: {
      1: (old: { value: string; seq: number }) => ({ ...old, value: `${old.value}2`, pending: [] }),
      2: (old: { value: string; seq: number }) => ({ ...old, value: `${old.value}3`, pending: [] }),
    },
  };
  const at = (version: number) => ({ version, seq: 4, value: "v", pending: [] });

  it("goes through every version and keeps the seq", () => {
    expect(Either.getOrThrow(migrate(at(1), chain))).toEqual({ version: 3, seq: 4, value: "v23", pending: [] });
    expect(Either.getOrThrow(migrate(at(2), chain)).value).toBe("v3");
    expect(Either.getOrThrow(migrate(at(3), chain))).toEqual(at(3));
  });

  it("refuses a newer version and a gap in the chain", () => {
    expect(Either.isLeft(migrate(at(4), chain))).toBe(true);
    expect(Either.isLeft(migrate(at(1), { version: 3, migrations: { 2: chain.migrations[2] } }))).toBe(true);
  });
});

describe("decodeCommand", () => {
  it("knows what the machines issue and refuses the rest", () => {
    const known = { id: "a#1.0", name: "cmd.refreshBase", params: { repo: "shop", branch: "main", rebuild: false } };
    expect(Either.getOrThrow(decodeCommand(known))).toEqual(known);
    for (const bad of [
      { ...known, name: "cmd.rm" },
      { ...known, params: {} },
      { ...known, params: { ...known.params, rebuild: "no" } },
    ])
      expect(Either.isLeft(decodeCommand(bad)) && decodeCommand(bad)).toMatchObject({
        left: { _tag: "CommandUnreadable" },
      });
  });
});
