/** What the fake workspace holds. Plain data, so that a stand-alone fake can be given it as JSON. */
export interface FakeSlackState {
  readonly team: { readonly id: string; readonly domain: string; readonly enterprise?: string };
  readonly tokens: ReadonlyArray<FakeSlackToken>;
  readonly channels: ReadonlyArray<FakeChannel>;
  /** Members that `users.info` knows. */
  readonly users?: ReadonlyArray<FakeUser>;
}

export interface FakeUser {
  readonly id: string;
  readonly name: string;
  readonly realName?: string;
  readonly isBot?: boolean;
  readonly isDeleted?: boolean;
}

export interface FakeSlackToken {
  readonly token: string;
  readonly user: string;
  readonly bot?: string;
  readonly scopes: ReadonlyArray<string>;
}

/** One whose id begins with D is a direct message: in no list, and read with `im:history`. */
export interface FakeChannel {
  readonly id: string;
  readonly name: string;
  readonly isPrivate?: boolean;
  readonly isArchived?: boolean;
  /** False: the token's owner is not in it. */
  readonly isMember?: boolean;
  readonly messages: ReadonlyArray<FakeMessage>;
}

export interface FakeMessage {
  readonly ts: string;
  /** Root of the thread, for a reply. */
  readonly thread?: string;
  /** Member id; a member of another workspace's too. */
  readonly user?: string;
  readonly bot?: string;
  readonly text: string;
  readonly blocks?: ReadonlyArray<unknown>;
  readonly attachments?: ReadonlyArray<unknown>;
  readonly edited?: boolean;
  /** A deleted root that still has replies shows as a tombstone; any other deleted message is taken out by the test. */
  readonly deleted?: boolean;
  readonly metadata?: unknown;
  readonly reactions?: ReadonlyArray<{ readonly name: string; readonly users: ReadonlyArray<string> }>;
}

/** Every scope that adk has a use for. */
export const allScopes: ReadonlyArray<string> = [
  "channels:history",
  "channels:read",
  "chat:write",
  "groups:history",
  "groups:read",
  "reactions:read",
  "reactions:write",
  "users:read",
];
