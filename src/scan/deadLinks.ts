import { type IsoTime, parseTime } from "../time.ts";

/** A link to a PR that its host does not show, and in which messages it was seen. */
export interface DeadLink {
  /** Identity key of the PR. */
  readonly key: string;
  readonly looked_up_at: IsoTime;
  /** What its host answered. */
  readonly why: string;
  /** Digest of the token that the host was asked with; null without one. Another token may see more. */
  readonly asked_as: string | null;
  /** Digests of the messages that link to it. An edited message has another one. */
  readonly mentions: ReadonlyArray<string>;
}

/** What scans remember of dead links, oldest look first. */
export interface DeadLinks {
  readonly schema_version: 1;
  readonly links: ReadonlyArray<DeadLink>;
}

/** A host is asked again for the PR of a dead link after this long, in milliseconds, whatever Slack says. */
export const lookAgainMs = 86_400_000;

const mostLinks = 2000;
const mostMentions = 50;
const longestWhyCharacters = 500;

export const noDeadLinks: DeadLinks = { schema_version: 1, links: [] };

/**
 * What is remembered of a link that need not be looked up now: no message is new or edited, the token is the same, and
 * the last look was less than a day ago. Null for every other one, also where the last look seems to lie in the future.
 */
export const rememberedLink = (
  memory: DeadLinks,
  link: Pick<DeadLink, "key" | "asked_as" | "mentions">,
  now: number,
): DeadLink | null => {
  const known = memory.links.find(({ key }) => key === link.key);
  const looked = parseTime(known?.looked_up_at);
  if (known === undefined || looked === null || now < looked || now - looked >= lookAgainMs) return null;
  if (known.asked_as !== link.asked_as) return null;
  return link.mentions.every((mention) => known.mentions.includes(mention)) ? known : null;
};

/**
 * The memory after a scan looked up `dead` and found `alive` (keys). `news` are the keys of links that were not known to
 * be dead in these very messages to this token. Bounded: the links and mentions that were seen last stay.
 */
export const withLooks = (
  memory: DeadLinks,
  looks: { readonly dead: ReadonlyArray<DeadLink>; readonly alive: ReadonlySet<string> },
): { readonly memory: DeadLinks; readonly news: ReadonlySet<string> } => {
  const known = new Map(memory.links.map((link) => [link.key, link]));
  const news = new Set<string>();
  for (const key of looks.alive) known.delete(key);
  for (const link of looks.dead) {
    const same = known.get(link.key);
    const before = same?.mentions ?? [];
    if (same?.asked_as !== link.asked_as || link.mentions.some((mention) => !before.includes(mention)))
      news.add(link.key);
    const mentions = [...new Set([...before, ...link.mentions])].slice(-Math.max(mostMentions, link.mentions.length));
    known.delete(link.key);
    known.set(link.key, { ...link, why: link.why.slice(0, longestWhyCharacters), mentions });
  }
  const changed = looks.dead.length > 0 || known.size < memory.links.length;
  return { memory: changed ? { ...memory, links: [...known.values()].slice(-mostLinks) } : memory, news };
};
