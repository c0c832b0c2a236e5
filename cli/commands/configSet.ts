import * as Effect from "effect/Effect";
import { Log } from "../../effects/log/Log.ts";
import { plainFields } from "../../effects/log/plainFields.ts";
import { Settings } from "../../effects/settings/Settings.ts";
import { UsageError } from "../../src/errors.ts";
import { terminalCell } from "../../src/text/sanitize.ts";
import type { VerbModule } from "../verb.ts";

export const run: VerbModule["run"] = ({ args }) =>
  Effect.gen(function* () {
    const [key, word] = args;
    if (key === undefined || word === undefined)
      return yield* new UsageError({
        message: "config set needs KEY and VALUE",
        hint: "for example: adk config set pr_sync.prepare_jobs 2",
      });
    const { path } = yield* Settings;
    const log = yield* Log;
    const { setConfig } = yield* Effect.promise(() => import("../../effects/settings/editSettings.ts"));
    const { layer: locksLayer } = yield* Effect.promise(() => import("../../effects/store/Locks.ts"));
    const { value } = yield* Effect.provide(setConfig(path, key, word), locksLayer);
    const shown = plainFields({ value }, log.redact).value;
    return {
      json: { key, value: shown, path },
      text: terminalCell(`${key} = ${JSON.stringify(shown)} in ${path}`),
    };
  });
