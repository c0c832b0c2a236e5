import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as Effect from "effect/Effect";
import * as Either from "effect/Either";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { QueueStore } from "../../effects/store/QueueStore.ts";
import { decodeSealedQueue } from "../../src/queue/codec.ts";
import { ended, root, start as startCli } from "../cli/support/program.ts";
import { bundleProgram, readLedger, start, storeLayer, testRow } from "../crash/storeHarness.ts";

const long = process.env.ADK_TEST_LONG === "1";
const succeeds = (line: string): boolean => spawnSync("sh", ["-c", line]).status === 0;
const mayMount =
  process.platform === "linux" &&
  process.getuid?.() === 0 &&
  ["mount", "umount", "mkfs.ext4", "losetup", "perl"].every((program) => succeeds(`command -v ${program}`)) &&
  succeeds("unshare -m true");

const sh = (program: string, args: ReadonlyArray<string>): void => {
  const { status, stderr } = spawnSync(program, [...args], { encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${stderr}`);
};

let base: string;
let mounted: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "adk-disk-"));
  mounted = join(base, "mounted");
  mkdirSync(mounted);
});
afterEach(() => {
  if (existsSync(join(base, "is-mounted"))) sh("umount", ["-l", mounted]);
  rmSync(base, { recursive: true, force: true });
});

const mount = (args: ReadonlyArray<string>): void => {
  writeFileSync(join(base, "is-mounted"), "");
  sh("mount", [...args, mounted]);
};

/** A queue of `count` rows, written by the store itself. */
const fill = (data: string, count: number): Promise<unknown> =>
  Effect.runPromise(
    Effect.provide(
      Effect.flatMap(QueueStore, (store) =>
        store.transact((queue) =>
          Either.right({
            queue: { ...queue, prs: Array.from({ length: count }, (_, index) => testRow(index + 1)) },
            result: null,
          }),
        ),
      ),
      storeLayer(data),
    ),
  );

describe.skipIf(!mayMount)("a file system that runs full (root only)", () => {
  it("leaves the queue old or makes it new, whole either way, at every amount of free space", {
    timeout: 600_000,
  }, async () => {
    mount(["-t", "tmpfs", "-o", "size=2m", "tmpfs"]);
    const data = join(mounted, "data");
    const queue = join(data, "config", "pr-queue.json5");
    await fill(data, 12);
    const set = (status: string) =>
      ended(
        startCli(join(root, "bin/adk"), ["pr-queue", "set-status", "acme/shop#1", status], { ADK_DATA_HOME: data }),
      );
    expect((await set("comments")).code).toBe(0);
    const size = readFileSync(queue).length;
    const filler = join(mounted, "filler");
    writeFileSync(filler, "");
    const step = long ? 4096 : 16_384;
    const outcomes = { old: 0, made: 0 };
    for (let free = 0; free <= size + 65_536; free += step) {
      truncateSync(filler, 0);
      const { bavail, bsize } = statfsSync(mounted);
      writeFileSync(filler, Buffer.alloc(Math.max(0, Number(bavail) * Number(bsize) - free)));
      const before = readFileSync(queue);
      const wanted = free % (2 * step) === 0 ? "approved" : "pending";
      const { code, stderr } = await set(wanted);
      const after = readFileSync(queue);
      const status = decodeSealedQueue(after)?.queue.prs[0]?.status;
      if (code === 0) {
        outcomes.made += 1;
        expect(status).toBe(wanted);
      } else {
        outcomes.old += 1;
        expect(after.equals(before)).toBe(true);
        expect(stderr).toMatch(/^error: .*disk full/);
        expect(stderr).toContain(data);
      }
      expect(readdirSync(dirname(queue)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
    }
    expect(outcomes.old).toBeGreaterThan(0);
    expect(outcomes.made).toBeGreaterThan(1);
  });
});

describe.skipIf(!mayMount).each([
  ["the defaults", "commit=1"],
  ["noauto_da_alloc", "noauto_da_alloc,commit=1"],
])("a power cut on ext4 with %s (root only)", (_, options) => {
  const cuts = long ? 40 : 3;
  let writer: Awaited<ReturnType<typeof bundleProgram>>;
  beforeAll(async () => {
    writer = await bundleProgram("storeWriter.ts");
  });
  afterAll(() => writer.remove());

  it(`loses nothing that was acknowledged, ${cuts} times of ${cuts}`, { timeout: 1_800_000 }, async () => {
    const image = join(base, "image");
    writeFileSync(image, "");
    truncateSync(image, 32 * 1024 * 1024);
    sh("mkfs.ext4", ["-q", "-F", image]);
    const ledger = join(base, "ledger");
    mkdirSync(ledger);
    const data = join(mounted, "data");
    const acks = (): number => readLedger(ledger).filter(({ event }) => event === "ack").length;
    mount(["-o", `loop,${options}`, image]);
    await fill(data, 50);
    spawnSync("sync");
    for (let cut = 0; cut < cuts; cut += 1) {
      const before = acks();
      const { child, ended: over } = start(writer.path, [data, ledger, "1", "0"]);
      while (acks() < before + 5 + (cut % 7)) await new Promise((resolve) => setTimeout(resolve, 3));
      // FS_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH: the journal stops where it is, as when the power goes.
      sh("perl", [
        "-MFcntl",
        "-e",
        "my $how = pack('I', 2); sysopen(D, $ARGV[0], O_RDONLY) or die $!; ioctl(D, 0x8004587d, $how) or die $!",
        mounted,
      ]);
      child.kill("SIGKILL");
      await over;
      sh("umount", [mounted]);
      sh("mount", ["-o", `loop,${options}`, image, mounted]);
      const queue = decodeSealedQueue(readFileSync(join(data, "config", "pr-queue.json5")))?.queue;
      const seqs = readLedger(ledger).filter(({ event }) => event === "ack");
      expect(queue?.prs[0]?.prep_attempts).toBeGreaterThanOrEqual(Math.max(...seqs.map(({ seq }) => seq)));
    }
    expect(acks()).toBeGreaterThanOrEqual(cuts * 5);
  });
});
