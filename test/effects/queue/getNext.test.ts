import { it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import { describe, expect } from "vitest";
import { HostUnreachable } from "../../../effects/platform/errors.ts";
import { currentIdentity } from "../../../effects/proc/ProcessIdentity.ts";
import { getNext, maxDropped } from "../../../effects/queue/getNext.ts";
import { identityKey } from "../../../src/names.ts";
import type { QueueRow } from "../../../src/queue/row.ts";
import { fakeHosts, metaOf, put, queueHome, rowsNow } from "./support/queueHome.ts";
import { freshRow, readyRow } from "./support/rows.ts";

const { host, boot } = currentIdentity();
const caller = { proof: {}, owner: { host, boot, pid: null, start: null }, maxAgeSeconds: 7200 };
const unchecked = getNext(caller, { validate: null });
const known = (rows: ReadonlyArray<QueueRow>, changed: Readonly<Record<number, Parameters<typeof metaOf>[1]>> = {}) =>
  fakeHosts(Object.fromEntries(rows.map((row) => [identityKey(row), metaOf(row, changed[row.pr_number])])));

describe("getNext", () => {
  it.effect("hands out the oldest eligible row, whatever its place in the file", () =>
    Effect.gen(function* () {
      yield* put([readyRow(7), freshRow(1), readyRow(3, { status: "merged" }), readyRow(5)]);
      const order = [yield* unchecked, yield* unchecked].map((next) => next.action === "claimed" && next.pr_url);
      expect(order).toEqual(["https://github.com/acme/shop/pull/5", "https://github.com/acme/shop/pull/7"]);
      expect(yield* unchecked).toEqual({ action: "queue_empty", dropped: [] });
    }).pipe(Effect.provide(queueHome())),
  );

  it.effect("gives twenty callers of one process twenty different rows", () =>
    Effect.gen(function* () {
      yield* put(Array.from({ length: 20 }, (_, n) => readyRow(n + 1)));
      const all = yield* Effect.all(
        Array.from({ length: 21 }, () => unchecked),
        { concurrency: "unbounded" },
      );
      const urls = all.flatMap((next) => (next.action === "claimed" ? [next.pr_url] : []));
      expect(new Set(urls).size).toBe(20);
      expect(all.filter((next) => next.action === "queue_empty")).toHaveLength(1);
    }).pipe(Effect.provide(queueHome())),
  );

  it.effect("asks the host first: merged, closed and moved rows get that recorded, the next one is handed out", () => {
    const rows = [readyRow(1), readyRow(2), readyRow(3), readyRow(4)];
    const hosts = known(rows, {
      1: { disposition: "merged", state: "closed", merged_at: "2026-01-01T12:00:00Z" },
      2: { disposition: "closed", state: "closed" },
      3: { head_sha: "f".repeat(40) },
    });
    return Effect.gen(function* () {
      yield* put(rows);
      const next = yield* getNext(caller, { validate: hosts.service.metadata });
      expect(next).toMatchObject({ action: "claimed", pr_url: "https://github.com/acme/shop/pull/4" });
      const now = yield* rowsNow;
      expect(now.get(1)).toMatchObject({ status: "merged", claim: null });
      expect(now.get(2)).toMatchObject({ status: "closed", claim: null });
      expect(now.get(3)).toMatchObject({
        status: "pending",
        claim: null,
        prep_status: "pending",
        head_sha: "f".repeat(40),
      });
      expect(hosts.asked).toHaveLength(4);
    }).pipe(Effect.provide(queueHome()));
  });

  it.effect("hands a row out unchecked when its host cannot be asked", () => {
    const down = new HostUnreachable({ message: "no answer", hint: "try later", host: "github.com" });
    const hosts = fakeHosts({ [identityKey(readyRow(1))]: down });
    return Effect.gen(function* () {
      yield* put([readyRow(1)]);
      expect((yield* getNext(caller, { validate: hosts.service.metadata })).action).toBe("claimed");
    }).pipe(Effect.provide(queueHome()));
  });

  it.effect("gives up after ten rows that the host has taken away, and claims nothing", () => {
    const rows = Array.from({ length: 12 }, (_, n) => readyRow(n + 1));
    const closed = { disposition: "closed", state: "closed" } as const;
    const hosts = known(rows, Object.fromEntries(rows.map((row) => [row.pr_number, closed])));
    return Effect.gen(function* () {
      yield* put(rows);
      const next = yield* getNext(caller, { validate: hosts.service.metadata });
      expect(next).toMatchObject({ action: "queue_empty" });
      expect(hosts.asked).toHaveLength(maxDropped);
      expect([...(yield* rowsNow).values()].filter((row) => row.status === "closed")).toHaveLength(10);
    }).pipe(Effect.provide(queueHome()));
  });
});
