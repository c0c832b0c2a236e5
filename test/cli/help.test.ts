import { describe, expect, it } from "vitest";
import { helpText, usageLine } from "../../cli/help.ts";
import { verbs } from "../../cli/verbs.ts";

const levels = [...new Set(verbs.flatMap((verb) => verb.path.map((_, index) => verb.path.slice(0, index).join(" "))))];
const paths = [...levels, ...verbs.map((verb) => verb.path.join(" "))].map((path) =>
  path === "" ? [] : path.split(" "),
);

describe("help", () => {
  it.each(paths.map((path) => [path.join(" ") || "(top)", path] as const))(
    "of %s has usage, flags and an example",
    (_, path) => {
      const text = helpText(path);
      expect(text).toContain(usageLine(path));
      expect(text).toContain("--json");
      expect(text).toMatch(/\nexamples:\n {2}adk /);
      expect(text.split("\n")[0]).not.toBe("");
      expect(text).not.toMatch(/ $/m);
    },
  );

  it("lists every verb and nothing of another group", () => {
    for (const verb of verbs) expect(helpText([])).toContain(verb.summary);
    expect(helpText(["config"])).not.toContain("pr-queue");
  });

  it("shows arguments, flags with their values and choices", () => {
    expect(usageLine(["pr-queue", "set-status"])).toBe("usage: adk pr-queue set-status [PR…] STATUS [flags]");
    expect(helpText(["index", "query"])).toMatch(/-k, --limit N +most hits/);
    expect(helpText(["index", "query"])).toContain("hybrid, vector, text");
  });
});
