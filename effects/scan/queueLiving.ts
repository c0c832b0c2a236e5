import { createHash } from "node:crypto";
import * as Arr from "effect/Array";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import { identityKey } from "../../src/names.ts";
import type { PrReference } from "../../src/pr/prUrl.ts";
import { type DeadLink, rememberedLink } from "../../src/scan/deadLinks.ts";
import type { FoundLink } from "../../src/scan/origins.ts";
import { formatTime, type IsoTime } from "../../src/time.ts";
import { PullRequests } from "../platform/PullRequests.ts";
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
  `dead link ${pr_url} in ${permalink ?? `${channel_id} ${message_ts}`}: ${why}; it is looked up again when its message or the token changes and after a day, at once by: adk pr-queue add ${pr_url}`;

/** Digest of the token that a PR's host is asked with; null for none. A token is random, so nothing leads back to it. */
const askedAs = (pr: PrReference, env: NodeJS.ProcessEnv) =>
  Effect.gen(function* () {
    const pulls = yield* PullRequests;
    const credential = pr.platform === "github" ? yield* pulls.credentialFor(pr.host) : null;
    const token = pr.platform === "bitbucket" ? env.BITBUCKET_TOKEN : credential?.token;
    return token === undefined ? null : createHash("sha256").update(token).digest("hex").slice(0, 12);
  });

/**
 * Queues the PRs of links. Of one that its host does not show the host is asked again when a message that links to it
 * is new or edited, with another token, or a day later: it stands in the window for weeks, and is no failure of any scan.
 */
export const queueLiving = (
  links: ReadonlyArray<FoundLink>,
  options: Pick<Parameters<typeof queueLinks>[0], "judged" | "dryRun"> & { readonly env: NodeJS.ProcessEnv },
) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis;
    const found = byPr(links);
    const memory = yield* deadLinkMemory;
    const passed = new Map<string, DeadLink>();
    const asked = new Map<string, string | null>();
    for (const { key } of memory.links) {
      const link = found.get(key);
      if (link !== undefined) asked.set(key, yield* askedAs(link.pr, options.env));
    }
    const queued = yield* queueLinks({
      ...options,
      links,
      passOver: ({ pr, mentions }) => {
        const key = identityKey(pr);
        const known = rememberedLink(memory, { key, asked_as: asked.get(key) ?? null, mentions }, now);
        if (known !== null) passed.set(known.key, known);
        return known !== null;
      },
    });
    const [others, missing] = Arr.partition(queued.failed, ({ failure }) => failure._tag === "NotFoundOnHost");
    const dead: DeadLink[] = [];
    for (const { key, failure } of missing) {
      const link = found.get(key);
      if (link === undefined) continue;
      const asked_as = yield* askedAs(link.pr, options.env);
      const why = failedLook(failure);
      dead.push({ key, looked_up_at: formatTime(now), why, asked_as, mentions: link.mentions });
    }
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
