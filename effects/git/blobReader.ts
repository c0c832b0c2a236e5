import * as Clock from "effect/Clock";
import type * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import { type BatchAnswer, BatchParser } from "../../src/git/batchParser.ts";
import { isObjectName } from "../../src/git/tokens.ts";
import { terminalText } from "../../src/text/sanitize.ts";
import type { Log } from "../log/Log.ts";
import { endGroup, startChild } from "./childProcess.ts";
import { GitFailed } from "./errors.ts";
import { prepareCall, recordChild } from "./runGit.ts";

export type BlobContent =
  | { readonly type: "blob"; readonly oid: string; readonly size: number; readonly content: Buffer }
  | { readonly type: "missing"; readonly oid: string }
  | { readonly type: "tooLarge"; readonly oid: string; readonly size: number };

export interface BlobReader {
  /**
   * Content of a blob. Many reads may wait at once; they are answered in order by one git. `missing` for an object that
   * is not here; an object that is no blob, or an answer that does not belong to the question, is GitFailed.
   */
  readonly read: (oid: string) => Effect.Effect<BlobContent, GitFailed>;
}

export interface BlobOptions {
  readonly clone: string;
  /** Largest content that is returned, in bytes; 64 MiB when left out. */
  readonly maxBytes?: number;
}

const args = ["cat-file", "--batch"];

interface Waiting {
  readonly oid: string;
  readonly done: (effect: Effect.Effect<BlobContent, GitFailed>) => void;
}

const failed = (message: string, stderr = ""): GitFailed =>
  new GitFailed({
    message: `git cat-file failed: ${message}`,
    hint: "run adk doctor; a damaged clone is made anew by adk repo add",
    args,
    code: null,
    stderr,
  });

const contentOf = (oid: string, answer: BatchAnswer): Effect.Effect<BlobContent, GitFailed> => {
  if (answer.kind === "unknown") return Effect.fail(failed(`it answered "${terminalText(answer.line.slice(0, 80))}"`));
  if (answer.kind === "missing")
    return answer.name === oid ? Effect.succeed({ type: "missing", oid }) : Effect.fail(failed("answers out of order"));
  if (answer.oid !== oid) return Effect.fail(failed("answers out of order"));
  if (answer.type !== "blob") return Effect.fail(failed(`object ${oid} is a ${answer.type}, not a blob`));
  const { size, content } = answer;
  return Effect.succeed(content === null ? { type: "tooLarge", oid, size } : { type: "blob", oid, size, content });
};

const open = (options: BlobOptions) => {
  const child = startChild(prepareCall({ args, gitDir: options.clone }));
  const parser = new BatchParser({ maxBytes: options.maxBytes ?? 64 * 1024 * 1024 });
  const queue: Waiting[] = [];
  let head = 0;
  let broken: GitFailed | null = null;

  const breakOff = (error: GitFailed): void => {
    broken ??= error;
    for (const waiting of queue.splice(0).slice(head)) waiting.done(Effect.fail(broken));
    head = 0;
  };
  const answer = (one: BatchAnswer): void => {
    const waiting = queue[head];
    if (broken !== null || waiting === undefined) {
      breakOff(failed("it answered more than it was asked"));
      return;
    }
    head += 1;
    if (head === queue.length) {
      queue.length = 0;
      head = 0;
    }
    waiting.done(contentOf(waiting.oid, one));
    if (one.kind === "unknown") breakOff(failed("its answers cannot be read any more"));
  };
  child.stdout.on("data", (chunk: Buffer) => {
    for (const one of parser.push(chunk)) answer(one);
  });
  // A question that git did not live to read: why it ended is on stderr, which is complete when the process is gone.
  child.stdin.on("error", () => {});
  const ended = child.then((result) => {
    const stderr = terminalText(Buffer.from(result.stderr ?? []).toString("utf8")).slice(-2000);
    breakOff(failed(stderr.trim().split("\n").at(-1) || "it ended early", stderr));
    return result.exitCode ?? null;
  });

  const read = (oid: string): Effect.Effect<BlobContent, GitFailed> =>
    Effect.async((done) => {
      if (broken !== null) return done(Effect.fail(broken));
      // Anything else would be a question of its own, or two.
      if (!isObjectName(oid)) return done(Effect.succeed({ type: "missing", oid }));
      queue.push({ oid, done });
      child.stdin.write(`${oid}\n`);
    });
  return { reader: { read } satisfies BlobReader, child, ended };
};

/** Opens one `git cat-file --batch` for as long as the scope is open. */
export const openBlobs = (
  log: Context.Tag.Service<Log>,
  options: BlobOptions,
): Effect.Effect<BlobReader, never, Scope.Scope> =>
  Effect.gen(function* () {
    const started = yield* Clock.currentTimeMillis;
    const { reader } = yield* Effect.acquireRelease(
      Effect.sync(() => open(options)),
      ({ child, ended }) =>
        Effect.gen(function* () {
          child.stdin.end();
          if (child.pid !== undefined) yield* Effect.promise(() => endGroup(child.pid ?? 0, ended));
          const code = yield* Effect.promise(() => ended);
          const ms = (yield* Clock.currentTimeMillis) - started;
          yield* recordChild(log, { args, cwd: options.clone, code, ms });
        }),
    );
    return reader;
  });
