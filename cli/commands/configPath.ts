import * as Effect from "effect/Effect";
import { Settings } from "../../effects/settings/Settings.ts";
import { terminalCell } from "../../src/text/sanitize.ts";
import type { VerbModule } from "../verb.ts";

export const run: VerbModule["run"] = () =>
  Effect.map(Settings, ({ path }) => ({ json: { path }, text: terminalCell(path) }));
