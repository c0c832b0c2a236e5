import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import * as Stream from "effect/Stream";
import { describe, expect, it } from "vitest";
import { CodeIndex } from "../../effects/index/CodeIndex.ts";
import { builtinIndex, shortHash, tableRows, tenBest } from "../../fixtures/index/indexContents.ts";
import type { BlobReader, ChunkRow, TreeChange } from "../../src/index/types.ts";
import { temporaryFolder } from "../effects/index/memoryTree.ts";
import { blobsOf, diffBetween, treeAt } from "./gitTree.ts";
import { type History, randomHistory } from "./randomHistory.ts";

const long = process.env.ADK_TEST_LONG === "1";
const histories = Number(process.env.ADK_TEST_HISTORIES ?? (long ? 200 : 25));
const folder = temporaryFolder();
const run = <A, E>(work: (index: CodeIndex["Type"]) => Effect.Effect<A, E>): Promise<A> =>
  Effect.runPromise(Effect.provide(Effect.flatMap(CodeIndex, work), builtinIndex));
const indexOptions = { maxFileKb: 4, exclude: ["docs/secret*"] };

const words =
  "cart price user login token stream parse render queue retry cache index commit branch merge order stock mail".split(
    " ",
  );
const queries = Array.from({ length: 20 }, (_, i) => {
  const [a, b, c] = [words[i % 18], words[(i * 7 + 3) % 18], words[(i * 5 + 1) % 18]];
  return i % 3 === 0 ? `${a}` : i % 3 === 1 ? `${a}${b?.toUpperCase()} test` : `the ${a} of ${b} and ${c}`;
});

const names = (list: ReadonlyArray<string>): string => (list.length === 0 ? "" : ` ${list.join(" ")} `);
const lineKey = (row: ChunkRow): string =>
  JSON.stringify([
    row.path,
    row.line_start,
    row.line_end,
    row.symbol,
    row.kind,
    row.lang,
    row.oid,
    row.id,
    names(row.defs),
    names(row.calls),
    shortHash(row.text),
  ]);
const withoutVectors = (row: string): string => JSON.stringify((JSON.parse(row) as unknown[]).slice(0, 11));

const answers = (dir: string) => tenBest(dir, queries);

const seedAt = async (options: {
  history: History;
  base: string;
  to: string;
  blobs: BlobReader;
  changes: ReadonlyArray<TreeChange>;
}) => {
  const { history, base, to, blobs, changes } = options;
  await run((index) =>
    Effect.zipRight(
      index.seed({ from: base, to, headSha: history.indexed }),
      index.overlay({ dir: to, changes, blobs, headSha: history.head, indexOptions }),
    ),
  );
};

const prepare = async (seed: number) => {
  const place = join(folder, `history-${seed}`);
  mkdirSync(place);
  const history = randomHistory(place, seed);
  const blobs = blobsOf(history.repo);
  const [base, full, to] = ["base", "full", "seed"].map((name) => join(place, name)) as [string, string, string];
  const build = (dir: string, sha: string) =>
    run((index) =>
      index.build({ dir, entries: treeAt(history.repo, sha), blobs, headSha: sha, indexOptions, threads: 0 }),
    );
  await build(base, history.indexed);
  await build(full, history.head);
  return { place, history, blobs, base, full, to };
};

describe("a seeded index", () => {
  it(`equals a full index at the head, over ${histories} random histories`, async () => {
    for (let seed = 1; seed <= histories; seed++) {
      const { place, history, blobs, base, full, to } = await prepare(seed);
      expect(history.commits).toBeGreaterThanOrEqual(20);
      const changes = diffBetween(history.repo, { from: history.indexed, to: history.head });
      await seedAt({ history, base, to, blobs, changes });
      const rows = await tableRows(to);
      expect(rows, `history ${seed}`).toEqual(await tableRows(full));
      const lines = await run((index) =>
        Effect.map(Stream.runCollect(index.rows(to)), (chunk) => [...chunk].map(lineKey)),
      );
      expect(lines.sort(), `history ${seed}`).toEqual(rows.map(withoutVectors).sort());
      const [seeded, whole] = [await run((index) => index.meta(to)), await run((index) => index.meta(full))];
      expect({ rows: seeded.rows, skipped: seeded.skipped }, `history ${seed}`).toEqual({
        rows: whole.rows,
        skipped: whole.skipped,
      });
      const expected = await answers(full);
      // A history may end with hardly any file; the others must have something to compare.
      const answered = expected.filter((hits) => hits.length >= 5).length;
      if (whole.rows >= 20) expect(answered, `history ${seed}`).toBeGreaterThan(15);
      expect(await answers(to), `history ${seed}`).toEqual(expected);
      if (seed % 5 === 0) {
        await run((index) => index.refresh({ dir: base, changes, blobs, headSha: history.head, indexOptions }));
        expect(await tableRows(base), `history ${seed}, refreshed`).toEqual(rows);
        expect(await answers(base), `history ${seed}, refreshed`).toEqual(expected);
      }
      rmSync(place, { recursive: true, force: true });
    }
  }, 1_800_000);

  // Each of these is a way to get it wrong; the comparison above must be able to see it.
  it.each([
    [
      "renames are detected",
      (history: History) => diffBetween(history.repo, { from: history.indexed, to: history.head, renames: true }),
    ],
    [
      "deletions are left out",
      (history: History) =>
        diffBetween(history.repo, { from: history.indexed, to: history.head }).filter(({ status }) => status !== "D"),
    ],
    [
      "the diff starts at the merge base",
      (history: History) => diffBetween(history.repo, { from: history.mergeBase, to: history.head }),
    ],
  ])("differs when %s", async (what, wrong) => {
    let different = 0;
    for (let seed = 1; seed <= 6; seed++) {
      const { place, history, blobs, base, full, to } = await prepare(1000 + seed);
      await seedAt({ history, base, to, blobs, changes: wrong(history) });
      if (JSON.stringify(await tableRows(to)) !== JSON.stringify(await tableRows(full))) different += 1;
      rmSync(place, { recursive: true, force: true });
    }
    expect(different, what).toBeGreaterThan(0);
  });
});
