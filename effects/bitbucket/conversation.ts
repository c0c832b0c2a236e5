import * as Effect from "effect/Effect";
import * as Either from "effect/Either";
import {
  type CheckState,
  type PrActor,
  type PrCheck,
  type PrComment,
  type PrConversation,
  type PrReview,
  type PrThread,
  worstCheck,
} from "../../src/pr/conversation.ts";
import type { PlatformRequest } from "../../src/pr/prMetadata.ts";
import { formatTime, parseTime } from "../../src/time.ts";
import type { PlatformFailure } from "../platform/errors.ts";
import { type Pages, pages } from "./pages.ts";
import type { Get } from "./request.ts";

type Fields = Readonly<Record<string, unknown>>;

const fields = (value: unknown): Fields => (typeof value === "object" && value !== null ? (value as Fields) : {});
const text = (value: unknown): string | null => (typeof value === "string" ? value : null);
const line = (value: unknown): number | null => (typeof value === "number" && Number.isInteger(value) ? value : null);

const longestBody = 4000;
const mostPages = 20;

const actorOf = (value: unknown): PrActor => {
  const { nickname, display_name, type } = fields(value);
  const login = text(nickname) ?? text(display_name);
  if (login === null) return { login: null, kind: "unknown" };
  return { login, kind: type === "app_user" || type === "AppUser" ? "bot" : "user" };
};

const timeOf = (value: unknown) => {
  const ms = parseTime(value);
  return ms === null ? null : formatTime(ms);
};

const commentOf = (comment: Fields): PrComment => ({
  id: String(comment.id ?? ""),
  author: actorOf(comment.user),
  body: (text(fields(comment.content).raw) ?? "").slice(0, longestBody),
  created_at: timeOf(comment.created_on),
  url: text(fields(fields(comment.links).html).href),
});

/** Comments by their roots: an answer carries only its parent, whose answer it may be in turn. */
const threadsOf = (items: ReadonlyArray<unknown>): ReadonlyArray<PrThread> => {
  const comments = items.map(fields);
  const byId = new Map(comments.map((comment) => [String(comment.id), comment]));
  const rootOf = (comment: Fields): Fields => {
    let root = comment;
    for (let depth = 0; depth < 100; depth += 1) {
      const parent = byId.get(String(fields(root.parent).id ?? ""));
      if (parent === undefined) return root;
      root = parent;
    }
    return root;
  };
  const threads = new Map<string, { readonly root: Fields; readonly said: PrComment[] }>();
  for (const comment of comments) {
    const root = rootOf(comment);
    const key = String(root.id);
    const thread = threads.get(key) ?? { root, said: [] };
    threads.set(key, thread);
    if (comment.deleted !== true) thread.said.push(commentOf(comment));
  }
  return [...threads.values()].flatMap(({ root, said }): ReadonlyArray<PrThread> => {
    if (said.length === 0) return [];
    const inline = fields(root.inline);
    const path = text(inline.path);
    const [to, from] = [line(inline.to), line(inline.from)];
    return [
      {
        id: String(root.id),
        path,
        side: path === null ? null : to === null && from !== null ? "LEFT" : "RIGHT",
        line: to ?? from,
        resolved: path === null ? null : root.resolution !== undefined && root.resolution !== null,
        outdated: inline.outdated === true,
        comments: said,
      },
    ];
  });
};

const states: Readonly<Record<string, CheckState>> = {
  SUCCESSFUL: "success",
  FAILED: "failure",
  STOPPED: "failure",
  INPROGRESS: "pending",
};

const checkOf = (value: unknown): PrCheck => {
  const { name, key, state, url } = fields(value);
  return { name: text(name) ?? text(key) ?? "status", state: states[text(state) ?? ""] ?? "unknown", url: text(url) };
};

const reviewsOf = (pull: unknown): ReadonlyArray<PrReview> => {
  const { participants } = fields(pull);
  return (Array.isArray(participants) ? participants : []).map(fields).flatMap((one): ReadonlyArray<PrReview> => {
    const state =
      one.approved === true || one.state === "approved"
        ? "APPROVED"
        : one.state === "changes_requested"
          ? "CHANGES_REQUESTED"
          : null;
    const account = fields(one.user);
    if (state === null) return [];
    return [
      {
        id: text(account.account_id) ?? text(account.uuid) ?? "",
        author: actorOf(account),
        state,
        submitted_at: timeOf(one.participated_on),
        commit_sha: null,
      },
    ];
  });
};

const part = <A>(what: string, effect: Effect.Effect<A, PlatformFailure>) =>
  Effect.map(Effect.either(effect), (outcome) =>
    Either.isRight(outcome)
      ? { value: outcome.right, notes: [] }
      : { value: null, notes: [`${what} were not read: ${outcome.left.message}`] },
  );

const cutNote = (what: string, read: Pages | null): ReadonlyArray<string> =>
  read?.cut ? [`only the first ${what} were read: there are more than adk reads`] : [];

/** Comments with their `resolution`, approvals, and the build statuses of exactly `headSha`. */
export const readConversation = (
  get: Get,
  pr: PlatformRequest,
  headSha: string,
): Effect.Effect<PrConversation, PlatformFailure> =>
  Effect.gen(function* () {
    const repository = `/repositories/${encodeURIComponent(pr.owner)}/${encodeURIComponent(pr.repo)}`;
    const pull = `${repository}/pullrequests/${pr.pr_number}`;
    const what = `the conversation of ${pr.owner}/${pr.repo}#${pr.pr_number}`;
    const [comments, participants, statuses] = yield* Effect.all([
      part("threads", pages(get, { path: `${pull}/comments?pagelen=100`, what, most: mostPages })),
      part("reviews", get(pull, what)),
      part(
        "checks",
        pages(get, { path: `${repository}/commit/${headSha}/statuses?pagelen=100`, what, most: mostPages }),
      ),
    ]);
    const checks = statuses.value?.items.map(checkOf) ?? null;
    return {
      threads: comments.value === null ? null : threadsOf(comments.value.items),
      reviews: participants.value === null ? null : reviewsOf(participants.value),
      checks: checks === null ? null : { head_sha: headSha, state: worstCheck(checks), checks },
      notes: [
        ...comments.notes,
        ...participants.notes,
        ...statuses.notes,
        ...cutNote("threads", comments.value),
        ...cutNote("checks", statuses.value),
      ],
    };
  });
