import { isMainThread } from "node:worker_threads";
import * as Effect from "effect/Effect";
import { execa } from "execa";

const running = new Set<number>();
let watching = false;

const signalGroup = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(-pid, signal);
  } catch {
    // The group has ended.
  }
};

/** Ends a process group at once. */
export const killGroup = (pid: number): void => signalGroup(pid, "SIGKILL");

/** Each git runs in a process group of its own, without a terminal; this ends the groups with our process. */
const track = (pid: number): void => {
  running.add(pid);
  if (watching) return;
  watching = true;
  process.on("exit", () => {
    for (const each of running) signalGroup(each, "SIGTERM");
  });
};

export interface ChildCall {
  readonly args: ReadonlyArray<string>;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input?: Buffer;
  /** Cap on standard output in bytes; the child is ended when it prints more. */
  readonly maxBytes: number;
}

export interface ChildResult {
  readonly stdout: Buffer;
  readonly stderr: string;
  /** Null when a signal ended it. */
  readonly code: number | null;
  /** True when the output was cut at `maxBytes`. */
  readonly truncated: boolean;
  /** Node's reason why the program could not be started, else null. */
  readonly spawnError: string | null;
}

const options = (call: Omit<ChildCall, "args" | "input" | "maxBytes">) =>
  ({
    cwd: call.cwd,
    env: call.env,
    extendEnv: false,
    detached: true,
    reject: false,
    stripFinalNewline: false,
    encoding: "buffer",
  }) as const;

/**
 * Starts a child whose files are this user's only, whatever the umask (threat T13): git has no setting for the files of
 * a checkout. A child takes the umask over when it is started, which happens within this one synchronous step.
 */
const privately = <A>(start: () => A): A => {
  if (!isMainThread) return start();
  const before = process.umask(0o077);
  try {
    return start();
  } finally {
    process.umask(before);
  }
};

/** Ends a group: SIGTERM, so that git removes its lock files, and SIGKILL when that is not enough after 3 s. */
export const endGroup = (pid: number, ended: Promise<unknown>): Promise<void> => {
  signalGroup(pid, "SIGTERM");
  const timer = setTimeout(() => signalGroup(pid, "SIGKILL"), 3000);
  return ended.then(
    () => clearTimeout(timer),
    () => clearTimeout(timer),
  );
};

const settle = (child: Promise<unknown>, pid: number | undefined): void => {
  const done = (): void => void (pid !== undefined && running.delete(pid));
  if (pid !== undefined) track(pid);
  child.then(done, done);
};

/** Starts git; `result` never rejects. */
export const launch = (
  call: ChildCall,
): { readonly pid: number | undefined; readonly result: Promise<ChildResult> } => {
  const child = privately(() =>
    execa("git", [...call.args], {
      ...options(call),
      ...(call.input === undefined ? { stdin: "ignore" as const } : { input: call.input }),
      maxBuffer: { stdout: call.maxBytes, stderr: 1_000_000 },
    }),
  );
  settle(child, child.pid);
  const result = child.then((ended) => ({
    stdout: Buffer.from(ended.stdout ?? []),
    stderr: Buffer.from(ended.stderr ?? []).toString("utf8"),
    code: ended.exitCode ?? null,
    truncated: ended.isMaxBuffer === true,
    spawnError: child.pid === undefined ? (ended.code ?? "unknown") : null,
  }));
  return { pid: child.pid, result };
};

/** Runs git to its end. Interruption ends its process group and waits for it. `onStart` is told the process id. */
export const runChild = (call: ChildCall, onStart?: (pid: number) => void): Effect.Effect<ChildResult> =>
  Effect.async((resume) => {
    const { pid, result } = launch(call);
    if (pid !== undefined) onStart?.(pid);
    result.then((ended) => resume(Effect.succeed(ended)));
    return pid === undefined ? Effect.void : Effect.promise(() => endGroup(pid, result));
  });

/** A git that stays and answers on standard output; the caller ends it with `endGroup`. */
export const startChild = (call: Omit<ChildCall, "input" | "maxBytes">) => {
  const child = privately(() =>
    execa("git", [...call.args], {
      ...options(call),
      stdin: "pipe",
      buffer: { stdout: false, stderr: true },
      maxBuffer: { stderr: 1_000_000 },
    }),
  );
  settle(child, child.pid);
  return child;
};
