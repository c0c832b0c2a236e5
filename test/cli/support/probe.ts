// A program with verbs made for tests, run as a process of its own: node probe.mjs VERB [--json] [-v]
import * as Effect from "effect/Effect";
import { finish, ignoreClosedPipes } from "../../../cli/output.ts";
import { makeFlags } from "../../../cli/parseFlags.ts";
import { runVerb } from "../../../cli/run.ts";
import type { VerbModule } from "../../../cli/verb.ts";
import { Settings } from "../../../effects/settings/Settings.ts";
import { Terminal } from "../../../effects/terminal/Terminal.ts";
import { NotFound } from "../../../src/errors.ts";

const said = (text: string) => Effect.sync(() => void process.stderr.write(`${text}\n`));

const modules: Readonly<Record<string, VerbModule["run"]>> = {
  big: () => Effect.succeed({ json: { rows: "x".repeat(3_000_000) }, text: `${"y".repeat(2_999_999)}!` }),
  lines: () =>
    Effect.succeed({ json: {}, text: Array.from({ length: 200_000 }, (_, index) => `line ${index}`).join("\n") }),
  partly: () => Effect.succeed({ json: { failed: 1 }, text: "1 failed", exitCode: 1 }),
  fails: () =>
    Effect.fail(
      new NotFound({
        message: `no PR "\u001b[2Jx"\nsecond line ${process.env.MY_SECRET_TOKEN ?? ""}`,
        hint: "adk pr-queue list",
      }),
    ),
  hostile: () => Effect.succeed({ json: { title: "a\u009b2J\u202eb\u{e0041}\u2028c é" }, text: "" }),
  bug: () => Effect.sync(() => (undefined as unknown as { x: string }).x).pipe(Effect.as({ json: null, text: "" })),
  waits: () => Effect.onInterrupt(Effect.zipRight(said("started"), Effect.never), () => said("put back")),
  clings: () => Effect.uninterruptible(Effect.zipRight(said("started"), Effect.never)),
  leftover: () =>
    Effect.sync(() => {
      setTimeout(() => undefined, 600_000);
      return { json: "done", text: "done" };
    }),
  asks: () =>
    Effect.flatMap(Terminal, (terminal) => terminal.confirm("remove 3 rows")).pipe(
      Effect.map((yes) => ({ json: { yes }, text: String(yes) })),
    ),
  config: () =>
    Effect.map(Settings, (settings) => ({ json: settings.config.defaults, text: settings.config.defaults.platform })),
};

const argv = process.argv.slice(2);
const verb = argv[0] ?? "";
const run = modules[verb];
if (run === undefined) throw new Error(`no probe ${verb}`);
const given = ["json", "verbose", "yes"]
  .filter((name) => argv.includes(`--${name}`))
  .map((name) => ({ name, rawName: `--${name}` }));
const flags = makeFlags(given);
ignoreClosedPipes();
await finish(
  await runVerb(
    {
      path: [verb],
      summary: "",
      args: [],
      flags: [],
      examples: [],
      load: () => Promise.resolve({ run }),
      ...(argv.includes("--survive") ? { survivesBrokenConfig: true as const } : {}),
    },
    {
      args: [],
      flags,
      json: flags.bool("json"),
      yes: flags.bool("yes"),
      verbose: flags.bool("verbose"),
      argv,
      env: process.env,
    },
  ),
);
