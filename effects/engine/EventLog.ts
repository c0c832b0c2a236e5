import { appendFile, mkdir, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import * as Clock from "effect/Clock";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { Home } from "../home/Home.ts";
import { Log } from "../log/Log.ts";

/** One step of one machine, as it stands in logs/events.jsonl. */
export interface TransitionRecord {
  readonly actor: string;
  readonly machine: string;
  readonly seq: number;
  readonly from: string;
  readonly event: string;
  readonly to: string;
  readonly commands: ReadonlyArray<string>;
}

/**
 * logs/events.jsonl: every transition, for people and for `adk inspect`. Not authoritative, never read for recovery,
 * bounded to two files of 8 MiB; a failed write loses lines, not work.
 */
export class EventLog extends Context.Tag("adk/EventLog")<
  EventLog,
  { readonly append: (records: ReadonlyArray<TransitionRecord>) => Effect.Effect<void> }
>() {}

const maxBytes = 8 * 1024 * 1024;

export const layer: Layer.Layer<EventLog, never, Home | Log> = Layer.effect(
  EventLog,
  Effect.gen(function* () {
    const home = yield* Home;
    const log = yield* Log;
    const file = join(home.logs, "events.jsonl");
    const write = (text: string) =>
      Effect.tryPromise(async () => {
        await mkdir(home.logs, { recursive: true, mode: 0o700 });
        const size = await stat(file).then(
          (info) => info.size,
          () => 0,
        );
        if (size > maxBytes) await rename(file, `${file}.1`);
        await appendFile(file, text, { mode: 0o600 });
      });
    return {
      append: (records) =>
        Effect.gen(function* () {
          if (records.length === 0) return;
          const ts = new Date(yield* Clock.currentTimeMillis).toISOString();
          const lines = records.map((record) => `${JSON.stringify({ ts, pid: process.pid, ...record })}\n`);
          yield* Effect.forEach(records, (record) => log.record("transition", { ...record }), { discard: true });
          yield* write(lines.join("")).pipe(
            Effect.catchAll((error) => log.warn(`events.jsonl: ${String(error.cause)}`)),
          );
        }),
    };
  }),
);
