import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { type Config, defaultConfig } from "../../src/config/config.ts";
import { terminalCell } from "../../src/text/sanitize.ts";
import { Home } from "../home/Home.ts";
import { ConfigUnreadable } from "../settings/errors.ts";
import { maxConfigBytes, Settings } from "../settings/Settings.ts";

type SlackSection = Config["slack"];

export interface SlackSettings {
  readonly slack: SlackSection;
  readonly warnings: ReadonlyArray<string>;
}

/** Keys of older programs that say nothing to this one: which links count is fixed, and nothing unasked is posted. */
const retired = /^(\s+)(?:url_patterns|reminder|gentle_reminder_enabled|gentle_reminder)\s*:/;

const unreadable = (path: string, message: string, line: number | null = null): ConfigUnreadable =>
  new ConfigUnreadable({
    message: `${path}${line === null ? "" : `:${line}`}: ${message}`,
    hint: "fix that line, or put the keys under slack: in core.yaml and move the file away",
    path,
    line,
    key: null,
  });

const read = (path: string): Effect.Effect<string | null, ConfigUnreadable> =>
  Effect.tryPromise({
    try: async () => {
      const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT" || error.code === "ENOTDIR") return null;
        throw error;
      });
      if (found === null) return null;
      if (!found.isFile()) throw new Error("is not a file");
      if (found.size > maxConfigBytes) throw new Error(`has ${found.size} bytes, more than ${maxConfigBytes}`);
      return await readFile(path, "utf8");
    },
    catch: (error) => unreadable(path, error instanceof Error ? error.message : String(error)),
  });

const linesOf = (text: string): ReadonlyArray<string> => text.replace(/^\uFEFF/, "").split(/\r?\n/);
const isFence = (line: string | undefined): boolean => line?.trim() === "---";

/** Front matter that never ends: nothing of it would count, and nobody would know. */
const isUnclosed = (text: string): boolean => {
  const [first, ...rest] = linesOf(text);
  return isFence(first) && !rest.some(isFence);
};

/**
 * The part of the front matter that core.yaml calls `slack`, as lines that stand where they stood: everything before and
 * after the section, and keys of older programs, are blank. Null when there is no front matter or no such section.
 */
const sectionAsCore = (text: string): string | null => {
  const lines = linesOf(text);
  if (!isFence(lines[0])) return null;
  const end = lines.findIndex((line, at) => at > 0 && isFence(line));
  const start = lines.findIndex((line, at) => at > 0 && at < end && /^pr_reviews\s*:/.test(line));
  if (start < 0) return null;
  const next = lines.findIndex((line, at) => at > start && at < end && /^[^\s#]/.test(line));
  const stop = next < 0 ? end : next;
  let skipping: number | null = null;
  return lines
    .slice(0, stop)
    .map((line, at) => {
      if (at < start) return "";
      if (at === start) return line.replace("pr_reviews", "slack");
      const depth = /^\s*/.exec(line)?.[0].length ?? 0;
      if (skipping !== null && line.trim() !== "" && depth <= skipping && !/^\s*-/.test(line)) skipping = null;
      const old = retired.exec(line);
      if (old !== null) skipping = old[1]?.length ?? 0;
      return skipping === null ? line.replace(/^(\s+)filter_mentioned_users\s*:/, "$1filter_users:") : "";
    })
    .join("\n");
};

/** Where the section's `url_patterns` name a host that adk does not read: which links count is fixed, and that is said. */
const foreignPatterns = (path: string, text: string, hosts: ReadonlyArray<string>): ReadonlyArray<string> => {
  const all = linesOf(text);
  const lines = all.slice(
    0,
    all.findIndex((line, at) => at > 0 && isFence(line)),
  );
  const start = lines.findIndex((line) => /^\s+url_patterns\s*:/.test(line));
  if (start < 0) return [];
  const after = lines.findIndex((line, at) => at > start && !/^\s*(?:[-#\]]|$)/.test(line));
  const known = new Set(["github.com", "bitbucket.org", ...hosts].map((host) => host.toLowerCase()));
  return lines
    .slice(start, after < 0 ? undefined : after)
    .flatMap((line, index) =>
      [
        ...line
          .slice(0, 2000)
          .replaceAll("\\", "")
          .matchAll(/\bhttps?:\/\/(?:www\.)?([a-z0-9.-]+)/gi),
      ].flatMap(([, host = ""]) =>
        known.has(host.toLowerCase())
          ? []
          : [
              `${path}:${start + index + 1}: links to ${terminalCell(host)} are not read: url_patterns has no effect, name a GitHub Enterprise host in github.hosts of core.yaml`,
            ],
      ),
    )
    .slice(0, 5);
};

const inFileWords = (text: string): string =>
  text
    .replaceAll("slack.filter_users", "pr_reviews.filter_mentioned_users")
    .replaceAll(/\bslack\.(?!md\b)/g, "pr_reviews.");

/** core.yaml wins wherever it has another value than the default. */
const merged = (core: SlackSection, file: SlackSection): SlackSection => {
  const defaults = defaultConfig.slack;
  return {
    channels: core.channels.length > 0 ? core.channels : file.channels,
    filter_users: core.filter_users.length > 0 ? core.filter_users : file.filter_users,
    scan_days_default:
      core.scan_days_default === defaults.scan_days_default ? file.scan_days_default : core.scan_days_default,
    status_emoji: { ...file.status_emoji, ...core.status_emoji },
  };
};

/**
 * `slack.*` of core.yaml with what `connectors/slack.md` says in the `pr_reviews` section of its front matter (spec 2,
 * "Configuration"). Checked like core.yaml: a wrong type fails with its line, an unknown key is a warning.
 */
export const slackSettings: Effect.Effect<SlackSettings, ConfigUnreadable, Home | Settings> = Effect.gen(function* () {
  const { config } = yield* Settings;
  const home = yield* Home;
  const path = join(home.config, "connectors", "slack.md");
  const text = yield* read(path);
  if (text !== null && isUnclosed(text))
    return yield* unreadable(path, "the front matter that begins here has no --- line at its end", 1);
  const section = text === null ? null : sectionAsCore(text);
  if (section === null) return { slack: config.slack, warnings: [] };
  const { parseSettings } = yield* Effect.promise(() => import("../settings/parseSettings.ts"));
  const parsed = yield* parseSettings(path, section).pipe(
    Effect.mapError(
      (error) =>
        new ConfigUnreadable({ ...error, message: inFileWords(error.message), hint: unreadable(path, "").hint }),
    ),
  );
  const warnings = [...parsed.warnings.map(inFileWords), ...foreignPatterns(path, text ?? "", config.github.hosts)];
  return { slack: merged(config.slack, parsed.config.slack), warnings };
});
