import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { ended } from "../cli/support/program.ts";
import { type Answer, CliOver } from "./support/world.ts";

// Whole processes on a machine that may be busy with others.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

let dir: string;
let home: string;
let cli: CliOver;
let first: Answer;

beforeAll(async () => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), "adk-e2e-demo-")));
  home = join(dir, "home");
  cli = new CliOver(home);
  first = await cli.json(["demo", "--dir", home]);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe("adk demo", () => {
  it("prepares eight changes in all three tiers, each base built once", () => {
    expect(first).toMatchObject({ code: 0, body: { data_home: home, kept: true, skipped: [] } });
    expect(first.body.summary).toMatchObject({ ready: 8, failed: 0, bases_built: 2 });
    expect(first.body.prs.map((pr: { tier: number }) => pr.tier)).toEqual([0, 0, 0, 1, 1, 1, 1, 2]);
    expect(cli.rows().map((row) => row.prep_status)).toEqual(Array.from({ length: 8 }, () => "ready"));
    const builds = cli
      .events()
      .filter((event) => event.event === "BUILD")
      .map((event) => event.actor);
    expect(builds.sort()).toEqual(["base:shop-api:main", "base:shop-api:release/v2.1", "base:web-client:main"]);
  });

  it("uses its folder again with --keep, has nothing to do, and says what to type next", async () => {
    const { code, stdout } = await cli.run(["demo", "--dir", home, "--keep"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/0 bases built · 0 PRs made ready · 0 failed · 8 left as they are · nothing embedded/);
    expect(stdout).toContain(`export ADK_DATA_HOME=${home}`);
    expect(stdout).toContain(`${realpathSync(cli.program)} pr-queue list`);
  });

  it("refuses a folder of its own without --keep, and a strange one that is not empty in any case", async () => {
    expect((await cli.run(["demo", "--dir", home])).code).toBe(2);
    const strange = join(dir, "strange");
    mkdirSync(strange);
    writeFileSync(join(strange, "thesis.txt"), "mine");
    for (const keep of [[], ["--keep"]]) expect((await cli.run(["demo", "--dir", strange, ...keep])).code).toBe(2);
    expect(readdirSync(strange)).toEqual(["thesis.txt"]);
  });

  it("removes its temporary folder, also when it is interrupted", async () => {
    const temporary = join(dir, "tmp");
    mkdirSync(temporary);
    const child = cli.start(["demo"], { TMPDIR: temporary });
    const end = ended(child);
    for (let made = ""; !existsSync(join(temporary, made, "logs", "events.jsonl")); ) {
      if (child.exitCode !== null) throw new Error("the demo ended early");
      await new Promise((resolve) => setTimeout(resolve, 5));
      made = readdirSync(temporary).find((name) => name.startsWith("adk-demo-")) ?? "none";
    }
    child.kill("SIGTERM");
    expect((await end).code).toBe(130);
    expect(readdirSync(temporary)).toEqual([]);
  });
});
