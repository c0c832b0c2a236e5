import ts from "typescript";
import type { Import, Source } from "./sources.ts";

// The dependency rule: src ← machines ← effects ← cli. `fixtures` holds the builders that `adk demo` uses too.
const mayImport: Readonly<Record<string, ReadonlyArray<string>>> = {
  src: ["src"],
  machines: ["src", "machines"],
  effects: ["src", "machines", "effects"],
  cli: ["src", "machines", "effects", "cli", "fixtures"],
  tui: ["src", "tui"],
};

const pureEffect = "Array|Brand|Data|Duration|Either|Equal|Function|Option|Order|Predicate|Record|Schema|ParseResult";
const purePackages = new RegExp(`^(node:crypto|node:path|json5|effect/(${pureEffect}))$`);

// Packages that a layer may use at run time; the others may use any.
const packages: Readonly<Record<string, RegExp>> = {
  src: purePackages,
  machines: new RegExp(`${purePackages.source}|^xstate(/graph)?$`),
};

const folder = (path: string): string => path.split("/")[0] ?? "";

const isLocal = (one: Import): boolean =>
  /\.(ts|tsx|mjs|js|json)$/.test(one.of) && one.of.includes("/") && !one.of.startsWith("@");

const layerProblems = (source: Source): ReadonlyArray<string> => {
  const allowed = mayImport[folder(source.path)];
  if (allowed === undefined) return [];
  return source.imports.flatMap((one) => {
    const at = `${source.path}:${one.line}`;
    if (isLocal(one))
      return allowed.includes(folder(one.of)) ? [] : [`${at} imports ${one.of}, which its layer may not`];
    const may = packages[folder(source.path)];
    return may === undefined || one.typeOnly || may.test(one.of) ? [] : [`${at} imports ${one.of}: this layer is pure`];
  });
};

/** Imports that go against the layers. */
export const layers = (sources: ReadonlyArray<Source>): ReadonlyArray<string> => sources.flatMap(layerProblems);

/** Modules that need each other at run time, each circle once. Types and `import()` make no circle. */
export const cycles = (sources: ReadonlyArray<Source>): ReadonlyArray<string> => {
  const edges = new Map(
    sources.map((source) => [
      source.path,
      source.imports.filter((one) => !one.typeOnly && !one.dynamic && isLocal(one)).map((one) => one.of),
    ]),
  );
  const done = new Set<string>();
  const found = new Set<string>();
  const walk = (path: string, trail: ReadonlyArray<string>): void => {
    const start = trail.indexOf(path);
    if (start !== -1) found.add(`${[...trail.slice(start), path].join(" → ")}`);
    if (start !== -1 || done.has(path)) return;
    for (const next of edges.get(path) ?? []) walk(next, [...trail, path]);
    done.add(path);
  };
  for (const path of edges.keys()) walk(path, []);
  return [...found].map((circle) => `modules import each other: ${circle}`);
};

const production = new Set(["src", "machines", "effects", "cli", "tui"]);

const calls = (source: Source, judge: (call: ts.CallExpression) => string | undefined): ReadonlyArray<string> => {
  const problems: string[] = [];
  const visit = (node: ts.Node): void => {
    const problem = ts.isCallExpression(node) ? judge(node) : undefined;
    if (problem !== undefined) {
      problems.push(`${source.path}:${source.tree.getLineAndCharacterOfPosition(node.getStart()).line + 1} ${problem}`);
    }
    ts.forEachChild(node, visit);
  };
  if (production.has(folder(source.path))) visit(source.tree);
  return problems;
};

const runs = new Set(["runPromise", "runPromiseExit", "runFork", "runSync", "runSyncExit", "runCallback"]);

/** Effects that are run elsewhere than in cli/run.ts: they would miss its layers, signals and exit codes. */
export const effectRuns = (sources: ReadonlyArray<Source>): ReadonlyArray<string> =>
  sources
    .filter((source) => source.path !== "cli/run.ts")
    .flatMap((source) =>
      calls(source, ({ expression }) =>
        ts.isPropertyAccessExpression(expression) &&
        runs.has(expression.name.text) &&
        /^(Effect|Runtime|ManagedRuntime)$/.test(expression.expression.getText())
          ? `runs an effect (${expression.getText()}); only cli/run.ts may`
          : undefined,
      ),
    );

/** Calls that start git from elsewhere than effects/git, which alone knows how to start it safely. */
export const gitStarts = (sources: ReadonlyArray<Source>): ReadonlyArray<string> =>
  sources
    .filter((source) => !source.path.startsWith("effects/git/"))
    .flatMap((source) =>
      calls(source, ({ arguments: [first], expression }) =>
        first !== undefined &&
        ts.isStringLiteralLike(first) &&
        /(^|\/)git$/.test(first.text) &&
        /exec|spawn|fork|command|run|\$/i.test(expression.getText())
          ? "starts git; only effects/git may"
          : undefined,
      ),
    );

const heavy = /^(@lancedb\/|@octokit\/|@vscode\/tree-sitter|@repomix\/tree-sitter|apache-arrow|ollama|yaml|json5$)/;

/** Heavy packages that every call would load: reached from cli/main.ts or cli/run.ts without an `import()` between. */
export const heavyStarts = (sources: ReadonlyArray<Source>): ReadonlyArray<string> => {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const problems: string[] = [];
  const seen = new Set<string>();
  const walk = (path: string, trail: ReadonlyArray<string>): void => {
    if (seen.has(path)) return;
    seen.add(path);
    for (const one of byPath.get(path)?.imports ?? []) {
      if (one.typeOnly || one.dynamic) continue;
      if (heavy.test(one.of)) problems.push(`every call loads ${one.of}: ${[...trail, path].join(" → ")}`);
      else if (isLocal(one)) walk(one.of, [...trail, path]);
    }
  };
  for (const start of ["cli/main.ts", "cli/run.ts"]) walk(start, []);
  return problems;
};
