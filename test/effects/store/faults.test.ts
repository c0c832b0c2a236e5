import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import * as Either from "effect/Either";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { writeFileDurably } from "../../../effects/store/durableFile.ts";
import { faultHits, faultKinds, resetFaults } from "../../../effects/store/faults.ts";
import { QueueStore } from "../../../effects/store/QueueStore.ts";
import { makeHome, storeLayer, type TestHome, testRow } from "../../crash/storeHarness.ts";

let home: TestHome;
beforeEach(() => {
  home = makeHome();
});
afterEach(() => {
  delete process.env.ADK_FAULT;
  home.remove();
});

const add = (number: number) =>
  Effect.either(
    Effect.provide(
      Effect.flatMap(QueueStore, (store) =>
        store.transact((queue) =>
          Either.right({ queue: { ...queue, prs: [...queue.prs, testRow(number)] }, result: number }),
        ),
      ),
      storeLayer(home.data),
    ),
  );

const temps = (): ReadonlyArray<string> =>
  readdirSync(join(home.data, "config")).filter((name) => name.endsWith(".tmp"));

describe("the Nth file operation of a queue write fails, for every N", () => {
  it.each(faultKinds.filter((kind) => kind !== "kill"))("with %s: exactly old or exactly new", async (kind) => {
    let failures = 0;
    let rows = 1;
    await Effect.runPromise(add(1));
    let n = 0;
    let fired = true;
    while (fired) {
      n += 1;
      const before = readFileSync(home.queue, "utf8");
      resetFaults();
      process.env.ADK_FAULT = `*:${n}:${kind}`;
      const outcome = await Effect.runPromise(add(n + 1));
      fired = faultHits() >= n;
      delete process.env.ADK_FAULT;
      const after = readFileSync(home.queue, "utf8");
      const numbers = JSON.parse(after.slice(after.indexOf('{"schema_version"'))).prs.map(
        (row: { pr_number: number }) => row.pr_number,
      );
      if (Either.isRight(outcome)) {
        rows += 1;
        expect(numbers).toHaveLength(rows);
        expect(numbers.at(-1)).toBe(n + 1);
      } else {
        failures += 1;
        // A failure after the rename, in the fsync of the folder, has the new file there already.
        if (after !== before) {
          rows += 1;
          expect(numbers.at(-1)).toBe(n + 1);
        }
        expect(numbers).toHaveLength(rows);
        expect([1, 3]).toContain(outcome.left.exitCode);
      }
      expect(temps()).toEqual([]);
    }
    expect(n).toBeGreaterThan(10);
    if (kind === "short") expect(failures).toBe(0);
    else expect(failures).toBeGreaterThan(8);
  });

  it("a full disk is named with its path", async () => {
    process.env.ADK_FAULT = "write:3:ENOSPC";
    resetFaults();
    const outcomes = [
      await Effect.runPromise(add(1)),
      await Effect.runPromise(add(2)),
      await Effect.runPromise(add(3)),
    ];
    const failed = outcomes.flatMap((outcome) => (Either.isLeft(outcome) ? [outcome.left] : []));
    expect(failed.map(({ message }) => message)).toEqual([`cannot write ${home.queue}: disk full`]);
  });

  it("a disk that is full before the first lock is named as such, and nothing half-made stays", async () => {
    for (const point of ["write", "fsync", "link"]) {
      process.env.ADK_FAULT = `${point}:1:ENOSPC`;
      resetFaults();
      expect(await Effect.runPromise(add(1))).toMatchObject({
        left: {
          _tag: "LockFailed",
          message: `cannot lock ${home.lock}: disk full`,
          hint: expect.stringContaining("free some space"),
        },
      });
      expect(readdirSync(join(home.data, "locks"))).toEqual([]);
    }
    delete process.env.ADK_FAULT;
    expect(Either.isRight(await Effect.runPromise(add(1)))).toBe(true);
  });

  it("is not armed outside of tests", async () => {
    const mode = process.env.NODE_ENV;
    process.env.ADK_FAULT = "*:1:EIO";
    process.env.NODE_ENV = "production";
    try {
      expect(Either.isRight(await Effect.runPromise(add(1)))).toBe(true);
    } finally {
      process.env.NODE_ENV = mode;
    }
  });
});

describe("temp files", () => {
  it("of dead writers are swept by the next write, others stay", async () => {
    const folder = mkdtempSync(join(tmpdir(), "adk-temps-"));
    try {
      mkdirSync(folder, { recursive: true });
      const path = join(folder, "a.json");
      process.env.ADK_FAULT = "rename:1:EIO";
      resetFaults();
      expect(Either.isLeft(await Effect.runPromise(Effect.either(writeFileDurably(path, "x"))))).toBe(true);
      delete process.env.ADK_FAULT;
      expect(readdirSync(folder)).toEqual([]);
      writeFileSync(join(folder, ".a.json.notes.tmp"), "a person's");
      writeFileSync(join(folder, ".a.json.00000000-00000000-1-00000000-00000000.tmp"), "another host's");
      await Effect.runPromise(writeFileDurably(path, "x"));
      expect(readdirSync(folder).sort()).toEqual([
        ".a.json.00000000-00000000-1-00000000-00000000.tmp",
        ".a.json.notes.tmp",
        "a.json",
      ]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
