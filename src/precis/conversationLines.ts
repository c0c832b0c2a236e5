import type { PrConversation, PrThread } from "../pr/conversation.ts";
import type { PrecisText } from "./precisText.ts";

const worthNaming = 6;

const shortened = (text: string, max: number): string => {
  const points = [...text.replaceAll(/\s+/g, " ").trim()];
  return points.length <= max ? points.join("") : `${points.slice(0, max - 1).join("")}…`;
};

const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? "" : "s"}`;

/** Threads that nobody has resolved, the ones on lines of the present diff first. */
const openThreads = (threads: ReadonlyArray<PrThread>): ReadonlyArray<PrThread> =>
  threads
    .filter(({ resolved, path }) => resolved !== true && path !== null)
    .sort((a, b) => Number(a.outdated) - Number(b.outdated));

const threadLine = (text: PrecisText) => (thread: PrThread) => {
  const first = thread.comments[0];
  const place = `${thread.path ?? ""}${thread.line === null ? "" : `:${thread.line}`}`;
  const who = `${text.inline(first?.author.login ?? "gone")}${first?.author.kind === "bot" ? " (bot)" : ""}`;
  const replies =
    thread.comments.length > 1 ? `, ${plural(thread.comments.length - 1, "reply").replace("replys", "replies")}` : "";
  return `- \`${text.code(place)}\`${thread.outdated ? " (outdated)" : ""} ${who}: ${text.inline(shortened(first?.body ?? "", 140))}${replies}`;
};

/** Head lines of the precis: how many threads stand open, and what CI says at exactly this head; `not read` where unknown. */
export const conversationHead = (conversation: PrConversation, text: PrecisText): ReadonlyArray<string> => {
  const { threads, reviews, checks } = conversation;
  const open = openThreads(threads ?? []).length;
  const resolved = (threads ?? []).filter((thread) => thread.resolved === true).length;
  const whole = (threads ?? []).filter((thread) => thread.path === null).length;
  const said =
    threads === null
      ? "not read"
      : `${open} open, ${resolved} resolved, ${plural(whole, "comment")} on the PR as a whole (threads.json)`;
  const verdicts = (reviews ?? [])
    .filter(({ state }) => state !== "COMMENTED" && state !== "PENDING")
    .slice(-worthNaming)
    .map(({ author, state }) => `${text.inline(author.login ?? "gone")} ${text.inline(state)}`);
  const notGood = (checks?.checks ?? []).filter(({ state }) => state === "failure" || state === "pending");
  const named = notGood.slice(0, worthNaming).map(({ name, state }) => `${text.inline(shortened(name, 60))} ${state}`);
  const more = notGood.length > worthNaming ? `, and ${notGood.length - worthNaming} more` : "";
  const state =
    checks === null
      ? "not read"
      : `${checks.state === "none" ? "no checks at this head" : `${checks.state} (${plural(checks.checks.length, "check")} at this head)`}${named.length > 0 ? `: ${named.join(", ")}${more}` : ""}`;
  return [
    `- threads: ${said}`,
    ...(verdicts.length > 0 ? [`- reviews: ${verdicts.join(", ")}`] : []),
    `- CI state: ${state}`,
  ];
};

/** One line for each open thread on a file: place, who, first words. Comments are data from outside. */
export const openThreadLines = (conversation: PrConversation, text: PrecisText): ReadonlyArray<string> =>
  openThreads(conversation.threads ?? []).map(threadLine(text));
