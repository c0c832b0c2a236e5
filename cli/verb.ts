import type * as Effect from "effect/Effect";
import type { Home } from "../effects/home/Home.ts";
import type { Log } from "../effects/log/Log.ts";
import type { Settings } from "../effects/settings/Settings.ts";
import type { Terminal } from "../effects/terminal/Terminal.ts";
import type { Failure } from "../src/errors.ts";

/** One flag of a verb, as data: parser, help, completion and docs/cli.md read the same line. */
export interface FlagSpec {
  /** Long name without dashes, as the user types it: `no-scan`, not a negation of `scan`. */
  readonly name: string;
  readonly short?: string;
  readonly type: "boolean" | "string" | "integer" | "number";
  /** May be given more than once; read with `flags.list`. */
  readonly multiple?: boolean;
  /** What the value is called in help: `PATH`, `N`. */
  readonly value?: string;
  readonly choices?: ReadonlyArray<string>;
  /** Least value of a number. */
  readonly min?: number;
  readonly describe: string;
}

/** One positional argument. At most one of a verb's arguments is `multiple`; those behind it are taken from the end. */
export interface ArgSpec {
  readonly name: string;
  readonly describe: string;
  readonly required: boolean;
  readonly multiple: boolean;
  readonly choices?: ReadonlyArray<string>;
}

/** A verb as data. `load` imports the module only when the verb runs. */
export interface VerbSpec {
  readonly path: ReadonlyArray<string>;
  readonly summary: string;
  readonly args: ReadonlyArray<ArgSpec>;
  readonly flags: ReadonlyArray<FlagSpec>;
  /** Whole command lines, `adk …`; the first one is shown wherever there is room for one. */
  readonly examples: ReadonlyArray<string>;
  readonly load: () => Promise<VerbModule>;
  /** Runs on the default configuration when core.yaml cannot be read: for verbs that find or mend that. */
  readonly survivesBrokenConfig?: true;
}

/** Values of the flags of one call, already checked against the verb's specs. A flag that was not given is undefined, false or []. */
export interface Flags {
  /** Text of the last value given. */
  readonly flag: (name: string) => string | undefined;
  readonly bool: (name: string) => boolean;
  readonly int: (name: string) => number | undefined;
  readonly num: (name: string) => number | undefined;
  readonly list: (name: string) => ReadonlyArray<string>;
}

/** What a verb is called with. */
export interface VerbInput {
  readonly args: ReadonlyArray<string>;
  readonly flags: Flags;
  readonly json: boolean;
  readonly yes: boolean;
  readonly verbose: boolean;
  readonly argv: ReadonlyArray<string>;
  readonly env: NodeJS.ProcessEnv;
}

/** What a verb ends with: `json` is the document of `--json`, `text` the human lines (no trailing newline, already safe to print). */
export interface VerbOutput {
  readonly json: unknown;
  readonly text: string;
  readonly exitCode?: 0 | 1 | 2 | 3 | 130;
}

/** A module in cli/commands. It provides its own heavier layers; only VerbServices are there already. */
export interface VerbModule {
  readonly run: (input: VerbInput) => Effect.Effect<VerbOutput, Failure, VerbServices>;
}

export type VerbServices = Home | Settings | Log | Terminal;
