import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ends } from "./scenario/support.ts";
import { addLocal, must, World } from "./support/world.ts";

// Whole processes on a machine that may be busy with others.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.remove());

const queueFile = (): string => join(world.data, "config", "pr-queue.json5");

/** Changes the text of the queue as an editor would; the header's hash then no longer fits. */
const editText = (from: string | RegExp, to: string): void => {
  const text = readFileSync(queueFile(), "utf8");
  expect(text).toMatch(from);
  writeFileSync(queueFile(), text.replaceAll(from, to));
};

describe("what a person does by hand", () => {
  it("a state set in the queue file wins over the stored snapshot, and the row goes on from there", async () => {
    await addLocal(world, world.report, "refunds");
    await must(world, ["pr-sync"]);
    editText(/"prep_status":"ready"/g, '"prep_status":"pending"');
    const { body } = await must(world, ["pr-sync"]);
    expect(body.ready).toEqual(["local:report#1"]);
    expect(world.row("local:report#1").prep_status).toBe("ready");
  });

  it("a word that is no state is refused with the words that are", async () => {
    await addLocal(world, world.report, "refunds");
    editText(/"prep_status":"pending"/g, '"prep_status":"bananas"');
    rmSync(`${queueFile()}.bak`, { force: true });
    const { code, body } = await world.json(["pr-sync"]);
    expect(code).toBe(3);
    expect(body.error.message).toContain('is "bananas", must be one of pending, waiting_for_base, preparing, ready');
  });

  it("a queue of a newer adk is refused before any work is done", async () => {
    await addLocal(world, world.report, "refunds");
    editText('"schema_version":4', '"schema_version":5');
    const { code, body } = await world.json(["pr-sync"]);
    expect([code, body.error.tag]).toEqual([3, "QueueReadOnly"]);
    expect(existsSync(join(world.data, "repos", "report", "original-clone"))).toBe(false);
  });

  it("a queue that is a link to nowhere is no empty queue", async () => {
    mkdirSync(join(world.data, "config"), { recursive: true, mode: 0o700 });
    symlinkSync(join(world.dir, "not-mounted", "queue.json5"), queueFile());
    for (const call of [
      ["pr-queue", "list"],
      ["pr-queue", "add", "--local", world.report.dir, "--head", "refunds"],
    ]) {
      const { code, body } = await world.json(call);
      expect([call[1], code]).toEqual([call[1], 3]);
      expect(body.error.message).toMatch(/is a link to a file that is not there/);
    }
  });

  it("a local PR goes by the name that the list shows", async () => {
    await addLocal(world, world.report, "refunds");
    const { body } = await must(world, ["pr-queue", "show", "report#1"]);
    expect(body.pr_url).toBe("local:report#1");
  });
});

describe("a base that a person edited", () => {
  it("from the middle of a deletion that nobody remembers, is deleted all the same", async () => {
    await must(world, ["repo", "add", world.report.dir]);
    await must(world, ["repo", "branch", "add", "report", "--branch", "refunds", "--auto"]);
    const file = world.baseMetaFile("report", "refunds");
    writeFileSync(file, readFileSync(file, "utf8").replace('"state": "fresh"', '"state": "deleting"'));
    expect(world.base("report", "refunds")?.state).toBe("deleting");
    await must(world, ["repo", "auto-bases", "clean", "--force", "report", "--branch", "refunds", "-y"]);
    expect(world.base("report", "refunds")).toBeNull();
  });
});

describe("what the person is told", () => {
  it("a row that left the queue in a sync is named with its reason", async () => {
    await addLocal(world, world.report, "refunds");
    await must(world, ["pr-sync"]);
    world.report.deleteBranch("refunds");
    const { body } = await must(world, ["pr-sync"]);
    expect(body.notes).toContain("local:report#1 is closed and left the queue");
  });

  it("a base branch that is gone is named with those that are there", async () => {
    await addLocal(world, world.shop, "fix-a", "release/v2");
    world.shop.deleteBranch("release/v2");
    const { body } = await ends(world, 1, ["pr-sync"]);
    expect(body.failed[0].error).toMatch(
      /shop has no branch release\/v2 — .*there are: fix-a, fix-b, main, round, tax/,
    );
  });

  it("a branch that cannot be added as a base leaves nothing behind", async () => {
    await must(world, ["repo", "add", world.report.dir]);
    const { code } = await world.json(["repo", "branch", "add", "report", "--branch", "nope"]);
    expect(code).toBe(1);
    const { body } = await must(world, ["repo", "branch", "list", "report"]);
    expect(body.branches.map((base: { branch: string }) => base.branch)).toEqual(["main"]);
    await must(world, ["repo", "update", "--all"]);
  });

  it("a shallow clone is refused when it is added, with what to run", async () => {
    const shallow = join(world.dir, "shallow");
    execFileSync("git", ["clone", "-q", "--depth", "1", "--no-single-branch", `file://${world.report.dir}`, shallow]);
    const { code, stderr } = await world.run(["pr-queue", "add", "--local", shallow, "--head", "main"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/shallow clone.*git fetch --unshallow/);
  });

  it("a result that cannot be printed is a failure", async () => {
    if (!existsSync("/dev/full")) return;
    await addLocal(world, world.report, "refunds");
    const end = execFileSync(
      "sh",
      [
        "-c",
        `"$0" "$1" pr-queue list > /dev/full 2> "$2"; echo $?`,
        process.execPath,
        world.program,
        join(world.dir, "err"),
      ],
      {
        env: { ...process.env, ADK_DATA_HOME: world.data },
        encoding: "utf8",
      },
    );
    expect(end.trim()).toBe("1");
    expect(readFileSync(join(world.dir, "err"), "utf8")).toMatch(/^error: the result could not be printed: ENOSPC/);
  });

  it("a token typed where a word belongs is not repeated", async () => {
    const token = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    for (const call of [[token], ["pr-queue", "list", "--status", token], [`--${token}`]]) {
      const { code, stdout, stderr } = await world.run([...call, "--json"], { GITHUB_TOKEN: token });
      expect(code).toBe(2);
      expect(`${stdout}${stderr}`).not.toContain(token);
    }
  });
});

describe("leftovers", () => {
  it("of a killed build go at the next sync, whoever needs that base", async () => {
    await must(world, ["repo", "add", world.report.dir]);
    const beside = join(world.baseFolder("report", "main"), "code-index.building-1-dead-1");
    mkdirSync(join(beside, "chunks.lance"), { recursive: true });
    await must(world, ["pr-sync"]);
    expect(readdirSync(world.baseFolder("report", "main")).filter((name) => name.includes("building"))).toEqual([]);
    expect(statSync(join(world.baseFolder("report", "main"), "code-index")).isDirectory()).toBe(true);
  });
});
