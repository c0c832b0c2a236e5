import * as Effect from "effect/Effect";
import { Log } from "../../effects/log/Log.ts";
import { QueueStore } from "../../effects/store/QueueStore.ts";
import { terminalCell } from "../../src/text/sanitize.ts";
import { queueLayer } from "../layers/queue.ts";
import type { VerbModule } from "../verb.ts";

/** `pr-queue ready-to-merge`: approved rows and their links. Reads only; adk never merges. */
export const run: VerbModule["run"] = () =>
  Effect.gen(function* () {
    const log = yield* Log;
    const store = yield* QueueStore;
    const { queue, banner } = yield* store.readOrLastGood;
    if (banner !== null) yield* log.warn(banner);
    const approved = queue.prs.filter((row) => row.status === "approved");
    const lines = approved.map((row) => terminalCell(`${row.pr_url}  ${row.title ?? ""}`).trimEnd());
    return {
      json: {
        prs: approved.map(({ pr_url, title, author, head_sha, target_branch, last_reviewed_head_sha }) => ({
          pr_url,
          title,
          author,
          head_sha,
          target_branch,
          moved_since_review: last_reviewed_head_sha !== null && last_reviewed_head_sha !== head_sha,
        })),
      },
      text: lines.length === 0 ? "ready to merge: none" : lines.join("\n"),
    };
  }).pipe(Effect.provide(queueLayer));
