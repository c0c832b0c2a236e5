import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { Bitbucket, layer as bitbucketLayer } from "../../effects/bitbucket/Bitbucket.ts";
import { slackSettings } from "../../effects/connectors/slackSettings.ts";
import type { Finding } from "../../effects/doctor/finding.ts";
import { type DoctorReport, runDoctor } from "../../effects/doctor/runDoctor.ts";
import { Git, layer as gitLayer } from "../../effects/git/Git.ts";
import { GitHub, layer as gitHubLayer } from "../../effects/github/GitHub.ts";
import { Home } from "../../effects/home/Home.ts";
import { Log } from "../../effects/log/Log.ts";
import { HostLimits, layer as hostLimitsLayer } from "../../effects/network/HostLimits.ts";
import { cleanOrphans } from "../../effects/queue/cleanOrphans.ts";
import { Settings } from "../../effects/settings/Settings.ts";
import { Slack, layer as slackLayer } from "../../effects/slack/Slack.ts";
import { Locks, layer as locksLayer } from "../../effects/store/Locks.ts";
import { QueueStore, layer as queueStoreLayer } from "../../effects/store/QueueStore.ts";
import { terminalCell } from "../../src/text/sanitize.ts";
import type { VerbModule } from "../verb.ts";

const signs: Readonly<Record<Finding["status"], string>> = { pass: "ok  ", warn: "warn", fail: "FAIL" };

const lines = ({ name, status, detail, fix }: Finding): ReadonlyArray<string> => [
  terminalCell(`${signs[status]}  ${name.padEnd(16)}  ${detail}`),
  ...(fix === "" ? [] : [terminalCell(`      ${" ".repeat(16)}  fix: ${fix}`)]),
];

const text = (report: DoctorReport): string =>
  [...report.checks.flatMap(lines), "", `${report.fail} fail · ${report.warn} warn · ${report.pass} pass`].join("\n");

/** One answer of a host, in milliseconds; a check as a whole has a limit of its own. */
const askLimitMs = 2_000;

const services = Layer.provideMerge(Layer.mergeAll(gitLayer, queueStoreLayer), locksLayer);

export const run: VerbModule["run"] = ({ flags, env }) =>
  Effect.gen(function* () {
    const home = yield* Home;
    const log = yield* Log;
    const settings = yield* Settings;
    const { config, path } = settings;
    const strict = flags.bool("strict");
    const known = Layer.mergeAll(Layer.succeed(Home, home), Layer.succeed(Log, log));
    // Each check builds what it needs itself: when the locks cannot be had, that is one finding among others.
    const local = Layer.provide(services, known);
    const outside = Layer.mergeAll(
      gitHubLayer({ env, githubHosts: config.github.hosts, timeoutMs: askLimitMs }),
      bitbucketLayer({ env, timeoutMs: askLimitMs }),
      slackLayer({ env, timeoutMs: askLimitMs }),
    ).pipe(Layer.provideMerge(hostLimitsLayer), Layer.provide(locksLayer), Layer.provide(known));
    const report = yield* runDoctor({
      home,
      log,
      config,
      configPath: path,
      env,
      strict,
      fix: flags.bool("fix"),
      gitVersion: Effect.flatMap(Git, (git) => git.version).pipe(Effect.provide(local)),
      queue: Effect.flatMap(QueueStore, (store) => store.read).pipe(Effect.provide(local)),
      orphans: cleanOrphans({ dryRun: true }).pipe(
        Effect.map(({ removed }) => removed),
        Effect.provide(Layer.merge(local, known)),
      ),
      githubLimit: (host) => Effect.flatMap(GitHub, (github) => github.rateLimit(host)).pipe(Effect.provide(outside)),
      bitbucketAccess: (place) =>
        Effect.flatMap(Bitbucket, (bitbucket) => bitbucket.access(place)).pipe(Effect.provide(outside)),
      limits: Effect.flatMap(HostLimits, ({ states }) => states).pipe(Effect.provide(outside)),
      slackSettings: Effect.provide(slackSettings, Layer.merge(known, Layer.succeed(Settings, settings))),
      slackIdentity: Effect.flatMap(Slack, ({ identity }) => identity).pipe(Effect.provide(outside)),
      slackChannels: Effect.gen(function* () {
        const { slack: section } = yield* slackSettings;
        return yield* (yield* Slack).channels(section.channels);
      }).pipe(Effect.provide(Layer.mergeAll(outside, known, Layer.succeed(Settings, settings)))),
      lockMechanism: Effect.map(Locks, ({ mechanism }) => mechanism).pipe(Effect.provide(local)),
    });
    const failed = report.fail > 0 || (strict && report.warn > 0);
    return { json: report, text: text(report), exitCode: failed ? 1 : 0 };
  });
