import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { Home, layer as homeLayer } from "../effects/home/Home.ts";
import { Log, layer as logLayer } from "../effects/log/Log.ts";
import { Settings, layer as settingsLayer } from "../effects/settings/Settings.ts";
import { makeScreen } from "../effects/terminal/screen.ts";
import { type Terminal, layer as terminalLayer } from "../effects/terminal/Terminal.ts";
import { defaultConfig } from "../src/config/config.ts";
import type { Failure } from "../src/errors.ts";
import type { VerbInput, VerbSpec } from "./verb.ts";

/** What is there before the configuration is read: where things are, the log, the terminal. */
export const baseLayer = (spec: VerbSpec, input: VerbInput): Layer.Layer<Home | Log | Terminal> => {
  const home = homeLayer({ env: input.env, queue: input.flags.flag("queue") });
  const screen = makeScreen(process.stderr);
  const log = logLayer({
    verbose: input.verbose,
    verb: spec.path.join(" "),
    argv: input.argv,
    env: input.env,
    stderr: screen.print,
  });
  const terminal = terminalLayer({
    stdin: process.stdin,
    stdout: process.stdout,
    screen,
    env: input.env,
    yes: input.yes,
    noColor: input.flags.bool("no-color"),
  });
  return Layer.mergeAll(Layer.provideMerge(log, home), terminal);
};

const defaults = (failure: Failure) =>
  Effect.gen(function* () {
    const { config } = yield* Home;
    return { config: defaultConfig, warnings: [`${failure.message} — ${failure.hint}`], path: `${config}/core.yaml` };
  });

const warnAll = (settings: { readonly warnings: ReadonlyArray<string> }) =>
  Effect.flatMap(Log, (log) => Effect.forEach(settings.warnings, log.warn, { discard: true }));

/** The configuration. Its warnings are said once; a verb that survives a broken one gets the defaults. */
export const settingsFor = (spec: VerbSpec): Layer.Layer<Settings, Failure, Home | Log> => {
  const read: Layer.Layer<Settings, Failure, Home> = settingsLayer;
  const layer =
    spec.survivesBrokenConfig === true
      ? Layer.catchAll(read, (failure) => Layer.effect(Settings, defaults(failure)))
      : read;
  return Layer.tap(layer, (context) => warnAll(Context.get(context, Settings)));
};
