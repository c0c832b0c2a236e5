import type { FakeChannel } from "./state.ts";

/** What Slack's method page says of a method. */
export interface Shape {
  readonly needs: ReadonlyArray<string>;
  readonly allows: ReadonlyArray<string>;
  /** One of these scopes, or none needed. */
  readonly scopes: (channel: FakeChannel | undefined) => string | null;
  readonly writes?: boolean;
  /** Requests a minute by the method's tier (1: 1, 2: 20, 3: 50, 4: 100, or what its page says instead). */
  readonly perMinute: number;
}

/** A direct message: its id begins with D. */
export const isDirect = (channel: FakeChannel | undefined): boolean => channel?.id.startsWith("D") === true;
const history = (channel: FakeChannel | undefined): string =>
  isDirect(channel) ? "im:history" : channel?.isPrivate ? "groups:history" : "channels:history";
const info = (channel: FakeChannel | undefined): string =>
  isDirect(channel) ? "im:read" : channel?.isPrivate ? "groups:read" : "channels:read";

/** Arguments, scopes and rate by Slack's method pages. */
export const shapes: Readonly<Record<string, Shape>> = {
  "auth.test": { needs: [], allows: [], perMinute: 600, scopes: () => null },
  "conversations.list": {
    needs: [],
    allows: ["types", "exclude_archived", "limit", "cursor", "team_id"],
    perMinute: 20,
    scopes: () => "channels:read",
  },
  "conversations.info": {
    needs: ["channel"],
    allows: ["include_locale", "include_num_members"],
    perMinute: 50,
    scopes: info,
  },
  "conversations.history": {
    needs: ["channel"],
    allows: ["oldest", "latest", "inclusive", "limit", "cursor", "include_all_metadata"],
    perMinute: 50,
    scopes: history,
  },
  "conversations.replies": {
    needs: ["channel", "ts"],
    allows: ["oldest", "latest", "inclusive", "limit", "cursor", "include_all_metadata"],
    perMinute: 50,
    scopes: history,
  },
  "chat.getPermalink": { needs: ["channel", "message_ts"], allows: [], perMinute: 600, scopes: () => null },
  "chat.postMessage": {
    needs: ["channel", "text"],
    allows: ["thread_ts", "parse", "link_names", "unfurl_links", "unfurl_media", "metadata", "blocks", "mrkdwn"],
    perMinute: 60,
    scopes: () => "chat:write",
    writes: true,
  },
  "chat.delete": { needs: ["channel", "ts"], allows: [], perMinute: 50, scopes: () => "chat:write", writes: true },
  "reactions.add": {
    needs: ["channel", "timestamp", "name"],
    allows: [],
    perMinute: 50,
    scopes: () => "reactions:write",
    writes: true,
  },
  "reactions.remove": {
    needs: ["channel", "timestamp", "name"],
    allows: [],
    perMinute: 20,
    scopes: () => "reactions:write",
    writes: true,
  },
  "reactions.get": { needs: ["channel", "timestamp"], allows: ["full"], perMinute: 50, scopes: () => "reactions:read" },
  "users.info": { needs: ["user"], allows: ["include_locale"], perMinute: 100, scopes: () => "users:read" },
};
