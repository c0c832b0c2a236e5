import { createInterface } from "node:readline";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Queue from "effect/Queue";
import type * as Scope from "effect/Scope";
import { Refused } from "../../src/errors.ts";
import { terminalCell } from "../../src/text/sanitize.ts";
import type { Screen } from "./screen.ts";

/** The person at the other end. Talks on stderr only: stdout belongs to the result (spec 3, "Rules for every verb"). */
export class Terminal extends Context.Tag("adk/Terminal")<
  Terminal,
  {
    /** stderr is a terminal. */
    readonly isTty: boolean;
    /** Columns of that terminal; 80 when there is none. */
    readonly columns: number;
    /** Colour may be printed: stdout is a terminal, and neither NO_COLOR nor --no-color is set. */
    readonly color: boolean;
    /** Asks a yes-or-no question; `-y` answers yes. Without a terminal fails with `Refused` (exit 2). */
    readonly confirm: (question: string) => Effect.Effect<boolean, Refused>;
    /** Replaces the lines of progress, at most ten times a second, the last ones always. Does nothing without a terminal. */
    readonly progress: (lines: ReadonlyArray<string>) => Effect.Effect<void>;
    /** Takes the lines of progress away. */
    readonly clearProgress: Effect.Effect<void>;
  }
>() {}

export interface TerminalOptions {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean | undefined };
  readonly stdout: { readonly isTTY?: boolean | undefined };
  /** Where questions and progress go; the log prints through the same one. */
  readonly screen: Screen;
  readonly env: NodeJS.ProcessEnv;
  readonly yes: boolean;
  readonly noColor: boolean;
}

const frameMillis = 100;

const answer = (stdin: NodeJS.ReadableStream): Effect.Effect<string> =>
  Effect.async((resume) => {
    // Not in terminal mode: that would put the tty into raw mode and swallow Ctrl-C.
    const lines = createInterface({ input: stdin, terminal: false });
    let line = "";
    lines.once("line", (text) => {
      line = text;
      lines.close();
    });
    lines.once("close", () => resume(Effect.succeed(line)));
    return Effect.sync(() => lines.close());
  });

const confirmWith =
  (options: TerminalOptions) =>
  (question: string): Effect.Effect<boolean, Refused> => {
    if (options.yes) return Effect.succeed(true);
    const asked = terminalCell(question);
    if (options.stdin.isTTY !== true || !options.screen.isTty) {
      return Effect.fail(
        new Refused({
          message: `${asked} needs a yes and there is no terminal to ask on`,
          hint: "run it again with -y",
        }),
      );
    }
    return Effect.sync(() => {
      options.screen.draw([]);
      options.screen.print(`${asked} [y/N] `);
    }).pipe(
      Effect.zipRight(answer(options.stdin)),
      Effect.map((text) => /^y(es)?$/i.test(text.trim())),
    );
  };

interface Progress {
  readonly progress: (lines: ReadonlyArray<string>) => Effect.Effect<void>;
  readonly clearProgress: Effect.Effect<void>;
}

const silentProgress: Progress = { progress: () => Effect.void, clearProgress: Effect.void };

const drawnProgress = (screen: Screen): Effect.Effect<Progress, never, Scope.Scope> =>
  Effect.gen(function* () {
    const frames = yield* Queue.sliding<ReadonlyArray<string>>(1);
    yield* Queue.take(frames).pipe(
      Effect.tap((lines) => Effect.sync(() => screen.draw(lines))),
      Effect.zipRight(Effect.sleep(frameMillis)),
      Effect.forever,
      Effect.forkScoped,
    );
    const clearProgress = Queue.takeAll(frames).pipe(Effect.zipRight(Effect.sync(() => screen.draw([]))));
    yield* Effect.addFinalizer(() => clearProgress);
    return { progress: (lines) => Queue.offer(frames, lines), clearProgress };
  });

/** The terminal of this process. */
export const layer = (options: TerminalOptions): Layer.Layer<Terminal> =>
  Layer.scoped(
    Terminal,
    Effect.gen(function* () {
      const { isTty, columns } = options.screen;
      const drawing = isTty && options.env.TERM !== "dumb" ? yield* drawnProgress(options.screen) : silentProgress;
      return {
        isTty,
        columns,
        color: options.stdout.isTTY === true && !options.noColor && (options.env.NO_COLOR ?? "") === "",
        confirm: confirmWith(options),
        ...drawing,
      };
    }),
  );

/** Nobody there: no colour, no progress; questions are answered by `yes` or refused. */
export const layerTest = (options: { readonly yes: boolean }): Layer.Layer<Terminal> =>
  Layer.succeed(Terminal, {
    isTty: false,
    columns: 80,
    color: false,
    confirm: (question) =>
      options.yes
        ? Effect.succeed(true)
        : Effect.fail(new Refused({ message: `${question} needs a yes`, hint: "run it again with -y" })),
    ...silentProgress,
  });
