import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { type Config, defaultConfig } from "../../src/config/config.ts";
import { Home } from "../home/Home.ts";
import { ConfigUnreadable } from "./errors.ts";

/** core.yaml with defaults, read once a call and only from the configuration folder (spec 2, "Configuration"). */
export class Settings extends Context.Tag("adk/Settings")<
  Settings,
  {
    readonly config: Config;
    /** Unknown keys, each with the nearest known one; the caller prints them. */
    readonly warnings: ReadonlyArray<string>;
    /** Path of core.yaml, whether it exists or not. */
    readonly path: string;
  }
>() {}

export type LoadedSettings = Context.Tag.Service<Settings>;

/** Size limit of core.yaml in bytes. */
export const maxConfigBytes = 256 * 1024;

/** Bytes of a file, or null when there is none; refuses files over the limit without reading them. */
const readBounded = (path: string): Effect.Effect<string | null, ConfigUnreadable> =>
  Effect.gen(function* () {
    const fail = (message: string) =>
      new ConfigUnreadable({ message, hint: `edit or move away ${path}`, path, line: null, key: null });
    const io = <A>(run: () => Promise<A>) =>
      Effect.tryPromise({ try: run, catch: (error) => error as NodeJS.ErrnoException });
    const missingIsNull = Effect.catchAll((error: NodeJS.ErrnoException) =>
      error.code === "ENOENT" || error.code === "ENOTDIR"
        ? Effect.succeed(null)
        : fail(`cannot read ${path}: ${error.message}`),
    );
    const found = yield* io(() => stat(path)).pipe(missingIsNull);
    if (found === null) return null;
    if (!found.isFile()) return yield* fail(`${path} is not a file`);
    if (found.size > maxConfigBytes) return yield* fail(`${path} has ${found.size} bytes, more than ${maxConfigBytes}`);
    return yield* io(() => readFile(path, "utf8")).pipe(missingIsNull);
  });

/** Reads and checks core.yaml. A missing or empty file gives the defaults. */
export const loadSettings = (path: string): Effect.Effect<LoadedSettings, ConfigUnreadable> =>
  Effect.gen(function* () {
    const text = yield* readBounded(path);
    if (text === null || text.trim() === "") return { config: defaultConfig, warnings: [], path };
    const { parseSettings } = yield* Effect.promise(() => import("./parseSettings.ts"));
    const { config, warnings } = yield* parseSettings(path, text);
    return { config, warnings, path };
  });

/** Settings from `<home.config>/core.yaml`. The YAML parser is loaded only when that file exists. */
export const layer: Layer.Layer<Settings, ConfigUnreadable, Home> = Layer.effect(
  Settings,
  Effect.flatMap(Home, (home) => loadSettings(join(home.config, "core.yaml"))),
);

/** Settings as given, for tests. */
export const layerTest = (config: Config = defaultConfig): Layer.Layer<Settings> =>
  Layer.succeed(Settings, { config, warnings: [], path: "core.yaml" });
