import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { registry } from "../../machines/registry.ts";
import { machineDocs, mermaid } from "../../scripts/gen/machines.ts";

it("docs/machines is what the machines say", () => {
  expect(machineDocs().map(({ path }) => path)).toEqual(
    Object.keys(registry).map((name) => `docs/machines/${name}.md`),
  );
  for (const { path, text } of machineDocs())
    expect(readFileSync(new URL(`../../${path}`, import.meta.url), "utf8"), `${path} is stale: npm run gen`).toBe(text);
});

it("a diagram has the initial state, every state and the commands", () => {
  const text = mermaid(registry.prep.machine);
  expect(text).toContain("[*] --> pending");
  expect(text).toContain("pending --> preparing: START / cmd.prepare");
  expect(text).toContain("failed --> pending: RETRY [mayRetry]");
  for (const state of Object.keys(registry.prep.machine.states)) expect(text).toContain(state);
});
