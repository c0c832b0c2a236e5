import { join } from "node:path";
import * as Effect from "effect/Effect";
import { changedRanges } from "../../src/diff/changedRanges.ts";
import type { CensusFile } from "../../src/git/changes.ts";
import type { PrConversation } from "../../src/pr/conversation.ts";
import { type Caller, type ChangedName, callersOf } from "../../src/precis/callers.ts";
import { type PrecisFacts, renderPrecis } from "../../src/precis/precis.ts";
import { precisText } from "../../src/precis/precisText.ts";
import { isTestPath, sharedByTests, testsByName } from "../../src/precis/relatedTests.ts";
import { changedDefinitions, changedSymbols, coChanged } from "../../src/precis/symbolsOf.ts";
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
const similarChunks = 60;
const similarTests = 3;
const testsReadForShared = 8;

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

/** Callers of the changed names outside the diff, surest first. */
const outsideCallers = (options: {
  readonly dir: string;
  readonly names: ReadonlyArray<ChangedName>;
  readonly changed: ReadonlySet<string>;
}) =>
  Effect.gen(function* () {
    const { dir, names, changed } = options;
    if (names.length === 0) return [];
    const index = yield* CodeIndex;
    const hits = yield* index.callers({ dir, names: names.map(({ name }) => name) });
    const paths = [...new Set(hits.map((hit) => hit.path))].filter((path) => !changed.has(path));
    return callersOf(names, yield* index.chunksOfPaths({ dir, paths }));
  });

/** Tests outside the diff: of the changed files, that call what changed, of the callers, and about the same. */
const relatedTests = (options: {
  readonly tree: ReadonlyArray<string>;
  readonly changed: ReadonlySet<string>;
  readonly callers: ReadonlyArray<Caller>;
  readonly similar: ReadonlyArray<string>;
}): ReadonlyArray<string> => {
  const { tree, changed, callers, similar } = options;
  const calling = callers.map(({ path }) => path);
  const tests = [
    ...testsByName(tree, [...changed]),
    ...calling.filter(isTestPath),
    ...testsByName(tree, calling),
    ...similar.filter(isTestPath).slice(0, similarTests),
  ];
  return [...new Set(tests)].filter((path) => !changed.has(path));
};

/** The tests, and behind each the cases and helpers of the tests that it imports. */
const withShared = (options: {
  readonly dir: string;
  readonly tree: ReadonlyArray<string>;
  readonly changed: ReadonlySet<string>;
  readonly tests: ReadonlyArray<string>;
}) =>
  Effect.gen(function* () {
    const { dir, tree, changed, tests } = options;
    const read = tests.slice(0, testsReadForShared);
    if (read.length === 0) return tests;
    const chunksOf = groupByPath(yield* (yield* CodeIndex).chunksOfPaths({ dir, paths: read }));
    const texts = read.map((path) => ({
      path,
      text: (chunksOf.get(path) ?? []).map(({ text }) => text).join("\n"),
    }));
    const shared = sharedByTests(tree, texts).filter((path) => !changed.has(path));
    return [...new Set([...read, ...shared, ...tests])];
  });

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
  readonly conversation: PrConversation;
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
    // What tests define is seldom called from elsewhere.
    const bySource = [...paths].sort((a, b) => Number(isTestPath(a)) - Number(isTestPath(b)));
    const names = bySource
      .flatMap((path) => changedDefinitions(chunksOf.get(path) ?? [], ranges.get(path) ?? []))
      .slice(0, maxCallerNames);
    const callers = yield* outsideCallers({ dir, names, changed });
    const words = [row.title ?? "", ...names.slice(0, 20).map(({ name }) => name)].join(" ").trim();
    const { source: similar, any: alike } =
      words === ""
        ? { source: [], any: [] }
        : yield* index.similar({ dir, text: words, source: 12, any: similarChunks });
    const commits = yield* git.log({ clone: options.clone, tip: options.mergeBase, max: coChangeCommits });
    const together = coChanged(commits, changed);
    const tree = yield* git.listTree({ clone: options.clone, sha: options.head });
    const meta = yield* index.meta(dir);
    const exclusionFacts: ExclusionFacts = {
      skipped: new Map(meta.skipped.map((entry) => [entry.path, entry.reason])),
      minified: new Set(chunks.filter((chunk) => chunk.kind === "stub").map((chunk) => chunk.path)),
    };
    const treePaths = tree.map((entry) => entry.path);
    const near = relatedTests({ tree: treePaths, changed, callers, similar: alike.map((hit) => hit.path) });
    const tests = yield* withShared({ dir, tree: treePaths, changed, tests: near });
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
      callers: callers.filter(({ path }) => !isTestPath(path)),
      tests,
      related: [...related].map(([path, why]) => ({ path, why })),
      conventions: options.docs
        .slice(0, 6)
        .map((doc) => ({ path: doc.path, file: `docs/${doc.file.split("/").at(-1) ?? ""}` })),
      supportingDocs: row.supporting_docs,
      conversation: options.conversation,
      notes: [...emptyNotes(census), ...options.notes],
    };
    const text = renderPrecis(facts, precisText);
    yield* writeFileDurably(join(reviewDir(options.folder), "precis.md"), Buffer.from(text), {});
  });
