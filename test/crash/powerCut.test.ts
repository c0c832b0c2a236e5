import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import * as Effect from "effect/Effect";
import * as Either from "effect/Either";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { QueueStore } from "../../effects/store/QueueStore.ts";
import { decodeSealedQueue } from "../../src/queue/codec.ts";
import { cutPower, type Mounted, mountExt4, whyNot } from "./powerMounts.ts";
import { bundleProgram, makeHome, readLedger, start, storeLayer, type TestHome, testRow } from "./storeHarness.ts";

const cuts = 20;
const missing = process.env.ADK_TEST_LONG === "1" ? whyNot(() => mountExt4(32)) : "a long series: npm run test:long";
if (missing !== null) process.stdout.write(`skipped: power cuts: ${missing}\n`);

describe.skipIf(missing !== null)(`${cuts} power cuts under a writer of the queue, on ext4`, () => {
  let program: Awaited<ReturnType<typeof bundleProgram>>;
  let disk: Mounted;
  /** The ledger stands on another disk, which keeps its power. */
  let home: TestHome;
  beforeAll(async () => {
    program = await bundleProgram("storeWriter.ts");
    disk = mountExt4(32);
    home = makeHome();
  });
  afterAll(() => {
    program.remove();
    disk.remove();
    home.remove();
  });

  const acknowledged = (): number =>
    Math.max(0, ...readLedger(home.ledger).flatMap(({ event, seq }) => (event === "ack" ? [seq] : [])));

  it("leave a queue that parses and has every acknowledged change", { timeout: 600_000 }, async () => {
    const data = join(disk.folder, "data");
    const queue = join(data, "config", "pr-queue.json5");
    mkdirSync(data, { mode: 0o700 });
    const seed = Effect.flatMap(QueueStore, ({ transact }) =>
      transact((now) =>
        Either.right({ queue: { ...now, prs: Array.from({ length: 50 }, (_, n) => testRow(n + 1)) }, result: null }),
      ),
    );
    await Effect.runPromise(Effect.provide(seed, storeLayer(data)));
    for (let cut = 1; cut <= cuts; cut += 1) {
      const before = acknowledged();
      const { child, ended } = start(program.path, [data, home.ledger, "1", "0"]);
      while (acknowledged() < before + 3 + cut) await new Promise((done) => setTimeout(done, 1 + Math.random() * 5));
      cutPower(disk);
      child.kill("SIGKILL");
      await ended;
      const last = acknowledged();
      disk.unmount();
      disk.mount();
      const read = decodeSealedQueue(readFileSync(queue))?.queue;
      expect(read, `cut ${cut}`).toBeDefined();
      const counted = read?.prs.find((row) => row.pr_number === 1)?.prep_attempts ?? -1;
      expect(counted, `cut ${cut}`).toBeGreaterThanOrEqual(last);
      expect(decodeSealedQueue(readFileSync(`${queue}.bak`)), `cut ${cut}`).not.toBeNull();
    }
    expect(acknowledged()).toBeGreaterThan(cuts * 3);
    await Effect.runPromise(Effect.provide(seed, storeLayer(data)));
    expect(readdirSync(dirname(queue)).sort()).toEqual(["pr-queue.json5", "pr-queue.json5.bak"]);
    process.stdout.write(`power cuts: ${cuts}, ${acknowledged()} changes counted\n`);
  });

  it("lose what was written without the protocol, so that the cut is one", () => {
    const plain = join(disk.folder, "plain");
    const fd = openSync(plain, "w");
    writeSync(fd, "never synced");
    closeSync(fd);
    cutPower(disk);
    disk.unmount();
    disk.mount();
    expect(readdirSync(disk.folder)).not.toContain("plain");
  });
});
