import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { configDocs } from "../../../scripts/gen/config.ts";
import { checkConfig, fieldOfKey, nearestKey } from "../../../src/config/check.ts";
import { defaultConfig } from "../../../src/config/config.ts";
import { configFields } from "../../../src/config/schema.ts";

const leaves = (value: unknown, path: string): ReadonlyArray<string> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length > 0
    ? Object.entries(value).flatMap(([name, item]) => leaves(item, path === "" ? name : `${path}.${name}`))
    : [path];

describe("configFields", () => {
  it("name every key of the configuration once, and no other", () => {
    expect([...configFields.map((field) => field.key)].sort()).toEqual([...leaves(defaultConfig, "")].sort());
  });

  it("accept their own defaults", () => {
    const { config, errors, unknown } = checkConfig(structuredClone(defaultConfig));
    expect({ errors, unknown }).toEqual({ errors: [], unknown: [] });
    expect(config).toEqual(defaultConfig);
  });
});

describe("checkConfig", () => {
  it("never changes the defaults", () => {
    const before = structuredClone(defaultConfig);
    checkConfig({ logs: { max_mb: 7 }, agents: { x: { bin: "y" } } });
    expect(defaultConfig).toEqual(before);
  });

  it("refuses a number that is none", () => {
    expect(checkConfig({ auto: { max_cost_usd: Number.NaN } }).errors).toHaveLength(1);
    expect(checkConfig({ auto: { max_cost_usd: Number.POSITIVE_INFINITY } }).errors).toHaveLength(1);
    expect(checkConfig({ auto: { max_cost_usd: 2.5 } }).config.auto.max_cost_usd).toBe(2.5);
  });

  it("takes an empty section as nothing said", () => {
    expect(checkConfig({ logs: null }).config.logs).toEqual(defaultConfig.logs);
  });
});

describe("nearestKey", () => {
  it("finds what was meant, swapped letters included", () => {
    expect(nearestKey("pr_sync.prepare_jbos")).toBe("pr_sync.prepare_jobs");
    expect(nearestKey("tui.tehme")).toBe("tui.theme");
    expect(nearestKey("zzz")).toBeUndefined();
  });
});

describe("fieldOfKey", () => {
  it("knows entries of maps and settings of agents, and nothing inherited", () => {
    expect(fieldOfKey("agents.claude.bin")?.kind.kind).toBe("text");
    expect(fieldOfKey("slack.status_emoji.approved")?.kind.kind).toBe("text");
    for (const key of ["agents.x.constructor", "agents.x.toString", "agents.x", "agents.__proto__.bin", "logs"])
      expect(fieldOfKey(key)).toBeNull();
  });
});

describe("docs/config.md", () => {
  it("is what the generator writes", () => {
    for (const { path, text } of configDocs())
      expect(readFileSync(join(import.meta.dirname, "../../..", path), "utf8")).toBe(text);
  });

  it("has an example that is accepted", () => {
    const example = /```yaml\n([\s\S]*?)```/.exec(configDocs()[0]?.text ?? "")?.[1] ?? "";
    expect(checkConfig(parse(example))).toMatchObject({
      errors: [],
      unknown: [],
      config: { pr_sync: { prepare_jobs: 2 } },
    });
  });
});
