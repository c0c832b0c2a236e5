import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { homePaths } from "../effects/home/Home.ts";
import { branchDir, codeIndexDir } from "../effects/home/layout.ts";
import { layer } from "../effects/index/CodeIndex.ts";
import { type Evaluation, evaluateIndex } from "../effects/index/evaluate.ts";
import { precisMaxChars } from "../src/precis/precis.ts";
import type { Bench, Section } from "./Bench.ts";
import { atLeast, atMost, type BenchRow, figure } from "./BenchRow.ts";
import { identifierSearch } from "./identifierSearch.ts";
import { runAdk } from "./program.ts";
import { type LabelledPlace, type RequestLabel, retrievalLabels } from "./retrievalLabels.ts";
import { type RetrievalRepository, retrievalRepository } from "./retrievalRepository.ts";
import { measureSymbols, precision, recall } from "./retrievalSymbols.ts";

const name = "retrieval";

const localisation = (what: string, found: Evaluation): ReadonlyArray<BenchRow> =>
  (["mrr", "recall_at_10"] as const).map((measure) => {
    const others = Math.max(found.text[measure], found.vector[measure]);
    return atLeast(Number(others.toFixed(3)), {
      name: `${what}, ${measure === "mrr" ? "MRR" : "recall@10"} of hybrid`,
      value: found.hybrid[measure],
      unit: "",
      note: `BM25 ${found.text[measure].toFixed(3)}, vector ${found.vector[measure].toFixed(3)}, ${found.commits} commits`,
    });
  });

/** Beside what whole-word search for the message's identifiers finds; the files that the index holds count on both sides. */
const againstGrep = (repository: RetrievalRepository, dir: string, found: Evaluation): ReadonlyArray<BenchRow> => {
  const lines = readFileSync(join(dir, "chunks.jsonl"), "utf8").split("\n");
  const paths = lines.flatMap((line) => (line === "" ? [] : [(JSON.parse(line) as { readonly path: string }).path]));
  const grep = identifierSearch({
    repository: repository.dir,
    branch: "before",
    commits: repository.later,
    indexed: new Set(paths),
  });
  if (grep.queries !== found.commits)
    throw new Error(`${grep.queries} commits were grepped, ${found.commits} searched`);
  return (["mrr", "recall_at_10"] as const).map((measure) =>
    atLeast(Number(grep[measure].toFixed(3)), {
      name: `later commits, ${measure === "mrr" ? "MRR" : "recall@10"} of hybrid against grep`,
      value: found.hybrid[measure],
      unit: "",
      note: `identifiers of the message by git grep: ${grep[measure].toFixed(3)}`,
    }),
  );
};

const listed = (what: string, places: ReadonlyArray<string>): void => {
  for (const place of places) process.stderr.write(`  ${what}: ${place}\n`);
};

/** What a precis says, beside what was written down. Callers count by file and line, within three lines. */
const precisRows = (text: string, label: RequestLabel): ReadonlyArray<BenchRow> => {
  const changes = /## What changed\n([\s\S]*?)(?=\n## |$)/.exec(text)?.[1] ?? "";
  const named = [...text.matchAll(/^- `([^`\n]+):(\d+)`/gm)].map((match) => ({
    path: match[1],
    line: Number(match[2]),
  }));
  const isNamed = ({ path, lines }: LabelledPlace): boolean =>
    named.some((one) => one.path === path && lines.some((line) => Math.abs(line - one.line) <= 3));
  const missing = [
    ...label.symbols.filter((symbol) => !new RegExp(`[\`.]${symbol}\``).test(changes)),
    ...label.callers.filter((place) => !isNamed(place)).map(({ path, lines }) => `${path}:${lines.join(",")}`),
    ...label.tests.filter((path) => !text.includes(`\`${path}\``)),
  ];
  const all = label.symbols.length + label.callers.length + label.tests.length;
  listed("not in the precis", missing);
  const what = `precis of ${label.head.slice(0, 8)}`;
  return [
    figure({ name: `${what}, named`, value: all - missing.length, unit: `of ${all}` }),
    atMost(precisMaxChars, { name: `${what}, length`, value: text.length, unit: "characters" }),
  ];
};

const requestRows = async (
  bench: Bench,
  home: string,
  repository: RetrievalRepository,
): Promise<ReadonlyArray<BenchRow>> => {
  const rows: BenchRow[] = [];
  for (const { label, head, base } of repository.requests) {
    const where = ["--local", repository.dir, "--head", head, "--base", base];
    const added = await runAdk(bench, ["pr-queue", "add", ...where, "--json"], { home });
    const url = /"pr_url":\s*"([^"]+)"/.exec(added.stdout)?.[1] ?? "";
    const { stdout } = await runAdk(bench, ["pr-task", "prepare", url, "--json"], { home });
    const folder = /"(?:dir|folder|task_dir|path)":\s*"([^"]+)"/.exec(stdout)?.[1];
    if (folder === undefined) throw new Error(`adk pr-task prepare gave no folder: ${stdout}`);
    rows.push(...precisRows(readFileSync(join(folder, "pr-review/precis.md"), "utf8"), label));
  }
  return rows;
};

/** What searches, symbol lookups and precis of a real repository find; nothing without `--repo` (docs/internals/retrieval.md). */
export const retrieval: Section = async (bench) => {
  if (bench.repo === null) return [];
  const { symbols, requests } = retrievalLabels(bench.root);
  const dir = join(bench.folder, "retrieval.git");
  const wanted = { labelled: symbols.commit, requests: requests.requests };
  const repository = retrievalRepository({ dir, source: bench.repo, ...wanted });
  const home = join(bench.folder, "retrieval");
  const branches = ["before", ...(repository.labelled ? ["labels"] : [])];
  const flags = branches.flatMap((branch) => ["--branch", branch]);
  await runAdk(bench, ["repo", "add", dir, "--name", name, ...flags], { home });
  const paths = homePaths({ env: { ADK_DATA_HOME: home } });
  const indexOf = (branch: string): string => codeIndexDir(branchDir(paths, name, branch));
  const index = layer({ provider: "builtin", model: null, ollamaHost: null, cacheDir: join(home, "cache/embeddings") });
  const later = evaluateIndex({ dir: indexOf("before"), commits: repository.later });
  const found = await Effect.runPromise(Effect.provide(later, index));
  const rows = [...localisation("later commits", found), ...againstGrep(repository, indexOf("before"), found)];
  const own = await runAdk(bench, ["index", "eval", "--repo", name, "-n", "200", "--json"], { home });
  rows.push(...localisation("own commits", JSON.parse(own.stdout) as Evaluation));
  if (repository.labelled) {
    const lookups = measureSymbols({ dir: indexOf("labels"), labels: symbols });
    const { definitions, callers } = await Effect.runPromise(Effect.provide(lookups, index));
    listed("definition missed", definitions.missed);
    listed("definition wrong", definitions.wrong);
    listed("caller missed", callers.missed);
    listed("caller wrong", callers.wrong);
    rows.push(
      atLeast(0.95, { name: "definitions, recall", value: recall(definitions), unit: "" }),
      figure({ name: "definitions, precision", value: precision(definitions), unit: "" }),
      atLeast(0.8, { name: "callers, recall", value: recall(callers), unit: "" }),
      atLeast(0.8, { name: "callers, precision", value: precision(callers), unit: "" }),
    );
  }
  return [...rows, ...(await requestRows(bench, home, repository))];
};
