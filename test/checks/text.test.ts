import { describe, expect, it } from "vitest";
import { readSource, repositoryFiles, textOf } from "../../scripts/checks/sources.ts";
import { machineTraces, moduleSizes } from "../../scripts/checks/text.ts";
import { root } from "../cli/support/program.ts";

describe("traces of a machine", () => {
  it("are in no file of this repository", () => {
    const files = repositoryFiles(root).map((path) => ({ path, text: textOf(root, path) }));
    expect(files.length).toBeGreaterThan(50);
    expect(machineTraces(files, root)).toEqual([]);
  });

  it("are found with their line", () => {
    // Put together here, so that this file has none itself.
    const home = `/${"home"}/carol/adk`;
    const registry = `https://${"registry"}.example.test/effect`;
    const traces = machineTraces(
      [{ path: "a.md", text: `x\n${home}\n/srv/checkout/src ${registry}` }],
      "/srv/checkout",
    );
    expect(traces).toEqual([
      "a.md:3 names the folder of this checkout: /srv/checkout",
      `a.md:2 names a home folder: /${"home"}/carol/`,
      `a.md:3 names a package registry: https://${"registry"}.example.test`,
    ]);
  });

  it("are not the homes of examples, nor a folder that only begins alike", () => {
    expect(
      machineTraces([{ path: "a.md", text: "/home/ada/x /Users/you/y /srv/checkout-2" }], "/srv/checkout"),
    ).toEqual([]);
  });
});

describe("module sizes", () => {
  it("count lines of the code that ships, and name what is over 400", () => {
    const long = readSource("effects/a/A.ts", "\n".repeat(401));
    const report = moduleSizes([long, readSource("src/b.ts", "\n\n"), readSource("test/c.ts", "\n".repeat(900))]);
    expect(report).toEqual({ modules: 2, median: 2, large: [{ path: "effects/a/A.ts", lines: 401 }] });
  });
});
