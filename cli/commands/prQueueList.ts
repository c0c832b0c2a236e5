import * as Effect from "effect/Effect";
import { Home } from "../../effects/home/Home.ts";
import { Log } from "../../effects/log/Log.ts";
import { QueueStore } from "../../effects/store/QueueStore.ts";
import { Terminal } from "../../effects/terminal/Terminal.ts";
import { filterViews, listDocument, listText } from "../../src/queue/viewList.ts";
import { terminalCell } from "../../src/text/sanitize.ts";
import { queueLayer } from "../layers/queue.ts";
import type { VerbModule } from "../verb.ts";
import { leaseClock, viewOf } from "./prQueueRows.ts";

/** `pr-queue list`: lock-free; shows the last good queue, and says so, when the file is broken. */
export const run: VerbModule["run"] = (input) =>
  Effect.gen(function* () {
    const home = yield* Home;
    const log = yield* Log;
    const store = yield* QueueStore;
    const terminal = yield* Terminal;
    const { queue, banner } = yield* store.readOrLastGood;
    if (banner !== null) yield* log.warn(banner);
    const clock = yield* leaseClock;
    const all = queue.prs.map((row) => viewOf(row, clock));
    const shown = filterViews(all, { status: input.flags.flag("status") ?? null, ready: input.flags.bool("ready") });
    const urls = shown.map((view) => terminalCell(view.row.pr_url)).join("\n");
    const width = process.stdout.isTTY === true ? { width: terminal.columns } : {};
    const table = { queue: home.queue, all, shown, nowMs: clock.nowMs, ...width };
    return {
      json: { ...listDocument(home.queue, all, shown), ...(banner === null ? {} : { banner }) },
      text: input.json ? "" : input.flags.bool("urls-only") ? urls : listText(table),
    };
  }).pipe(Effect.provide(queueLayer));
