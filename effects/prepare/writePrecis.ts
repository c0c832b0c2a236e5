import { join } from "node:path";
import * as Effect from "effect/Effect";
import { changedRanges } from "../../src/diff/changedRanges.ts";
import type { CensusFile } from "../../src/git/changes.ts";
import { type PrecisFacts, renderPrecis } from "../../src/precis/precis.ts";
import { precisText } from "../../src/precis/precisText.ts";
import { changedDefinitions, changedSymbols, coChanged, isTestPath, testsByName } from "../../src/precis/symbolsOf.ts";
import type { QueueRow } from "../../src/queue/row.ts";
import type { RepoMeta } from "../../src/repo/repoMeta.ts";
import { Git } from "../git/Git.ts";
import { codeIndexDir, reviewDir } from "../home/layout.ts";
import { CodeIndex } from "../index/CodeIndex.ts";
import { writeFileDurably } from "../store/durableFile.ts";

const agentFile =
  /(^|\/)(claude\.md|agents\.md|gemini\.md|\.claude|\.mcp\.json|\.cursor[^/]*|\.codex|\.gemini|\.husky)(\/|$)/i;

const maxCallerNames = 40;
const coChangeCommits = 400;

const groupByPath = <Chunk extends { readonly path: string }>(chunks: ReadonlyArray<Chunk>) => {
  const groups = new Map<string, Array<Chunk>>();
  for (const chunk of chunks) {
    const group = groups.get(chunk.path);
    if (group === undefined) groups.set(chunk.path, [chunk]);
    else group.push(chunk);
  }
  return groups;
};

/** Why a file is not reviewed line by line; null when it is. A minified file is indexed as one stub, so by name only. */
const exclusion = (file: CensusFile, facts: ExclusionFacts): string | null => {
  if (file.status === "D") return "deleted";
  if (file.kind !== "text") return file.kind === "modeOnly" ? "only its mode changed" : file.kind;
  return facts.skipped.get(file.path) ?? (facts.minified.has(file.path) ? "minified" : null);
};

/** What the reviewer of a change without a single line is told first; nothing for any other. */
const emptyNotes = (census: ReadonlyArray<CensusFile>): ReadonlyArray<string> => {
  if (census.length === 0) return ["nothing to review: no file differs from the merge base"];
  return census.every((file) => file.kind === "modeOnly")
    ? ["nothing to review line by line: only modes of files changed"]
    : [];
};

interface ExclusionFacts {
  /** Path → reason, of what the index left out. */
  readonly skipped: ReadonlyMap<string, string>;
  readonly minified: ReadonlySet<string>;
}

/** Which of the names the snippet shows a use of; a cut snippet may show none. */
const calledIn = (snippet: string, names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const words = new Set(snippet.match(/[\p{L}\p{N}_$]+/gu) ?? []);
  return names.filter((name) => words.has(name.split(/[.:#]/).at(-1) ?? name));
};

/**
 * Gathers what precis.md says about a prepared PR and writes it. Uses the PR's own index, so it runs after the index
 * stands; everything from the PR is neutralised by `renderPrecis`.
 */
export const writePrecis = (options: {
  readonly row: QueueRow;
  readonly repo: RepoMeta;
  readonly clone: string;
  readonly folder: string;
  readonly head: string;
  readonly mergeBase: string;
  readonly target: string;
  readonly census: ReadonlyArray<CensusFile>;
  readonly patch: Uint8Array;
  readonly body: string | null;
  readonly docs: ReadonlyArray<{ readonly path: string; readonly file: string }>;
  readonly notes: ReadonlyArray<string>;
}) =>
  Effect.gen(function* () {
    const git = yield* Git;
    const index = yield* CodeIndex;
    const dir = codeIndexDir(options.folder);
    const { row, census } = options;
    const paths = census.map((file) => file.path);
    const changed = new Set(paths);
    const ranges = changedRanges(Buffer.from(options.patch).toString("utf8"));
    const chunks = yield* index.chunksOfPaths({ dir, paths });
    const chunksOf = groupByPath(chunks);
    const names = paths.flatMap((path) => changedDefinitions(chunksOf.get(path) ?? [], ranges.get(path) ?? []));
    const called = [...new Set(names)].slice(0, maxCallerNames);
    const callers = called.length === 0 ? [] : yield* index.callers({ dir, names: called });
    const outside = callers.filter((hit) => !changed.has(hit.path));
    const words = [row.title ?? "", ...names.slice(0, 20)].join(" ").trim();
    const similar = words === "" ? [] : yield* index.query({ dir, text: words, k: 12, mode: "hybrid" });
    const commits = yield* git.log({ clone: options.clone, tip: options.mergeBase, max: coChangeCommits });
    const together = coChanged(commits, changed);
    const tree = yield* git.listTree({ clone: options.clone, sha: options.head });
    const meta = yield* index.meta(dir);
    const exclusionFacts: ExclusionFacts = {
      skipped: new Map(meta.skipped.map((entry) => [entry.path, entry.reason])),
      minified: new Set(chunks.filter((chunk) => chunk.kind === "stub").map((chunk) => chunk.path)),
    };
    const tests = [
      ...testsByName(
        tree.map((entry) => entry.path),
        paths,
      ),
      ...outside.filter((hit) => isTestPath(hit.path)).map((hit) => hit.path),
    ].filter((path) => !changed.has(path));
    const related = new Map<string, string>();
    for (const { path, times } of together.slice(0, 5)) related.set(path, `changed together ${times} times`);
    for (const hit of similar) {
      if (related.size < 10 && !changed.has(hit.path) && !related.has(hit.path))
        related.set(hit.path, "similar by index");
    }
    const facts: PrecisFacts = {
      pr: {
        url: row.pr_url,
        name: row.platform === "local" ? row.pr_url : `${row.owner}/${row.repo}#${row.pr_number}`,
        title: row.title,
        author: row.author,
        body: options.body,
        head: options.head,
        headRef: row.head_ref,
        target: options.target,
        mergeBase: options.mergeBase,
        additions: census.reduce((sum, file) => sum + (file.additions ?? 0), 0),
        deletions: census.reduce((sum, file) => sum + (file.deletions ?? 0), 0),
        files: census.length,
        isDraft: row.is_draft,
      },
      changes: census.map((file) => ({
        path: file.path,
        status: file.status,
        additions: file.additions,
        deletions: file.deletions,
        symbols: changedSymbols(chunksOf.get(file.path) ?? [], ranges.get(file.path) ?? []),
      })),
      excluded: census.flatMap((file) => {
        const reason = exclusion(file, exclusionFacts);
        return reason === null ? [] : [{ path: file.path, reason }];
      }),
      agentFiles: paths.filter((path) => agentFile.test(path)),
      callers: outside
        .filter((hit) => !isTestPath(hit.path))
        .map((hit) => ({
          path: hit.path,
          line: hit.line_start,
          symbol: hit.symbol,
          calls: calledIn(hit.snippet, called),
        })),
      tests: [...new Set(tests)],
      related: [...related].map(([path, why]) => ({ path, why })),
      conventions: options.docs
        .slice(0, 6)
        .map((doc) => ({ path: doc.path, file: `docs/${doc.file.split("/").at(-1) ?? ""}` })),
      supportingDocs: row.supporting_docs,
      notes: [...emptyNotes(census), ...options.notes],
    };
    const text = renderPrecis(facts, precisText);
    yield* writeFileDurably(join(reviewDir(options.folder), "precis.md"), Buffer.from(text), {});
  });
