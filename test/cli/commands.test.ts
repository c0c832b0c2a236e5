import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { globalFlags } from "../../cli/globalFlags.ts";
import type { FlagSpec } from "../../cli/verb.ts";
import { verbs } from "../../cli/verbs.ts";
import { root } from "./support/program.ts";

const fits: Readonly<Record<string, (spec: FlagSpec) => boolean>> = {
  flag: (spec) => spec.type !== "boolean" && spec.multiple !== true,
  bool: (spec) => spec.type === "boolean",
  int: (spec) => spec.type === "integer",
  num: (spec) => spec.type === "number" || spec.type === "integer",
  list: (spec) => spec.multiple === true,
};

const moduleText = (load: () => Promise<unknown>): string => {
  const [, name] = /commands\/(\w+)\.ts/.exec(String(load)) ?? [];
  return readFileSync(join(root, `cli/commands/${name ?? "unknown"}.ts`), "utf8");
};

const reads = (text: string) => [...text.matchAll(/flags\s*\.(flag|bool|int|num|list)\(\s*"([^"]+)"/g)];

describe("a verb's module", () => {
  it.each(verbs.map((verb) => [verb.path.join(" "), verb] as const))(
    "adk %s reads flags that it declares, as their type",
    (_, verb) => {
      const specs = [...globalFlags, ...verb.flags];
      const wrong = reads(moduleText(verb.load)).filter(([, getter = "", name]) => {
        const spec = specs.find((candidate) => candidate.name === name);
        return spec === undefined || fits[getter]?.(spec) !== true;
      });
      expect(wrong.map(([text]) => text)).toEqual([]);
    },
  );
});
