import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import type { Config } from "../../src/config/config.ts";
import {
  type FileNote,
  foreignPatterns,
  frontMatterOf,
  frontMatterText,
  inFileWords,
  sectionAsCore,
} from "../../src/connectors/slackFrontMatter.ts";
import { Home } from "../home/Home.ts";
import { ConfigUnreadable } from "../settings/errors.ts";
import { maxConfigBytes, Settings } from "../settings/Settings.ts";

type SlackSection = Config["slack"];

export interface SlackSettings {
  readonly slack: SlackSection;
  /** What does not count of the file, each with its line; the caller prints them. */
  readonly warnings: ReadonlyArray<string>;
}

const fixLine = "fix that line, or put the keys under slack: in core.yaml and move the file away";

const unreadable = (path: string, message: string, hint = fixLine, line: number | null = null): ConfigUnreadable =>
  new ConfigUnreadable({
    message: `${path}${line === null ? "" : `:${line}`}: ${message}`,
    hint,
    path,
    line,
    key: null,
  });

const refused = (path: string, { line, message }: FileNote): ConfigUnreadable =>
  unreadable(path, message, fixLine, line);

const readBytes = (path: string): Effect.Effect<Buffer | null, ConfigUnreadable> =>
  Effect.tryPromise({
    try: async () => {
      const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT" || error.code === "ENOTDIR") return null;
        throw error;
      });
      if (found === null) return null;
      if (!found.isFile()) throw new Error("is not a file");
      if (found.size > maxConfigBytes) throw new Error(`has ${found.size} bytes, more than ${maxConfigBytes}`);
      return await readFile(path);
    },
    catch: (error) =>
      unreadable(
        path,
        error instanceof Error ? error.message : String(error),
        "keep a short text file there, or put the keys under slack: in core.yaml and move the file away",
      ),
  });

/** The first byte that belongs to no text, or -1: no UTF-8, or a NUL. */
const badByte = (bytes: Buffer): number => {
  const nul = bytes.indexOf(0);
  const back = Buffer.from(bytes.toString("utf8"), "utf8");
  if (back.equals(bytes)) return nul;
  const wrong = bytes.findIndex((byte, at) => byte !== back[at]);
  return nul < 0 ? wrong : Math.min(nul, wrong);
};

const textOf = (path: string, bytes: Buffer): Effect.Effect<string, ConfigUnreadable> =>
  Effect.suspend(() => {
    const bad = badByte(bytes);
    if (bad < 0) return Effect.succeed(bytes.toString("utf8"));
    const line = bytes.subarray(0, bad).toString("latin1").split("\n").length;
    const message = `is no text: byte 0x${bytes.toString("hex", bad, bad + 1)} is not UTF-8`;
    return unreadable(path, message, "save it as UTF-8 text, or put the keys under slack: in core.yaml", line);
  });

/** What core.yaml itself says of Slack, its defaults left out. It wins, also where it says the same as a default. */
const said = (path: string): Effect.Effect<ReadonlySet<string>, ConfigUnreadable> =>
  Effect.gen(function* () {
    const bytes = yield* readBytes(path);
    if (bytes === null) return new Set<string>();
    const { parseSettings } = yield* Effect.promise(() => import("../settings/parseSettings.ts"));
    const { document } = yield* parseSettings(path, bytes.toString("utf8"));
    const keys: ReadonlyArray<keyof SlackSection> = ["channels", "filter_users", "scan_days_default", "status_emoji"];
    return new Set<string>(keys.filter((key) => document.hasIn(["slack", key])));
  });

const merged = (core: SlackSection, file: SlackSection, wins: ReadonlySet<string>): SlackSection => {
  const from = (key: keyof SlackSection): SlackSection => (wins.has(key) ? core : file);
  return {
    channels: from("channels").channels,
    filter_users: from("filter_users").filter_users,
    scan_days_default: from("scan_days_default").scan_days_default,
    status_emoji: from("status_emoji").status_emoji,
  };
};

/**
 * `slack.*` of core.yaml with what `connectors/slack.md` says in the `pr_reviews` section of its front matter (spec 2,
 * "Configuration"). Checked like core.yaml: what is of a wrong kind fails with its line, and so does a section that
 * would not count; an unknown key, and a file that says nothing to adk, is a warning.
 */
export const slackSettings: Effect.Effect<SlackSettings, ConfigUnreadable, Home | Settings> = Effect.gen(function* () {
  const { config, path: corePath } = yield* Settings;
  const home = yield* Home;
  const path = join(home.config, "connectors", "slack.md");
  const bytes = yield* readBytes(path);
  const only = (...warnings: ReadonlyArray<FileNote>): SlackSettings => ({
    slack: config.slack,
    warnings: warnings.map(({ line, message }) => `${path}:${line}: ${message}`),
  });
  if (bytes === null) return only();
  const front = frontMatterOf(yield* textOf(path, bytes));
  if (front.kind === "empty") return only();
  if (front.kind === "unclosed" || (front.kind === "none" && front.isMeant)) return yield* refused(path, front.note);
  if (front.kind === "none") return only(front.note);
  const section = sectionAsCore(front);
  if (section === null) {
    const { sectionless } = yield* Effect.promise(() => import("./sectionless.ts"));
    const found = sectionless(frontMatterText(front));
    return found.isWrong ? yield* refused(path, found.note) : only(found.note);
  }
  if (typeof section !== "string") return yield* refused(path, section);
  const { parseSettings } = yield* Effect.promise(() => import("../settings/parseSettings.ts"));
  const parsed = yield* parseSettings(path, section).pipe(
    Effect.mapError((error) => new ConfigUnreadable({ ...error, message: inFileWords(error.message), hint: fixLine })),
  );
  const patterns = only(...foreignPatterns(front, config.github.hosts)).warnings;
  return {
    slack: merged(config.slack, parsed.config.slack, yield* said(corePath)),
    warnings: [...parsed.warnings.map(inFileWords), ...patterns],
  };
});
