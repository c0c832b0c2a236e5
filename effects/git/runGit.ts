import { statSync } from "node:fs";
import * as Clock from "effect/Clock";
import type * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import { terminalText } from "../../src/text/sanitize.ts";
import type { Log } from "../log/Log.ts";
import type { ChildResult } from "./childProcess.ts";
import { cloneUnusable, type GitError, GitFailed, GitTimeout, gitMissing } from "./errors.ts";
import { fixedArguments, isolatedEnvironment, transportEnvironment } from "./gitEnvironment.ts";
import { runGitChild } from "./starterClient.ts";

/** What a call that may reach a remote is allowed. */
export interface Transport {
  readonly protocols: ReadonlyArray<string>;
  readonly config?: ReadonlyArray<string>;
  readonly env?: Readonly<Record<string, string>>;
  /** Options of a fetch over this transport. */
  readonly fetchOptions?: ReadonlyArray<string>;
}

export interface GitCall {
  /** Subcommand and its words; what comes from outside stands behind `--end-of-options`. */
  readonly args: ReadonlyArray<string>;
  /** Repository, always named: nothing is discovered from a folder that a change request could shape. */
  readonly gitDir?: string;
  readonly workTree?: string;
  /** Folder to start in; the repository when left out. Must exist. */
  readonly cwd?: string;
  /** Left out: no network and no configuration of the person or the system. */
  readonly transport?: Transport;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: Buffer;
  /** Milliseconds; two minutes when left out. */
  readonly timeoutMs?: number;
  /** Bytes; 512 MiB when left out. */
  readonly maxBytes?: number;
  /** Exit codes that are answers; 0 when left out. */
  readonly okCodes?: ReadonlyArray<number>;
  /** True: output over `maxBytes` is cut and returned, not an error. */
  readonly cut?: boolean;
  readonly onStart?: (pid: number) => void;
}

/** The one way by which adk starts git. */
export type RunGit = (call: GitCall) => Effect.Effect<ChildResult, GitError>;

const stderrTail = 2000;

const lastLine = (text: string): string => {
  const lines = text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trim()]));
  return lines.find((line) => /^(?:fatal|error): /.test(line)) ?? lines.at(-1) ?? "it gave no reason";
};

const hintFor = (stderr: string): string => {
  if (
    /could not read (?:Username|Password)|Authentication failed|Permission denied|returned error: 40[13]/i.test(stderr)
  )
    return "check that your git credentials or token may read this repository";
  if (/possible repository corruption on the remote side/.test(stderr))
    return "the repository fetched from lacks objects or is damaged: run git fsck there";
  if (/Could not resolve host|unable to access|Connection|timed out|RPC failed|early EOF/i.test(stderr))
    return "check the network and try again";
  if (/not found|does not (?:exist|appear to be)/i.test(stderr)) return "check that the repository exists";
  if (/No space left/i.test(stderr)) return "free disk space and try again";
  return "run the verb with -v to see the whole call in the log";
};

/** The environment and the words of a call, as the child gets them. */
export const prepareCall = (
  call: GitCall,
): { args: ReadonlyArray<string>; env: Record<string, string>; cwd: string } => {
  const config = call.transport?.config ?? [];
  return {
    args: [
      ...fixedArguments,
      ...config.flatMap((entry) => ["-c", entry]),
      ...(call.gitDir === undefined ? [] : [`--git-dir=${call.gitDir}`]),
      ...(call.workTree === undefined ? [] : [`--work-tree=${call.workTree}`]),
      ...call.args,
    ],
    env: {
      ...(call.transport === undefined
        ? isolatedEnvironment(process.env)
        : { ...transportEnvironment(process.env, call.transport.protocols), ...call.transport.env }),
      ...call.env,
    },
    cwd: call.cwd ?? call.workTree ?? call.gitDir ?? "/",
  };
};

/** The log record of a finished child (spec 2, "Logs"). */
export const recordChild = (
  log: Context.Tag.Service<Log>,
  record: {
    readonly args: ReadonlyArray<string>;
    readonly cwd: string;
    readonly code: number | null;
    readonly ms: number;
  },
): Effect.Effect<void> =>
  log.record("child", { argv: ["git", ...record.args], cwd: record.cwd, exit_code: record.code, ms: record.ms });

/** Builds the runner over a log, which records every child and redacts what git printed. */
export const makeRunGit = (log: Context.Tag.Service<Log>): RunGit => {
  const clean = (text: string): string => log.redact(terminalText(log.redact(text)));

  const failed = (args: ReadonlyArray<string>, result: ChildResult): GitFailed => {
    const stderr = clean(result.stderr);
    const why = result.truncated ? "it printed more than adk accepts" : lastLine(stderr);
    return new GitFailed({
      message: `git ${args[0] ?? ""} failed: ${why}`,
      hint: hintFor(stderr),
      args,
      code: result.code,
      stderr: stderr.slice(-stderrTail),
    });
  };

  return (call) =>
    Effect.gen(function* () {
      const { args, env, cwd } = prepareCall(call);
      const shown = call.args.map(clean);
      if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true)
        return yield* cloneUnusable(cwd, "is not there");
      const started = yield* Clock.currentTimeMillis;
      const timeoutMs = call.timeoutMs ?? 120_000;
      const child = runGitChild(
        {
          args,
          env,
          cwd,
          maxBytes: call.maxBytes ?? 512 * 1024 * 1024,
          ...(call.input === undefined ? {} : { input: call.input }),
        },
        call.onStart ?? (() => {}),
      );
      const result = yield* Effect.timeoutFail(child, {
        duration: timeoutMs,
        onTimeout: () =>
          new GitTimeout({
            message: `git ${shown[0] ?? ""} did not end within ${Math.round(timeoutMs / 1000)} s`,
            hint: "check the network and that no prompt or lock holds it, then try again",
            args: shown,
            seconds: timeoutMs / 1000,
          }),
      });
      const ms = (yield* Clock.currentTimeMillis) - started;
      yield* recordChild(log, { args: call.args, cwd, code: result.code, ms });
      if (result.spawnError !== null) return yield* gitMissing();
      if (result.truncated && call.cut === true) return result;
      const ok = result.code !== null && (call.okCodes ?? [0]).includes(result.code) && !result.truncated;
      return ok ? result : yield* failed(shown, result);
    });
};
