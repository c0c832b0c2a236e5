import { PassThrough } from "node:stream";
import { describe, expect, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Either from "effect/Either";
import * as TestClock from "effect/TestClock";
import { makeScreen } from "../../../effects/terminal/screen.ts";
import { layer, layerTest, Terminal } from "../../../effects/terminal/Terminal.ts";

const setup = (
  options: {
    readonly tty?: boolean;
    readonly yes?: boolean;
    readonly env?: NodeJS.ProcessEnv;
    readonly noColor?: boolean;
  } = {},
) => {
  const written: string[] = [];
  const stdin = Object.assign(new PassThrough(), { isTTY: options.tty ?? false });
  const screen = makeScreen({ isTTY: options.tty, columns: 20, write: (text) => written.push(text) });
  const live = layer({
    stdin,
    stdout: { isTTY: options.tty },
    screen,
    env: options.env ?? {},
    yes: options.yes ?? false,
    noColor: options.noColor ?? false,
  });
  return { written, stdin, live, screen };
};

const turn = Effect.yieldNow().pipe(Effect.repeatN(20));

describe("confirm", () => {
  it.effect("asks on a terminal and takes y or yes alone for a yes", () =>
    Effect.gen(function* () {
      for (const [typed, expected] of [
        ["y\n", true],
        ["YES\n", true],
        ["\n", false],
        ["yep\n", false],
      ] as const) {
        const { written, stdin, live } = setup({ tty: true });
        stdin.write(typed);
        const answer = yield* Effect.flatMap(Terminal, (terminal) => terminal.confirm("Remove\u001b[2J 3 rows?")).pipe(
          Effect.provide(live),
        );
        expect([typed, answer]).toEqual([typed, expected]);
        expect(written.join("")).toMatch(/^Remove.* 3 rows\? \[y\/N\] $/);
        expect(written.join("")).not.toContain("\u001b");
      }
    }),
  );

  it.effect("takes the end of input for a no", () =>
    Effect.gen(function* () {
      const { stdin, live } = setup({ tty: true });
      stdin.end();
      expect(yield* Effect.flatMap(Terminal, (terminal) => terminal.confirm("Go on?")).pipe(Effect.provide(live))).toBe(
        false,
      );
    }),
  );

  it.effect("refuses without a terminal unless -y was given", () =>
    Effect.gen(function* () {
      const ask = Effect.flatMap(Terminal, (terminal) => terminal.confirm("remove 3 rows"));
      const refused = yield* Effect.either(Effect.provide(ask, setup().live));
      expect(Either.isLeft(refused) && refused.left).toMatchObject({
        _tag: "Refused",
        exitCode: 2,
        hint: "run it again with -y",
      });
      expect(yield* Effect.provide(ask, setup({ yes: true }).live)).toBe(true);
    }),
  );
});

describe("progress", () => {
  it.effect("is drawn at most ten times a second and always ends with the last lines", () => {
    const { written, live } = setup({ tty: true });
    return Effect.gen(function* () {
      const terminal = yield* Terminal;
      for (let done = 0; done <= 50; done += 1) {
        yield* terminal.progress([`${done} of 50`]);
        yield* turn;
      }
      expect(written).toHaveLength(1);
      yield* TestClock.adjust("100 millis");
      yield* turn;
      expect(written.at(-1)).toContain("50 of 50");
      expect(written).toHaveLength(2);
    }).pipe(Effect.provide(live));
  });

  it.effect("stays on its lines: sanitised and cut to the width, and goes away when cleared", () => {
    const { written, live } = setup({ tty: true });
    return Effect.gen(function* () {
      const terminal = yield* Terminal;
      yield* terminal.progress(["a\u001b[5Ab", "x".repeat(100)]);
      yield* turn;
      const [first, second] = (written[0] ?? "").split("\n");
      expect(first).not.toContain("\u001b");
      expect(second).toHaveLength(19);
      yield* terminal.clearProgress;
      expect(written.at(-1)).toBe("\u001b[2A\r\u001b[0J");
    }).pipe(Effect.provide(live));
  });

  it.effect("is nothing at all without a terminal", () => {
    const { written, live } = setup();
    return Effect.gen(function* () {
      const terminal = yield* Terminal;
      yield* terminal.progress(["1 of 50"]);
      yield* turn;
      yield* terminal.clearProgress;
      expect(written).toEqual([]);
    }).pipe(Effect.provide(live));
  });
});

describe("a line printed while progress is shown", () => {
  it.effect("stands above it, whole, and the progress stays", () => {
    const { written, screen, live } = setup({ tty: true });
    return Effect.gen(function* () {
      const terminal = yield* Terminal;
      yield* terminal.progress(["1 of 50"]);
      yield* turn;
      screen.print("warning: slow\n");
      expect(written.at(-1)).toBe("\u001b[1A\r\u001b[0Jwarning: slow\n1 of 50\n");
    }).pipe(Effect.provide(live));
  });
});

describe("the terminal of tests", () => {
  it.effect("answers as -y does, or refuses", () =>
    Effect.gen(function* () {
      const ask = Effect.flatMap(Terminal, (terminal) => terminal.confirm("go on"));
      expect(yield* Effect.provide(ask, layerTest({ yes: true }))).toBe(true);
      expect(yield* Effect.flip(Effect.provide(ask, layerTest({ yes: false })))).toMatchObject({ _tag: "Refused" });
    }),
  );
});

describe("colour", () => {
  it.effect("is for terminals without NO_COLOR and --no-color", () =>
    Effect.gen(function* () {
      const color = (options: Parameters<typeof setup>[0]) =>
        Effect.provide(
          Effect.map(Terminal, (terminal) => terminal.color),
          setup(options).live,
        );
      expect(yield* color({ tty: true })).toBe(true);
      expect(yield* color({ tty: true, env: { NO_COLOR: "" } })).toBe(true);
      expect(yield* color({ tty: true, env: { NO_COLOR: "1" } })).toBe(false);
      expect(yield* color({ tty: true, noColor: true })).toBe(false);
      expect(yield* color({ tty: false })).toBe(false);
    }),
  );
});

describe("columns", () => {
  it("takes a terminal of 0 columns, as some pseudo-terminals say, for one of 80", () => {
    expect(makeScreen({ isTTY: true, columns: 0, write: () => true }).columns).toBe(80);
    expect(makeScreen({ isTTY: true, columns: 33, write: () => true }).columns).toBe(33);
  });
});
