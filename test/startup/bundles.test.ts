import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Metafile } from "esbuild";
import { describe, expect, it } from "vitest";
import { root } from "../cli/support/program.ts";

const { outputs } = JSON.parse(readFileSync(join(root, "dist/meta.start.json"), "utf8")) as Metafile;

const inside = (name: string) => {
  const output = Object.entries(outputs).find(([path]) => path.endsWith(`/${name}.cjs`))?.[1];
  if (output === undefined) throw new Error(`dist holds no ${name}.cjs: run npm run build`);
  const inputs = Object.keys(output.inputs);
  const packages = inputs.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
  return { bytes: output.bytes, inputs, packages: [...new Set(packages)].sort() };
};

describe("what the bundles of the start hold", () => {
  it("is no package in the one that answers help, version and usage", () => {
    const start = inside("start");
    expect(start.packages).toEqual([]);
    expect(start.bytes).toBeLessThan(60_000);
  });

  it("is no machine, no git, no index and no host in the one for reading", () => {
    const read = inside("read");
    expect(read.packages).toEqual(["effect", "json5", "yaml"]);
    expect(read.inputs.filter((path) => /^(machines|effects\/(git|index|platform|engine))\//.test(path))).toEqual([]);
    expect(read.bytes).toBeLessThan(900_000);
  });

  it("is no git, no index and no host in the one that changes rows", () => {
    const write = inside("write");
    expect(write.packages).toEqual(["effect", "json5", "xstate", "yaml"]);
    expect(write.inputs.filter((path) => /^effects\/(git|index|platform)\//.test(path))).toEqual([]);
    expect(write.bytes).toBeLessThan(1_000_000);
  });
});
