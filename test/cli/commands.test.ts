import { describe, expect, it } from "vitest";
import { globalFlags } from "../../cli/globalFlags.ts";
import type { FlagSpec } from "../../cli/verb.ts";
import { verbs } from "../../cli/verbs.ts";
import { readSources, repositoryFiles } from "../../scripts/checks/sources.ts";
import { root } from "./support/program.ts";

const sources = new Map(
  readSources(
    root,
    repositoryFiles(root).filter((path) => path.startsWith("cli/")),
  ).map((source) => [source.path, source]),
);

const fits: Readonly<Record<string, (spec: FlagSpec) => boolean>> = {
  flag: (spec) => spec.type !== "boolean" && spec.multiple !== true,
  bool: (spec) => spec.type === "boolean",
  int: (spec) => spec.type === "integer",
  num: (spec) => spec.type === "number" || spec.type === "integer",
  list: (spec) => spec.multiple === true,
};

const moduleOf = (load: () => Promise<unknown>): string => /commands\/\w+\.ts/.exec(String(load))?.[0] ?? "";

const reads = (path: string) => [
  ...(sources.get(path)?.text ?? "").matchAll(/flags\s*\.(flag|bool|int|num|list)\(\s*"([^"]+)"/g),
];

/** A verb's module and the helpers in cli/ that it is written with. */
const withHelpers = (path: string, seen: Set<string> = new Set()): ReadonlySet<string> => {
  if (seen.has(path) || !sources.has(path)) return seen;
  seen.add(path);
  for (const one of sources.get(path)?.imports ?? []) if (!one.typeOnly) withHelpers(one.of, seen);
  return seen;
};

// Nothing to leave out yet: they are accepted, so that a crontab written today keeps its meaning.
const reserved = new Set(["pr-sync --no-scan", "pr-sync --no-remind"]);

describe("a verb's module", () => {
  it.each(verbs.map((verb) => [verb.path.join(" "), verb] as const))(
    "adk %s reads the flags it declares, as their type",
    (name, verb) => {
      const path = `cli/${moduleOf(verb.load)}`;
      expect(sources.has(path), path).toBe(true);
      const specs = [...globalFlags, ...verb.flags];
      const undeclared = reads(path).filter(([, getter = "", flag]) => {
        const spec = specs.find((candidate) => candidate.name === flag);
        return spec === undefined || fits[getter]?.(spec) !== true;
      });
      expect(undeclared.map(([text]) => text)).toEqual([]);
      // The whole verb says that it is missing.
      const read = new Set([...withHelpers(path)].flatMap((helper) => reads(helper).map(([, , flag]) => flag)));
      const unread = verb.flags.filter((flag) => !read.has(flag.name) && !reserved.has(`${name} --${flag.name}`));
      expect(unread.map((flag) => `--${flag.name} is declared and never read`)).toEqual([]);
    },
  );
});
