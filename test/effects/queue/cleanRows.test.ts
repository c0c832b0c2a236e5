import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as TestClock from "effect/TestClock";
import { describe, expect } from "vitest";
import { Home } from "../../../effects/home/Home.ts";
import { taskLock } from "../../../effects/home/layout.ts";
import { currentIdentity } from "../../../effects/proc/ProcessIdentity.ts";
import { claim } from "../../../effects/queue/claims.ts";
import { cleanOrphans } from "../../../effects/queue/cleanOrphans.ts";
import { cleanRows } from "../../../effects/queue/cleanRows.ts";
import { Locks } from "../../../effects/store/Locks.ts";
import { identityKey, taskName } from "../../../src/names.ts";
import { put, queueHome, rowsNow } from "./support/queueHome.ts";
import { freshRow, readyRow } from "./support/rows.ts";

/** A task folder with a file in it. */
const makeTask = (name: string) =>
  Effect.map(Home, ({ tasks }) => {
    mkdirSync(join(tasks, name, "code"), { recursive: true });
    writeFileSync(join(tasks, name, "code", "a.ts"), "export {};\n");
    return join(tasks, name);
  });

const numbers = Effect.map(rowsNow, (rows) => [...rows.keys()]);
const merged = { status: "merged" } as const;
const { host, boot } = currentIdentity();
const caller = { proof: {}, owner: { host, boot, pid: null, start: null }, maxAgeSeconds: 7200 };

describe("cleanRows", () => {
  it.effect("drops merged and closed rows with their task folders and keeps the rest", () =>
    Effect.gen(function* () {
      yield* put([freshRow(1, merged), freshRow(2), freshRow(3, { status: "closed" })]);
      const gone = yield* makeTask(taskName(freshRow(1)));
      const stays = yield* makeTask(taskName(freshRow(2)));
      const report = yield* cleanRows({ mode: "terminal", dryRun: false });
      expect(report).toEqual({
        removed: ["https://github.com/acme/shop/pull/1", "https://github.com/acme/shop/pull/3"],
        kept: [],
        folders: [gone],
      });
      expect([existsSync(gone), existsSync(stays)]).toEqual([false, true]);
      expect(yield* numbers).toEqual([2]);
    }).pipe(Effect.provide(queueHome())),
  );

  it.effect("with dryRun says the same and changes nothing", () =>
    Effect.gen(function* () {
      yield* put([freshRow(1, merged)]);
      const folder = yield* makeTask(taskName(freshRow(1)));
      const report = yield* cleanRows({ mode: "terminal", dryRun: true });
      expect(report.removed).toHaveLength(1);
      expect(report.folders).toEqual([folder]);
      expect(existsSync(folder)).toBe(true);
      expect(yield* numbers).toEqual([1]);
    }).pipe(Effect.provide(queueHome())),
  );

  it.effect("never drops a row under a live claim, in no mode", () =>
    Effect.gen(function* () {
      yield* put([readyRow(1)]);
      yield* claim(identityKey(readyRow(1)), caller, { force: false });
      const folder = yield* makeTask(taskName(readyRow(1)));
      const report = yield* cleanRows({ mode: "all", dryRun: false });
      expect(report.removed).toEqual([]);
      expect(report.kept[0]?.why).toContain("live claim");
      expect(existsSync(folder)).toBe(true);
      expect(yield* numbers).toEqual([1]);
    }).pipe(Effect.provide(queueHome())),
  );

  it.effect("never drops a row whose task folder another process works in", () =>
    Effect.gen(function* () {
      yield* put([freshRow(1, merged), freshRow(2, merged)]);
      const folder = yield* makeTask(taskName(freshRow(1)));
      const locks = yield* Locks;
      const report = yield* locks.withLock(
        taskLock(freshRow(1)),
        { verb: "pr-task prepare" },
        cleanRows({ mode: "all", dryRun: false }),
      );
      expect(report.kept).toEqual([
        { pr_url: "https://github.com/acme/shop/pull/1", why: "its task folder is in use" },
      ]);
      expect(existsSync(folder)).toBe(true);
      expect(yield* numbers).toEqual([1]);
    }).pipe(Effect.provide(queueHome())),
  );

  it.effect("with staleDays drops what nothing has touched for that long, and ended rows", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-02-01T00:00:00Z"));
      yield* put([
        freshRow(1, { last_checked_at: "2026-01-01T08:00:00Z" }),
        freshRow(2, { last_checked_at: "2026-01-25T08:00:00Z" }),
        freshRow(3, { ...merged, last_checked_at: "2026-01-31T08:00:00Z" }),
      ]);
      yield* cleanRows({ mode: { staleDays: 14 }, dryRun: false });
      expect(yield* numbers).toEqual([2]);
    }).pipe(Effect.provide(queueHome())),
  );

  it.effect("does not follow a task folder that is a link, and leaves its target alone", () =>
    Effect.gen(function* () {
      const home = yield* Home;
      yield* put([freshRow(1, merged)]);
      const outside = join(home.data, "precious");
      mkdirSync(outside, { recursive: true });
      writeFileSync(join(outside, "keep.txt"), "keep");
      mkdirSync(home.tasks, { recursive: true });
      symlinkSync(outside, join(home.tasks, taskName(freshRow(1))));
      const report = yield* cleanRows({ mode: "terminal", dryRun: false });
      expect(report.folders).toEqual([]);
      expect(existsSync(join(outside, "keep.txt"))).toBe(true);
    }).pipe(Effect.provide(queueHome())),
  );

  it.effect("deletes a folder with links in it without deleting what they lead to", () =>
    Effect.gen(function* () {
      const home = yield* Home;
      yield* put([freshRow(1, merged)]);
      const folder = yield* makeTask(taskName(freshRow(1)));
      writeFileSync(join(home.data, "keep.txt"), "keep");
      symlinkSync(home.data, join(folder, "code", "up"));
      yield* cleanRows({ mode: "terminal", dryRun: false });
      expect(existsSync(folder)).toBe(false);
      expect(existsSync(join(home.data, "keep.txt"))).toBe(true);
    }).pipe(Effect.provide(queueHome())),
  );
});

describe("cleanOrphans", () => {
  it.effect("deletes task folders without a row and nothing else", () =>
    Effect.gen(function* () {
      const home = yield* Home;
      yield* put([freshRow(1), freshRow(4)]);
      const owned = yield* makeTask(taskName(freshRow(1)));
      const ownedByOldName = yield* makeTask("shop_pr-4");
      const orphan = yield* makeTask(taskName(freshRow(2)));
      const notes = yield* makeTask("my-notes");
      const hidden = yield* makeTask(".cache_pr-7");
      writeFileSync(join(home.tasks, "acme__shop_pr-8"), "a file");
      symlinkSync(home.data, join(home.tasks, "acme__shop_pr-9"));
      const report = yield* cleanOrphans({ dryRun: false });
      expect(report.removed).toEqual([taskName(freshRow(2))]);
      expect(report.kept.map((each) => each.name).sort()).toEqual(["acme__shop_pr-8", "acme__shop_pr-9", "my-notes"]);
      expect([owned, ownedByOldName, orphan, notes, hidden].map((path) => existsSync(path))).toEqual([
        true,
        true,
        false,
        true,
        true,
      ]);
      expect(existsSync(home.data)).toBe(true);
    }).pipe(Effect.provide(queueHome())),
  );

  it.effect("keeps a folder that another process works in, and with dryRun everything", () =>
    Effect.gen(function* () {
      const locks = yield* Locks;
      const name = taskName(freshRow(2));
      const orphan = yield* makeTask(name);
      expect(yield* cleanOrphans({ dryRun: true })).toEqual({ removed: [name], kept: [] });
      const held = yield* locks.withLock(`task-${name}`, {}, cleanOrphans({ dryRun: false }));
      expect(held).toEqual({ removed: [], kept: [{ name, why: "is in use" }] });
      expect(existsSync(orphan)).toBe(true);
    }).pipe(Effect.provide(queueHome())),
  );

  it.effect("finishes a deletion that was interrupted half way", () =>
    Effect.gen(function* () {
      const half = yield* makeTask(".removing-acme__shop_pr-2-123");
      yield* cleanOrphans({ dryRun: false });
      expect(existsSync(half)).toBe(false);
    }).pipe(Effect.provide(queueHome())),
  );

  it.effect("is quiet where there are no tasks at all", () =>
    Effect.gen(function* () {
      expect(yield* cleanOrphans({ dryRun: false })).toEqual({ removed: [], kept: [] });
    }).pipe(Effect.provide(queueHome())),
  );
});
