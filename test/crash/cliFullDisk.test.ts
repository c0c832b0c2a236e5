import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { shopState } from "../../fixtures/github/shopState.ts";
import { queueSchemaVersion } from "../../src/queue/row.ts";
import { type Ended, ended, root, start } from "../cli/support/program.ts";
import { readyRow } from "../effects/queue/support/rows.ts";
import { type FakeGitHub, startFakeGitHub } from "../fakes/github/startFakeGitHub.ts";
import { type Mounted, mountMemory, whyNot } from "./powerMounts.ts";

const size = 1024 * 1024;
const missing = whyNot(() => mountMemory(size));
if (missing !== null) process.stdout.write(`skipped: a full disk for real: ${missing}\n`);

describe.skipIf(missing !== null)("a disk that is really full", () => {
  let disk: Mounted;
  let fake: FakeGitHub;
  let data: string;
  let queue: string;
  const run = (...args: ReadonlyArray<string>): Promise<Ended> =>
    ended(start(join(root, "bin/adk"), args, { ADK_DATA_HOME: data, GITHUB_API_URL: fake.url }));
  const row = (n: number) => ({
    ...readyRow(n, { repo: "shop-api" }),
    pr_url: `https://github.com/acme/shop-api/pull/${n}`,
  });
  const ballast = (): string => join(disk.folder, "ballast");
  const fill = (): void => {
    const kibibyte = Buffer.alloc(1024, 1);
    for (let step = size; step >= 1024; step /= 2) {
      try {
        for (;;) writeFileSync(ballast(), Buffer.concat(Array(step / 1024).fill(kibibyte)), { flag: "a" });
      } catch (error) {
        expect(error).toMatchObject({ code: "ENOSPC" });
      }
    }
  };

  beforeAll(async () => {
    fake = await startFakeGitHub({ state: shopState });
    disk = mountMemory(size);
    data = join(disk.folder, "data");
    queue = join(data, "config", "pr-queue.json5");
    mkdirSync(dirname(queue), { recursive: true, mode: 0o700 });
    const rows = Array.from({ length: 20 }, (_, index) => row(index + 100));
    writeFileSync(queue, JSON.stringify({ schema_version: queueSchemaVersion, rev: 1, prs: [row(1), ...rows] }));
  });
  afterAll(async () => {
    await fake.close();
    disk.remove();
  });

  const expectFull = ({ code, stderr }: Ended): void => {
    expect({ code, stderr }).toMatchObject({
      code: expect.any(Number),
      stderr: expect.stringMatching(/^error: .+ — .+$/m),
    });
    expect(code).not.toBe(0);
    expect(stderr).toContain("disk full");
    expect(stderr).toContain(data);
  };

  it.each(["before the first lock of the data home", "after it"])(
    "%s: every verb that writes says so with the path, and nothing is lost",
    async (when) => {
      if (when === "after it")
        expect((await run("pr-queue", "set-status", "acme/shop-api#1", "comments")).code).toBe(0);
      const page = `https://github.com/acme/shop-api/pull/${when === "after it" ? 6 : 5}`;
      const before = readFileSync(queue);
      fill();
      expectFull(await run("pr-queue", "set-status", "acme/shop-api#1", "approved"));
      expectFull(await run("pr-queue", "add", page));
      expectFull(await run("pr-queue", "claim", "acme/shop-api#1", "--force"));
      expectFull(await run("config", "set", "pr_sync.base_jobs", "3"));
      expectFull(await run("pr-sync"));
      expect(readFileSync(queue).equals(before)).toBe(true);
      expect((await run("pr-queue", "list", "--json")).code).toBe(0);
      rmSync(ballast());
      expect(await run("pr-queue", "add", page)).toMatchObject({ code: 0 });
      expect(readdirSync(dirname(queue)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
    },
  );
});
