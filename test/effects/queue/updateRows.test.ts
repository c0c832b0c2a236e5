import { it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as TestClock from "effect/TestClock";
import { describe, expect } from "vitest";
import { HostUnreachable } from "../../../effects/platform/errors.ts";
import { oneByOne } from "../../../effects/platform/PlatformReader.ts";
import { currentIdentity } from "../../../effects/proc/ProcessIdentity.ts";
import { claim } from "../../../effects/queue/claims.ts";
import { updateRows } from "../../../effects/queue/updateRows.ts";
import { QueueStore } from "../../../effects/store/QueueStore.ts";
import { identityKey } from "../../../src/names.ts";
import type { QueueRow } from "../../../src/queue/row.ts";
import { fakeHosts, metaOf, put, queueHome, rowsNow } from "./support/queueHome.ts";
import { freshRow, readyRow } from "./support/rows.ts";

const moved = "f".repeat(40);
const merged = { disposition: "merged", state: "closed", merged_at: "2026-01-02T00:00:00Z" } as const;
const closed = { disposition: "closed", state: "closed" } as const;
const hostsOf = (rows: ReadonlyArray<QueueRow>, changed: Readonly<Record<number, Parameters<typeof metaOf>[1]>> = {}) =>
  fakeHosts(Object.fromEntries(rows.map((row) => [identityKey(row), metaOf(row, changed[row.pr_number])])));

describe("updateRows", () => {
  it.effect("refreshes every row that has not ended, counts what happened and goes on past failures", () => {
    const rows = [readyRow(1), readyRow(2), freshRow(3), freshRow(4), freshRow(5), freshRow(6, { status: "merged" })];
    const down = new HostUnreachable({ message: "no answer", hint: "later", host: "github.com" });
    const known = hostsOf(rows, { 2: { head_sha: moved, title: "New title" }, 3: merged, 4: closed });
    const asked: Array<string> = [];
    const metadata: typeof known.service.metadata = (pr) => {
      asked.push(pr.pr_url);
      return pr.pr_number === 5 ? Effect.fail(down) : known.service.metadata(pr);
    };
    const hosts = { ...known.service, metadata, metadataAll: oneByOne(metadata, 8) };
    return Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-01-03T00:00:00Z"));
      yield* put(rows);
      const report = yield* updateRows({ keys: "all" });
      expect(report).toEqual({
        checked: 5,
        unchanged: 1,
        moved: 1,
        merged: 1,
        closed: 1,
        reopened: 0,
        failed: [{ pr_url: "https://github.com/acme/shop/pull/5", error: "no answer" }],
        renamed: [],
        notes: [],
      });
      expect(asked).toHaveLength(5);
      const now = yield* rowsNow;
      expect(now.get(1)).toMatchObject({ prep_status: "ready", last_checked_at: "2026-01-03T00:00:00Z" });
      expect(now.get(2)).toMatchObject({
        head_sha: moved,
        title: "New title",
        prep_status: "pending",
        merge_base: null,
      });
      expect(now.get(3)).toMatchObject({ status: "merged", prep_status: "skipped" });
      expect(now.get(4)).toMatchObject({ status: "closed", prep_status: "skipped" });
      expect(now.get(5)).toEqual(rows[4]);
    }).pipe(Effect.provide(queueHome(hosts)));
  });

  it.effect("writes many answers in one transaction", () => {
    const rows = Array.from({ length: 60 }, (_, n) => freshRow(n + 1));
    return Effect.gen(function* () {
      yield* put(rows);
      const { rev } = yield* (yield* QueueStore).read;
      yield* updateRows({ keys: "all" });
      expect((yield* (yield* QueueStore).read).rev).toBe(rev + 1);
    }).pipe(Effect.provide(queueHome(hostsOf(rows).service)));
  });

  it.effect("looks at an ended row when it is named: a reopened one is pending again, with its preparation", () => {
    const row = freshRow(1, { status: "closed", prep_status: "skipped" });
    return Effect.gen(function* () {
      yield* put([row]);
      expect((yield* updateRows({ keys: "all" })).checked).toBe(0);
      expect(yield* updateRows({ keys: [identityKey(row)] })).toMatchObject({ checked: 1, reopened: 1 });
      expect((yield* rowsNow).get(1)).toMatchObject({ status: "pending", prep_status: "pending" });
    }).pipe(Effect.provide(queueHome(hostsOf([row]).service)));
  });

  it.effect("never takes a merged row back", () => {
    const row = freshRow(1, { status: "merged", prep_status: "skipped" });
    return Effect.gen(function* () {
      yield* put([row]);
      expect(yield* updateRows({ keys: [identityKey(row)] })).toMatchObject({ unchanged: 1, reopened: 0 });
      expect((yield* rowsNow).get(1)?.status).toBe("merged");
    }).pipe(Effect.provide(queueHome(hostsOf([row]).service)));
  });

  it.effect("leaves a live claim alone while it refreshes the row under it", () => {
    const { host, boot } = currentIdentity();
    const caller = { proof: {}, owner: { host, boot, pid: null, start: null }, maxAgeSeconds: 7200 };
    return Effect.gen(function* () {
      yield* put([readyRow(1)]);
      yield* claim(identityKey(readyRow(1)), caller, { force: false });
      const before = (yield* rowsNow).get(1);
      yield* updateRows({ keys: "all" });
      const after = (yield* rowsNow).get(1);
      expect(after).toMatchObject({ head_sha: moved, status: "merged" });
      expect(after?.claim).toEqual(before?.claim);
      expect(after?.taken_at).toBe(before?.taken_at);
    }).pipe(Effect.provide(queueHome(hostsOf([readyRow(1)], { 1: { ...merged, head_sha: moved } }).service)));
  });

  it.effect("reports a named row that is not in the queue as failed", () =>
    Effect.gen(function* () {
      const report = yield* updateRows({ keys: ["github:github.com/acme/shop#9"] });
      expect(report.failed).toEqual([{ pr_url: "github:github.com/acme/shop#9", error: "is not in the queue" }]);
    }).pipe(Effect.provide(queueHome())),
  );
});
