import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import * as Either from "effect/Either";
import * as Layer from "effect/Layer";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import * as Home from "../../../effects/home/Home.ts";
import * as Settings from "../../../effects/settings/Settings.ts";
import { defaultConfig } from "../../../src/config/config.ts";

let dir = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "adk-settings-"));
  mkdirSync(join(dir, "config"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const load = (text: string | Buffer | null) => {
  if (text !== null) writeFileSync(join(dir, "config", "core.yaml"), text);
  const layer = Layer.provide(Settings.layer, Home.layer({ env: { ADK_DATA_HOME: dir } }));
  return Effect.runPromise(Effect.either(Effect.provide(Settings.Settings, layer)));
};

const good = async (text: string | null) => Either.getOrThrowWith(await load(text), (error) => error);

const refused = async (text: string | Buffer) => {
  // Time of the processor, not of the clock: other work on the machine is not this code's fault.
  const start = process.cpuUsage();
  const result = await load(text);
  expect(process.cpuUsage(start).user / 1_000).toBeLessThan(1_000);
  if (Either.isRight(result)) throw new Error("core.yaml was accepted");
  expect(result.left).toMatchObject({ _tag: "ConfigUnreadable", exitCode: 3 });
  expect(result.left.hint).not.toBe("");
  return result.left;
};

describe("Settings", () => {
  it.each([
    ["a missing file", null],
    ["an empty file", ""],
    ["comments only", "# nothing\n"],
  ])("gives the defaults for %s", async (_, text) => {
    const settings = await good(text);
    expect(settings.config).toEqual(defaultConfig);
    expect(settings.warnings).toEqual([]);
    expect(settings.path).toBe(join(dir, "config", "core.yaml"));
  });

  it("takes values from the file and fills in the rest", async () => {
    const { config, warnings } = await good(
      "pr_sync:\n  base_jobs: 4\ndefaults: {repo: acme/shop}\nagents:\n  claude: {bin: /opt/claude, args: [-p], cost_usd: 0.5}\nuser_mappings:\n  github_to_slack:\n    ada: U123\npr_review:\n  auto_approve:\n    enabled: false\n",
    );
    expect(warnings).toEqual([]);
    expect(config.pr_sync).toEqual({ ...defaultConfig.pr_sync, base_jobs: 4 });
    expect(config.defaults).toEqual({ platform: "github", repo: "acme/shop" });
    expect(config.agents).toEqual({ claude: { bin: "/opt/claude", args: ["-p"], cost_usd: 0.5 } });
    expect(config.user_mappings.github_to_slack).toEqual({ ada: "U123" });
    expect(config.pr_review.auto_approve).toEqual({ ...defaultConfig.pr_review.auto_approve, enabled: false });
  });

  it("warns of an unknown key with its line and the nearest known one", async () => {
    const { config, warnings } = await good(
      "# top\npr_sync:\n  base_job: 4\nfoo_bar_baz_qux: 1\nagents:\n  x: {modle: y}\n",
    );
    expect(config.pr_sync.base_jobs).toBe(2);
    expect(warnings).toHaveLength(3);
    expect(warnings[0]).toContain("core.yaml:3: unknown key pr_sync.base_job (did you mean pr_sync.base_jobs?)");
    expect(warnings[1]).toMatch(/core\.yaml:4: unknown key foo_bar_baz_qux$/);
    expect(warnings[2]).toContain("core.yaml:6: unknown key agents.x.modle (did you mean model?)");
  });

  it.each([
    ["a text for a number", "pr_sync:\n  base_jobs: many\n", 2, "pr_sync.base_jobs", /a whole number from 1 to 64/],
    ["a number out of bounds", "\nlogs: {max_mb: -1}\n", 2, "logs.max_mb", /from 1 to/],
    ["an unknown choice", "embed:\n  # c\n  provider: gpu\n", 3, "embed.provider", /one of builtin, ollama/],
    ["a scalar for a section", "a: 1\npr_sync: 3\n", 2, "pr_sync", /must be a map/],
    ["a text for a list", "github:\n  hosts: ghe.acme.test\n", 2, "github.hosts", /a list of texts/],
    ["a number in a list", "github:\n  hosts:\n    - a\n    - 7\n", 4, "github.hosts.1", /must be text/],
    ["a wrong pattern", "auto:\n  quiet_hours: 25-99\n", 2, "auto.quiet_hours", /22-06/],
    ["a wrong agent", "agents:\n  claude:\n    args: -p\n", 3, "agents.claude.args", /a list of texts/],
    ["null where it is not allowed", "tui:\n  theme:\n", 2, "tui.theme", /not null/],
    ["a list at the top", "- a\n- b\n", 1, "", /must be a map/],
  ])("refuses %s and names line, key and what is allowed", async (_, text, line, key, message) => {
    const error = await refused(text);
    expect(error).toMatchObject({ line, key });
    expect(error.message).toMatch(message);
    expect(error.message).toContain(`core.yaml:${line}:`);
  });

  it("refuses a key that is given twice, by name and line", async () => {
    const error = await refused("logs:\n  max_mb: 1\n  max_mb: 2\n");
    expect(error).toMatchObject({ line: 3, key: "max_mb" });
    expect(error.message).toContain("given twice");
  });

  it("refuses a tab as indentation with its line", async () => {
    const error = await refused("logs:\n\tmax_mb: 1\n");
    expect(error.line).toBe(2);
  });

  it.each(["__proto__", "constructor", "prototype"])("refuses %s at any depth", async (key) => {
    expect((await refused(`logs:\n  ${key}: {polluted: true}\n`)).line).toBe(2);
    expect((await refused(`agents:\n  ${key}: {bin: x}\n`)).message).toContain(key);
    expect((await refused(`${key}:\n  polluted: true\n`)).line).toBe(1);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it.each([
    ["20,000 brackets", `github: {hosts: ${"[".repeat(20_000)}`],
    ["20,000 closed brackets", `a: ${"[".repeat(10_000)}${"]".repeat(10_000)}`],
    ["20,000 braces", "{a: ".repeat(20_000)],
    ["20,000 nested list items", `${"- ".repeat(20_000)}a`],
    ["20,000 explicit keys", `${"? ".repeat(20_000)}a`],
    ["deep block maps", Array.from({ length: 600 }, (_, depth) => `${" ".repeat(depth)}a:`).join("\n")],
    [
      "an alias bomb",
      `a: &a [x, x, x, x, x, x, x, x, x]\n${[..."bcdefgh"].map((name, at) => `${name}: &${name} [${Array(9).fill(`*${"abcdefg"[at]}`).join(", ")}]`).join("\n")}\n`,
    ],
    ["many anchors", `${Array.from({ length: 10_000 }, (_, at) => `k${at}: &a${at} [1]`).join("\n")}\nlogs: 1\n`],
    ["a merge key bomb", `a: &a {x: 1}\n${Array.from({ length: 2_000 }, (_, at) => `b${at}: {<<: *a}`).join("\n")}\n`],
    ["an unclosed quote", `logs: "${"\\".repeat(50_001)}\n`],
    ["10 MB", Buffer.alloc(10_000_000, "a")],
    ["just over 256 KB", Buffer.alloc(256 * 1024 + 1, "# a\n")],
    ["NUL bytes", Buffer.alloc(4_096)],
    ["binary", Buffer.from(Array.from({ length: 4_096 }, (_, at) => (at * 37) % 256))],
  ])("refuses %s in less than a second", async (_, text) => {
    await refused(text);
  });

  it("refuses 7,000 distinct keys with one wrong among them in less than a second", async () => {
    const keys = Array.from({ length: 7_000 }, (_, at) => `k${at}:`).join("\n");
    expect((await refused(`${keys}\nlogs: 1\n`)).key).toBe("logs");
  });

  it("takes 2,000 entries, and no more than it can read fast", async () => {
    const users = Array.from({ length: 2_000 }, (_, at) => `    user${at}: U${at}`).join("\n");
    const { config } = await good(`user_mappings:\n  github_to_slack:\n${users}\n`);
    expect(Object.keys(config.user_mappings.github_to_slack)).toHaveLength(2_000);
    expect((await refused("#\n".repeat(9_000))).message).toContain("more than 8000 lines");
    expect((await refused(`github: {hosts: [${"a,".repeat(9_000)}]}\n`)).message).toContain("list entries");
  });

  it("refuses a folder in the place of the file", async () => {
    mkdirSync(join(dir, "config", "core.yaml"));
    const error = await load(null);
    expect(Either.isLeft(error) && error.left.message).toContain("is not a file");
  });

  it("does not print escapes of the file", async () => {
    const error = await refused('embed:\n  provider: "\\e]0;evil\\a"\n');
    expect(error.message).not.toMatch(/[\x00-\x1f\x7f-\x9f]/);
  });
});
