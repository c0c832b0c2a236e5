import * as Arr from "effect/Array";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import { identityKey } from "../../src/names.ts";
import { type DeadLink, rememberedLink } from "../../src/scan/deadLinks.ts";
import type { FoundLink } from "../../src/scan/origins.ts";
import { formatTime, type IsoTime } from "../../src/time.ts";
import { deadLinkMemory, rememberLooks } from "./deadLinkMemory.ts";
import { queueLinks } from "./queueLinks.ts";

/** One entry of `dead_links` in the document of `pr-scan`. */
export interface DeadLinkReport {
  readonly pr_url: string;
  readonly why: string;
  readonly channel_id: string;
  readonly message_ts: string;
  readonly permalink: string | null;
  /** When its host was asked; before this scan for a link that is remembered. */
  readonly looked_up_at: IsoTime;
  /** False for one that an earlier scan named already. */
  readonly is_news: boolean;
}

/** The different PRs of a scan, each with its first link and all messages that name it. */
export const byPr = (links: ReadonlyArray<FoundLink>): ReadonlyMap<string, FoundLink> => {
  const found = new Map<string, FoundLink>();
  for (const link of links) {
    const known = found.get(identityKey(link.pr));
    found.set(
      identityKey(link.pr),
      known === undefined ? link : { ...known, mentions: [...known.mentions, ...link.mentions] },
    );
  }
  return found;
};

/** What a look ended with, in one line. */
export const failedLook = (failure: { readonly message: string; readonly hint: string }): string =>
  `${failure.message} — ${failure.hint}`;

/** Names a dead link where a person reads it, with where it stands and what to do when it lives after all. */
export const deadLinkWarning = ({ pr_url, why, channel_id, message_ts, permalink }: DeadLinkReport): string =>
  `dead link ${pr_url} in ${permalink ?? `${channel_id} ${message_ts}`}: ${why}; not looked up again before its message changes or a day has passed, but by: adk pr-queue add ${pr_url}`;

/**
 * Queues the PRs of links. Of one that its host does not show the host is asked again when a message that links to it
 * is new or edited, or a day later: it stands in the window for weeks, and is no failure of any scan.
 */
export const queueLiving = (
  links: ReadonlyArray<FoundLink>,
  options: Pick<Parameters<typeof queueLinks>[0], "judged" | "dryRun">,
) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis;
    const found = byPr(links);
    const memory = yield* deadLinkMemory;
    const passed = new Map<string, DeadLink>();
    const queued = yield* queueLinks({
      ...options,
      links,
      passOver: ({ pr, mentions }) => {
        const known = rememberedLink(memory, { key: identityKey(pr), mentions }, now);
        if (known !== null) passed.set(known.key, known);
        return known !== null;
      },
    });
    const [others, missing] = Arr.partition(queued.failed, ({ failure }) => failure._tag === "NotFoundOnHost");
    const dead = missing.map(
      ({ key, failure }): DeadLink => ({
        key,
        looked_up_at: formatTime(now),
        why: failedLook(failure),
        mentions: found.get(key)?.mentions ?? [],
      }),
    );
    const unsure = new Set([...passed.keys(), ...queued.failed.map(({ key }) => key)]);
    const alive = new Set(memory.links.flatMap(({ key }) => (found.has(key) && !unsure.has(key) ? [key] : [])));
    const isSilent = options.dryRun || (dead.length === 0 && alive.size === 0);
    const news = isSilent ? new Set(dead.map(({ key }) => key)) : yield* rememberLooks({ dead, alive });
    const dead_links = [...passed.values(), ...dead].flatMap(
      ({ key, why, looked_up_at }): ReadonlyArray<DeadLinkReport> => {
        const link = found.get(key);
        if (link === undefined) return [];
        const { channel_id, message_ts, permalink = null } = link.origin;
        const is_news = news.has(key);
        return [{ pr_url: link.pr.pr_url, why, channel_id, message_ts, permalink, looked_up_at, is_news }];
      },
    );
    return { ...queued, failed: others, dead_links };
  });
