import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import { linksInThread } from "../../src/scan/origins.ts";
import { counted } from "../../src/text/counted.ts";
import { slackSettings } from "../connectors/slackSettings.ts";
import { knownGitHubHosts } from "../github/apiHosts.ts";
import { Log } from "../log/Log.ts";
import { Settings } from "../settings/Settings.ts";
import { SlackNotConfigured } from "../slack/errors.ts";
import { Slack } from "../slack/Slack.ts";
import type { QueuedLinks } from "./queueLinks.ts";
import { byPr, type DeadLinkReport, deadLinkWarning, failedLook, queueLiving } from "./queueLiving.ts";
import { readChannels } from "./readChannels.ts";

export interface ScanOptions {
  readonly env: NodeJS.ProcessEnv;
  /** How far back, in milliseconds; `slack.scan_days_default` when left out. */
  readonly windowMs?: number;
  /** Channels besides the configured ones. */
  readonly also?: ReadonlyArray<string>;
  /** Channels instead of the configured ones. */
  readonly only?: ReadonlyArray<string>;
  readonly dryRun: boolean;
}

/** Document of `pr-scan`. */
export interface ScanReport extends Omit<QueuedLinks, "failed"> {
  readonly scanned: {
    readonly channels: number;
    readonly messages: number;
    readonly threads: number;
    /** Threads that were deleted between the reading of their channel and of themselves; what they held is not known. */
    readonly vanished: number;
  };
  /** Different PRs that the threads link to. */
  readonly found: number;
  /** Links to PRs that their hosts do not show. They make no scan fail. */
  readonly dead_links: ReadonlyArray<DeadLinkReport>;
  readonly failed: ReadonlyArray<{ readonly channel?: string; readonly pr_url?: string; readonly error: string }>;
}

const noChannels = () =>
  new SlackNotConfigured({
    message: "no channel is named to look for PRs in",
    hint: "adk config set slack.channels '[\"#reviews\"]', or pr-scan --channels-only '#reviews'",
  });

/** The channels of this call: the configured ones and more, or others instead. */
export const scannedChannels = (configured: ReadonlyArray<string>, options: Pick<ScanOptions, "also" | "only">) => [
  ...new Set(
    (options.only ?? [...configured, ...(options.also ?? [])]).map((name) => name.trim()).filter((name) => name !== ""),
  ),
];

/**
 * Slack channels → queue rows (spec 5, "Scan"). Reads every thread with a message in the window, queues the PRs that are
 * linked there and keeps the threads of known rows up to date. What cannot be read is named, the rest goes on; a dead
 * link is a warning, once.
 */
export const scanSlack = (options: ScanOptions) =>
  Effect.gen(function* () {
    const { config } = yield* Settings;
    const log = yield* Log;
    const slack = yield* Slack;
    const { slack: settings, warnings } = yield* slackSettings;
    yield* Effect.forEach(warnings, log.warn, { discard: true });
    const channels = scannedChannels(settings.channels, options);
    if (channels.length === 0) return yield* noChannels();
    const identity = yield* slack.identity;
    const now = yield* Clock.currentTimeMillis;
    const read = yield* readChannels(channels, now - (options.windowMs ?? settings.scan_days_default * 86_400_000));
    yield* log.step(`read ${counted(read.messages, "message")} in ${counted(read.channels, "channel")}`);
    yield* Effect.forEach(
      read.vanished,
      ({ channel_id, thread_ts }) => log.step(`thread ${thread_ts} in ${channel_id} was deleted while it was read`),
      { discard: true },
    );
    const rules = {
      githubHosts: knownGitHubHosts({ env: options.env, githubHosts: config.github.hosts }),
      identity,
      filterUsers: settings.filter_users,
    };
    const links = read.threads.flatMap((thread) => linksInThread(thread, rules));
    const queued = yield* queueLiving(links, { judged: read.judged, dryRun: options.dryRun, env: options.env });
    yield* Effect.forEach(
      queued.dead_links.filter(({ is_news }) => is_news),
      (link) => log.warn(deadLinkWarning(link)),
      { discard: true },
    );
    const { failed, dead_links, ...rest } = queued;
    const report: ScanReport = {
      scanned: {
        channels: read.channels,
        messages: read.messages,
        threads: read.threads.length,
        vanished: read.vanished.length,
      },
      found: byPr(links).size,
      ...rest,
      dead_links,
      failed: [
        ...read.failed.map(({ channel, failure }) => ({ channel, error: failedLook(failure) })),
        ...failed.map(({ pr_url, failure }) => ({ pr_url, error: failedLook(failure) })),
      ],
    };
    return report;
  });
