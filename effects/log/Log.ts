import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import * as Clock from "effect/Clock";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Either from "effect/Either";
import * as Layer from "effect/Layer";
import type * as Scope from "effect/Scope";
import { makeRedactor, scrubArgv, secretsOfEnvironment } from "../../src/text/redact.ts";
import { terminalCell } from "../../src/text/sanitize.ts";
import { fileTime } from "../../src/time.ts";
import { Home } from "../home/Home.ts";
import { makeDirs } from "../store/fileOps.ts";
import { observeLargeFiles } from "./largeFiles.ts";
import { plainFields } from "./plainFields.ts";

declare const ADK_VERSION: string | undefined;

/**
 * The log of one call (spec 2, "Logs") and the one place where text on its way to stderr is redacted and made safe for
 * a terminal. Nothing here ever fails a verb: when the file cannot be written, one warning says so.
 */
export class Log extends Context.Tag("adk/Log")<
  Log,
  {
    readonly verbose: boolean;
    /** One readable line per major step, on stderr and in the file, only with `-v`. */
    readonly step: (message: string) => Effect.Effect<void>;
    /** `warning: …` on stderr, always. */
    readonly warn: (message: string) => Effect.Effect<void>;
    /** One JSON line in the file, only with `-v`. Every string in `fields` is redacted; errors keep their cause chain. */
    readonly record: (event: string, fields: Readonly<Record<string, unknown>>) => Effect.Effect<void>;
    /** Masks secrets by value and by shape; for every other sink (report, plan, heartbeat, error line). */
    readonly redact: (text: string) => string;
    /** A value that must not appear from now on: a configured token, the answer of `gh auth token`. */
    readonly addSecret: (value: string) => void;
    /** Path of the log file; null without `-v`, or when it could not be created. */
    readonly file: string | null;
  }
>() {}

export interface LogOptions {
  readonly verbose: boolean;
  /** Words of the verb: `pr-queue list`. */
  readonly verb: string;
  readonly argv: ReadonlyArray<string>;
  readonly env: NodeJS.ProcessEnv;
  /** Where steps and warnings go; process.stderr when left out. */
  readonly stderr?: (line: string) => void;
}

type Level = "info" | "warn";

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const fileName = (verb: string, now: number): string => {
  const name = verb.replaceAll(/[^A-Za-z0-9]+/g, "-").slice(0, 60) || "adk";
  return `${name}-${fileTime(now)}-${process.pid}.log`;
};

interface OpenLog {
  readonly fd: number;
  readonly file: string;
}

/** The opened file, or why there is none. */
const openLog = (folder: string, name: string): Effect.Effect<Either.Either<OpenLog, string>, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.either(
      Effect.try({
        try: () => {
          makeDirs(folder);
          const file = join(folder, name);
          return { fd: openSync(file, "a", 0o600), file };
        },
        catch: reason,
      }),
    ),
    (opened) => Effect.sync(() => Either.isRight(opened) && closeSync(opened.right.fd)),
  );

interface Line {
  readonly ms: number;
  readonly level: Level;
  readonly event: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly redact: (text: string) => string;
}

const writeLine = (fd: number, line: Line): void => {
  const head = { ts: new Date(line.ms).toISOString(), level: line.level, event: line.event };
  const bytes = Buffer.from(`${JSON.stringify({ ...head, ...plainFields(line.fields, line.redact), ...head })}\n`);
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
};

/** False when the line could not be written; for callers that are no effects. */
const written = (fd: number, line: Line): boolean => {
  try {
    writeLine(fd, line);
    return true;
  } catch {
    return false;
  }
};

const make = (options: LogOptions) =>
  Effect.gen(function* () {
    const home = yield* Home;
    const secrets = new Set(secretsOfEnvironment(options.env));
    let redact = makeRedactor([...secrets]);
    const toStderr = options.stderr ?? ((line: string) => void process.stderr.write(line));
    const print = (line: string): void => toStderr(`${terminalCell(redact(line))}\n`);

    const now = yield* Clock.currentTimeMillis;
    const opened = options.verbose ? yield* openLog(home.logs, fileName(options.verb, now)) : null;
    if (opened !== null && Either.isLeft(opened)) print(`warning: no log of this call: ${opened.left}`);
    const target = opened !== null && Either.isRight(opened) ? opened.right : null;
    let broken = target === null;

    const write = (level: Level, event: string, fields: Readonly<Record<string, unknown>>): Effect.Effect<void> =>
      Effect.suspend(() => (broken ? Effect.void : Clock.currentTimeMillis)).pipe(
        Effect.flatMap((ms) =>
          target === null || ms === undefined
            ? Effect.void
            : Effect.try({ try: () => writeLine(target.fd, { ms, level, event, fields, redact }), catch: reason }),
        ),
        Effect.catchAll((why) =>
          Effect.sync(() => {
            broken = true;
            print(`warning: the log of this call ends here: ${why}`);
          }),
        ),
      );

    yield* write("info", "start", {
      verb: options.verb,
      argv: scrubArgv(options.argv),
      pid: process.pid,
      versions: {
        adk: typeof ADK_VERSION === "string" ? ADK_VERSION : "unbuilt",
        node: process.versions.node,
        platform: `${process.platform}-${process.arch}`,
      },
    });

    yield* Effect.acquireRelease(
      Effect.sync(() => {
        if (target === null) return;
        observeLargeFiles((use) => {
          if (broken) return;
          const line = { ms: Date.now(), level: "info", event: `file.${use.action}`, redact } as const;
          broken = !written(target.fd, { ...line, fields: { path: use.path, bytes: use.bytes } });
        });
      }),
      () => Effect.sync(() => observeLargeFiles(null)),
    );

    return Log.of({
      verbose: options.verbose,
      file: target?.file ?? null,
      redact: (text) => redact(text),
      addSecret: (value) => {
        const secret = value.trim();
        if (secrets.has(secret)) return;
        secrets.add(secret);
        redact = makeRedactor([...secrets]);
      },
      record: (event, fields) => write("info", event, fields),
      step: (message) =>
        options.verbose
          ? Effect.zipRight(
              Effect.sync(() => print(message)),
              write("info", "step", { message }),
            )
          : Effect.void,
      warn: (message) =>
        Effect.zipRight(
          Effect.sync(() => print(`warning: ${message}`)),
          write("warn", "warning", { message }),
        ),
    });
  });

/** The log of this call; the file exists only with `verbose`. */
export const layer = (options: LogOptions): Layer.Layer<Log, never, Home> => Layer.scoped(Log, make(options));

/** Drops everything; redacts by shape only. For tests of other services. */
export const silent: Layer.Layer<Log> = Layer.sync(Log, () => {
  const secrets = new Set<string>();
  return Log.of({
    verbose: false,
    file: null,
    step: () => Effect.void,
    warn: () => Effect.void,
    record: () => Effect.void,
    redact: (text) => makeRedactor([...secrets])(text),
    addSecret: (value) => void secrets.add(value),
  });
});
