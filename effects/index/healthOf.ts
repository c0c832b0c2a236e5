import { stat } from "node:fs/promises";
import * as Effect from "effect/Effect";
import { foreignReason } from "../../src/index/identity.ts";
import type { IndexHealth, IndexMeta } from "../../src/index/types.ts";
import type { Embedder } from "./Embedder.ts";
import type { UnsupportedCpu } from "./errors.ts";
import { chunksFile, readMeta } from "./indexFiles.ts";
import { lanceCall, openTable } from "./lance.ts";

const counts = (dir: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const table = yield* openTable(dir);
      const rows = yield* lanceCall(dir, "its rows cannot be counted", () => table.countRows());
      const text = yield* lanceCall(dir, "its text index cannot be read", async () => {
        const name = (await table.listIndices()).find(({ columns }) => columns.includes("fts"))?.name;
        return name === undefined ? undefined : table.indexStats(name);
      });
      const lines = yield* lanceCall(dir, "chunks.jsonl cannot be read", () => stat(chunksFile(dir)));
      return { rows, text_rows: text?.numIndexedRows ?? 0, unindexed: text?.numUnindexedRows ?? 0, bytes: lines.size };
    }),
  );

const describe = (meta: IndexMeta | null) => ({
  provider: meta?.provider ?? null,
  model: meta?.model ?? null,
  dim: meta?.dim ?? null,
  head_sha: meta?.head_sha ?? null,
});

/** The state of an index folder; never fails for what is wrong with the folder. `headSha`: the commit it should stand at. */
export const healthOf = (
  embedder: Embedder,
  options: { readonly dir: string; readonly headSha?: string },
): Effect.Effect<IndexHealth, UnsupportedCpu> =>
  Effect.gen(function* () {
    const { dir } = options;
    const nothing = { rows: 0, text_rows: 0, ...describe(null) };
    const read = yield* Effect.either(readMeta(dir));
    if (read._tag === "Left") {
      const status = read.left._tag === "IndexMissing" ? "missing" : "broken";
      return { status, ...nothing, issues: [read.left.message] } as const;
    }
    const meta = read.right;
    const counted = yield* Effect.either(
      Effect.catchTag(counts(dir), "IndexBroken", (error) => Effect.succeed(error.message)),
    );
    if (counted._tag === "Left") return yield* counted.left;
    const found = counted.right;
    if (typeof found === "string") return { status: "broken", ...nothing, ...describe(meta), issues: [found] } as const;
    const broken: string[] = [];
    if (meta.updating === true) broken.push("its last change was interrupted");
    if (found.rows !== meta.rows) broken.push(`meta.json says ${meta.rows} rows, the table has ${found.rows}`);
    if (found.rows > 0 && (found.text_rows < found.rows || found.unindexed > 0))
      broken.push(`the text index holds ${found.text_rows} of ${found.rows} rows`);
    if (found.rows > 0 !== found.bytes > 0) broken.push("chunks.jsonl does not agree with the table");
    const stale: string[] = [];
    const identity = yield* Effect.option(embedder.identity);
    const foreign = identity._tag === "Some" ? foreignReason(meta, identity.value) : null;
    if (foreign !== null) stale.push(`it ${foreign}`);
    if (options.headSha !== undefined && options.headSha !== meta.head_sha)
      stale.push(`it stands at ${meta.head_sha.slice(0, 12)}, not at ${options.headSha.slice(0, 12)}`);
    const status = broken.length > 0 ? "broken" : stale.length > 0 ? "stale" : "ok";
    const { rows, text_rows } = found;
    return { status, rows, text_rows, ...describe(meta), issues: [...broken, ...stale] } as const;
  });
