import * as Effect from "effect/Effect";
import { Log } from "../../effects/log/Log.ts";
import { plainFields } from "../../effects/log/plainFields.ts";
import { Settings } from "../../effects/settings/Settings.ts";
import { terminalText } from "../../src/text/sanitize.ts";
import type { VerbModule } from "../verb.ts";

export const run: VerbModule["run"] = () =>
  Effect.gen(function* () {
    const { config, path } = yield* Settings;
    const log = yield* Log;
    const { settingsText } = yield* Effect.promise(() => import("../../effects/settings/settingsText.ts"));
    const shown = plainFields({ ...config }, log.redact);
    return {
      json: shown,
      text: terminalText(`# in effect, defaults included; set in ${path}\n${settingsText(shown)}`),
    };
  });
