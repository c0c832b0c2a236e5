import * as Effect from "effect/Effect";
import { type FoundLink, linksInThread } from "../../src/scan/origins.ts";
import { foreignWorkspace, type SlackPlace } from "../../src/slack/permalink.ts";
import type { SlackMessage } from "../../src/slack/types.ts";
import { knownGitHubHosts } from "../github/apiHosts.ts";
import { Settings } from "../settings/Settings.ts";
import type { SlackFailure } from "../slack/errors.ts";
import { slackFailure } from "../slack/failures.ts";
import { Slack } from "../slack/Slack.ts";
import { queueLinks } from "./queueLinks.ts";

/** The thread that a link means: of a reply too whose link does not name its thread. */
const threadAt = (place: SlackPlace): Effect.Effect<ReadonlyArray<SlackMessage>, SlackFailure, Slack> =>
  Effect.gen(function* () {
    const slack = yield* Slack;
    const read = yield* slack.replies(place.channel_id, place.thread_ts ?? place.ts);
    const root = read[0]?.thread_ts ?? null;
    const messages = root !== null && root !== read[0]?.ts ? yield* slack.replies(place.channel_id, root) : read;
    if (messages.some(({ ts }) => ts === place.ts)) return messages;
    const about = { method: "conversations.replies", channel: place.channel_id, ts: place.ts, now: 0 };
    return yield* Effect.fail(slackFailure({ code: "message_not_found" }, about));
  });

/** `pr-queue add` with a Slack link: every PR that the message's thread links to, each with its place in Slack. */
export const addThread = (options: { readonly env: NodeJS.ProcessEnv; readonly place: SlackPlace }) =>
  Effect.gen(function* () {
    const { config } = yield* Settings;
    const slack = yield* Slack;
    const identity = yield* slack.identity;
    const foreign = foreignWorkspace(options.place, identity);
    if (foreign !== null) return yield* foreign;
    const messages = yield* threadAt(options.place);
    const rules = {
      githubHosts: knownGitHubHosts({ env: options.env, githubHosts: config.github.hosts }),
      identity,
      filterUsers: [],
    };
    const thread = { channel_id: options.place.channel_id, messages };
    const links: ReadonlyArray<FoundLink> = linksInThread(thread, rules);
    const queued = yield* queueLinks({ links, judged: () => false, dryRun: false });
    return { links: links.length, ...queued };
  });
