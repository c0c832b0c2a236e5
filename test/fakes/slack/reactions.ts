import type { FakeMessage } from "./state.ts";

/** The message afterwards, or Slack's error code. */
export type Reacted = FakeMessage | string;

const mostEmoji = 23;
const isName = (name: string): boolean => /^[a-z0-9_+'-]{1,100}(?:::skin-tone-[2-6])?$/.test(name);

/** `reactions.add`: a second one of the same user is `already_reacted`. */
export const withReaction = (message: FakeMessage, name: string, user: string): Reacted => {
  if (!isName(name)) return "invalid_name";
  if (message.deleted) return "message_not_found";
  const reactions = message.reactions ?? [];
  const known = reactions.find((one) => one.name === name);
  if (known?.users.includes(user)) return "already_reacted";
  if (known === undefined && reactions.length >= mostEmoji) return "too_many_emoji";
  const next = { name, users: [...(known?.users ?? []), user] };
  return {
    ...message,
    reactions: known === undefined ? [...reactions, next] : reactions.map((one) => (one === known ? next : one)),
  };
};

/** `reactions.remove`: only the user's own can be taken away, all others are `no_reaction`. */
export const withoutReaction = (message: FakeMessage, name: string, user: string): Reacted => {
  if (!isName(name)) return "invalid_name";
  const known = message.reactions?.find((one) => one.name === name);
  if (known?.users.includes(user) !== true) return "no_reaction";
  const users = known.users.filter((one) => one !== user);
  const reactions = (message.reactions ?? []).flatMap((one) =>
    one !== known ? [one] : users.length === 0 ? [] : [{ ...one, users }],
  );
  return { ...message, reactions };
};
