import { type ChildProcess, fork } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as Effect from "effect/Effect";
import { type ChildCall, type ChildResult, runChild } from "./childProcess.ts";

/** What the starter is told. */
export type StarterRequest = { readonly id: number; readonly call: ChildCall } | { readonly end: number };
/** What it answers: the process id of a git at once, its result at its end. */
export type StarterAnswer =
  | { readonly id: number; readonly pid: number }
  | { readonly id: number; readonly result: ChildResult };

/** Memory from which a start of git is dear: resident bytes of this process. */
const largeBytes = 320 * 1024 * 1024;
/** Dear starts that are put up with before a starter is made, which costs as much as about ten of them. */
const tolerated = 12;

/** The bundled starter beside this bundle; null when adk runs from its sources. */
const builtStarter = (): string | null => {
  for (const place of ["./gitStarter.js", "../gitStarter.js"]) {
    const file = fileURLToPath(new URL(place, import.meta.url));
    if (existsSync(file)) return file;
  }
  return null;
};

interface Waiting {
  readonly onStart: (pid: number) => void;
  readonly done: (result: ChildResult) => void;
}

const lost: ChildResult = {
  stdout: Buffer.alloc(0),
  stderr: "fatal: the process that starts git was ended",
  code: null,
  truncated: false,
  spawnError: null,
};

/** One starter process. It ends with this process and keeps it from ending only while a git runs. */
export class Starter {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  #calls = 0;
  isLost = false;

  constructor(file: string) {
    this.#child = fork(file, [], {
      serialization: "advanced",
      // No secret in its environment; each git gets its own with its call.
      env: { PATH: process.env.PATH },
      execArgv: [],
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    this.#child.on("message", (message: StarterAnswer) => this.#heard(message));
    const lose = (): void => {
      this.isLost = true;
      for (const { done } of this.#waiting.values()) done(lost);
      this.#waiting.clear();
    };
    this.#child.on("error", lose);
    this.#child.on("exit", lose);
    this.#idle();
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  #idle(): void {
    this.#child.unref();
    this.#child.channel?.unref();
  }

  #heard(message: StarterAnswer): void {
    const waiting = this.#waiting.get(message.id);
    if (waiting === undefined) return;
    if ("pid" in message) {
      waiting.onStart(message.pid);
      return;
    }
    this.#waiting.delete(message.id);
    if (this.#waiting.size === 0) this.#idle();
    const { buffer, byteOffset, length } = message.result.stdout;
    waiting.done({ ...message.result, stdout: Buffer.from(buffer, byteOffset, length) });
  }

  #send(request: StarterRequest): void {
    // A starter that is gone is noticed by its exit.
    this.#child.send(request, () => {});
  }

  /** As `runChild`. A git whose starter was ended has no exit code. */
  run(call: ChildCall, onStart: (pid: number) => void): Effect.Effect<ChildResult> {
    return Effect.async((resume) => {
      this.#calls += 1;
      const id = this.#calls;
      const ended = new Promise<void>((settled) => {
        this.#waiting.set(id, {
          onStart,
          done: (result) => {
            resume(Effect.succeed(result));
            settled();
          },
        });
      });
      this.#child.ref();
      this.#child.channel?.ref();
      this.#send({ id, call });
      return Effect.promise(() => {
        this.#send({ end: id });
        return ended;
      });
    });
  }
}

let starter: Starter | null = null;
let dearStarts = 0;

const usableStarter = (): Starter | null => {
  if (starter !== null) return starter.isLost ? null : starter;
  if (process.memoryUsage.rss() < largeBytes) return null;
  dearStarts += 1;
  if (dearStarts <= tolerated) return null;
  const file = builtStarter();
  if (file === null) return null;
  starter = new Starter(file);
  return starter;
};

/** Runs git to its end, by a starter when this process has grown large and starts many. */
export const runGitChild = (call: ChildCall, onStart: (pid: number) => void): Effect.Effect<ChildResult> =>
  Effect.suspend(() => usableStarter()?.run(call, onStart) ?? runChild(call, onStart));
