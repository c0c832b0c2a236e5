import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CliHome, cliHome } from "./support/queueHome.ts";

let home: CliHome;
let other: CliHome;
beforeEach(() => {
  home = cliHome();
  other = cliHome();
});
afterEach(() => {
  home.remove();
  other.remove();
});

const wanted = {
  taken_lock_max_age_seconds: 60,
  "pr_sync.base_jobs": 1,
  "pr_sync.prepare_jobs": 3,
  "pr_sync.auto_base_ttl_hours": 25,
  "index.max_file_kb": 512,
  "logs.max_mb": 5,
  "logs.keep_days": 6,
  "auto.max_reviews": 8,
} as const;

const valueAt = (config: unknown, key: string): unknown =>
  key.split(".").reduce<unknown>((inner, name) => (inner as Readonly<Record<string, unknown>>)[name], config);

describe("adk config set", () => {
  it("keeps the changes of eight processes that set eight keys at once", async () => {
    const set = await Promise.all(
      Object.entries(wanted).map(([key, value]) => home.json(["config", "set", key, String(value)])),
    );
    expect(set.map(({ code }) => code)).toEqual(Array(8).fill(0));
    const { body } = await home.json(["config", "show"]);
    for (const [key, value] of Object.entries(wanted)) expect(valueAt(body, key), key).toBe(value);
    expect(readdirSync(join(home.data, "config"))).toEqual(["core.yaml"]);
  });

  it("keeps them also when two data homes share one configuration folder", async () => {
    const shared = { ADK_CONFIG_HOME: join(other.data, "settings") };
    // The folder lies in a data home that is in use: one that never took a lock cannot be told from any other folder.
    expect((await other.json(["config", "set", "tui.theme", "default"])).code).toBe(0);
    const set = await Promise.all(
      Object.entries(wanted).map(([key, value], index) =>
        (index % 2 === 0 ? home : other).json(["config", "set", key, String(value)], shared),
      ),
    );
    expect(set.map(({ code }) => code)).toEqual(Array(8).fill(0));
    const { body } = await home.json(["config", "show"], shared);
    for (const [key, value] of Object.entries(wanted)) expect(valueAt(body, key), key).toBe(value);
    expect(readFileSync(join(shared.ADK_CONFIG_HOME, "core.yaml"), "utf8").split("\n")).toContain("logs:");
  });
});
