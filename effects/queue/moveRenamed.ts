import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Either from "effect/Either";
import { identityKey, type PrIdentity, repoKey } from "../../src/names.ts";
import { type Moved, moveRows, type NewPlace } from "../../src/pr/moveRows.ts";
import type { QueueRow } from "../../src/queue/row.ts";
import { formatTime } from "../../src/time.ts";
import { crashPoint } from "../engine/crashPoint.ts";
import { Engine } from "../engine/Engine.ts";
import { Log } from "../log/Log.ts";
import { cloneUrl } from "../repos/cloneUrl.ts";
import { Repos } from "../repos/Repos.ts";
import { Settings } from "../settings/Settings.ts";
import { QueueStore } from "../store/QueueStore.ts";
import { leaseClockNow, leaseOf } from "./lockState.ts";

type Place = Pick<PrIdentity, "platform" | "host" | "owner" | "repo">;

/**
 * A registered repository follows its new name: folder, clone and bases stay where they are. Left alone when the new name
 * is registered too: that one then serves the rows.
 */
const moveRepository = (from: Place, to: Place) =>
  Effect.gen(function* () {
    const repos = yield* Repos;
    const known = yield* repos.byIdentity(from);
    if (known === null || (yield* repos.byIdentity(to)) !== null) return;
    yield* repos.update(known.name, (meta) => ({
      ...meta,
      owner: to.owner,
      repo: to.repo,
      url: meta.url.startsWith("https:") ? cloneUrl(to) : meta.url,
    }));
  });

/**
 * Moves rows and registered repositories to the names that their hosts know them by now. The repository goes first: cut
 * off between the two, the rows are seen under their old name again and follow. A row's task folder is made anew under
 * its new name by the next preparation; the old one then belongs to no row and is cleared away.
 */
export const moveRenamed = (seen: {
  /** Rows that the host has seen at another place, and those it has seen where they are, by identity key. */
  readonly places: ReadonlyMap<string, NewPlace>;
  readonly staying: ReadonlySet<string>;
  readonly rows: ReadonlyMap<string, QueueRow>;
}) =>
  Effect.gen(function* () {
    const { places, staying, rows } = seen;
    if (places.size === 0) return { moved: [], notes: [] };
    const { config } = yield* Settings;
    const log = yield* Log;
    const engine = yield* Engine;
    const store = yield* QueueStore;
    const clock = yield* leaseClockNow(config.taken_lock_max_age_seconds);
    const at = formatTime(yield* Clock.currentTimeMillis);
    const options = { places, staying, isHeld: (row: QueueRow) => leaseOf(row, clock) === "live" };
    const planned = moveRows((yield* store.read).prs, options);
    const reused = new Set([...staying].flatMap((key) => rows.get(key) ?? []).map(repoKey));
    const repositories = new Map<string, { readonly from: Place; readonly to: Place }>();
    for (const [key, place] of places) {
      const row = rows.get(key);
      if (row !== undefined && !planned.postponed.has(repoKey(row)) && !reused.has(repoKey(row)))
        repositories.set(repoKey(row), { from: row, to: { platform: row.platform, host: row.host, ...place } });
    }
    for (const { from, to } of repositories.values()) yield* moveRepository(from, to);
    yield* crashPoint("queue.renaming");
    const result = yield* engine.change<Moved, never>((queue, step) => {
      const next = moveRows(queue.prs, options);
      if (next.moved.length === 0) return Either.right({ queue, result: next });
      const prs = next.rows.map((row) =>
        next.keys.has(identityKey(row))
          ? Either.match(step.prep(row, { type: "KEY_MOVED", at }), {
              onLeft: () => row,
              onRight: (stepped) => stepped.row,
            })
          : row,
      );
      return Either.right({ queue: { ...queue, prs }, result: next });
    });
    const notes = [
      ...result.moved.map(({ from, to }) => `${from} is ${to} now`),
      ...[...result.postponed].map(([key, why]) => `${key} has another name now; its rows follow later: ${why}`),
    ];
    yield* Effect.forEach(notes, (note) => log.step(note), { discard: true });
    return { moved: result.moved, notes };
  });
