import { describe, expect, it } from "vitest";
import { cycles, effectRuns, gitStarts, heavyStarts, layers } from "../../scripts/checks/boundaries.ts";
import { readSource, readSources, repositoryFiles } from "../../scripts/checks/sources.ts";
import { root } from "../cli/support/program.ts";

const sources = readSources(root, repositoryFiles(root));
const of = (files: Readonly<Record<string, string>>) =>
  Object.entries(files).map(([path, text]) => readSource(path, text));

describe("the code of this repository", () => {
  it("is read at all", () => {
    expect(sources.find((source) => source.path === "cli/run.ts")?.imports.map((one) => one.of)).toContain(
      "effects/log/Log.ts",
    );
  });

  it.each([
    ["keeps its layers", layers],
    ["has no modules that need each other", cycles],
    ["runs effects in cli/run.ts only", effectRuns],
    ["starts git in effects/git only", gitStarts],
    ["loads nothing heavy before a verb asks for it", heavyStarts],
  ])("%s", (_, check) => {
    expect(check(sources)).toEqual([]);
  });
});

describe("the layer rule", () => {
  it.each([
    ["src/a.ts", 'import { b } from "../effects/b.ts";'],
    ["src/a.ts", 'import type { b } from "../machines/b.ts";'],
    ["src/a.ts", 'import { readFileSync } from "node:fs";'],
    ["src/a.ts", 'import * as Effect from "effect/Effect";'],
    ["src/deep/a.ts", 'export const load = () => import("../../cli/b.ts");'],
    ["machines/a.ts", 'import { spawn } from "node:child_process";'],
    ["machines/a.ts", 'export { b } from "../effects/b.ts";'],
    ["effects/a/A.ts", 'import { b } from "../../cli/b.ts";'],
    ["cli/a.ts", 'import { b } from "../test/b.ts";'],
  ])("refuses in %s: %s", (path, text) => {
    expect(layers(of({ [path]: text }))).toEqual([expect.stringContaining(`${path}:1 imports`)]);
  });

  it.each([
    ["src/a.ts", 'import * as Data from "effect/Data"; import { join } from "node:path"; import { b } from "./b.ts";'],
    ["src/a.ts", 'import type * as Effect from "effect/Effect";'],
    ["machines/a.ts", 'import { setup } from "xstate"; import { b } from "../src/b.ts";'],
    ["effects/a/A.ts", 'import { b } from "../../machines/b.ts"; import { readFile } from "node:fs/promises";'],
    ["test/a.ts", 'import { b } from "../cli/b.ts";'],
  ])("allows in %s: %s", (path, text) => {
    expect(layers(of({ [path]: text }))).toEqual([]);
  });
});

describe("the other rules", () => {
  it("find a circle once, and take types and import() for none", () => {
    const a = 'import { b } from "./b.ts"; export const a = b;';
    expect(cycles(of({ "src/a.ts": a, "src/b.ts": 'import { a } from "./a.ts"; export const b = a;' }))).toEqual([
      "modules import each other: src/a.ts → src/b.ts → src/a.ts",
    ]);
    expect(cycles(of({ "src/a.ts": a, "src/b.ts": 'import type { a } from "./a.ts"; export const b = 1;' }))).toEqual(
      [],
    );
    expect(cycles(of({ "src/a.ts": a, "src/b.ts": 'export const b = () => import("./a.ts");' }))).toEqual([]);
  });

  it("find an effect that is run outside of cli/run.ts", () => {
    const text =
      'import * as Effect from "effect/Effect"; Effect.runPromise(Effect.void); Effect.runFork(Effect.void);';
    expect(effectRuns(of({ "effects/a/A.ts": text }))).toHaveLength(2);
    expect(effectRuns(of({ "cli/run.ts": text, "test/a.test.ts": text }))).toEqual([]);
  });

  it("find git started by somebody else", () => {
    const text = 'execa("git", ["status"]); spawn("/usr/bin/git"); names.includes("git");';
    expect(gitStarts(of({ "effects/doctor/a.ts": text }))).toHaveLength(2);
    expect(gitStarts(of({ "effects/git/a.ts": text }))).toEqual([]);
  });

  it("find a heavy package however deep it is imported, but not behind import()", () => {
    const files = (join: string) => ({
      "cli/main.ts": 'import { a } from "../src/a.ts";',
      "src/a.ts": join,
      "src/b.ts": 'import { connect } from "@lancedb/lancedb"; export const b = connect;',
    });
    expect(heavyStarts(of(files('import { b } from "./b.ts"; export const a = b;')))).toEqual([
      "every call loads @lancedb/lancedb: cli/main.ts → src/a.ts → src/b.ts",
    ]);
    expect(heavyStarts(of(files('export const a = () => import("./b.ts");')))).toEqual([]);
  });
});
