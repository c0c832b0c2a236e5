import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { QueueRow } from "../../../src/queue/row.ts";
import type { CliOver } from "./world.ts";

type Fields = Readonly<Record<string, unknown>>;

/** An object without its times and its machine's own bookkeeping, which differ from run to run. */
const lasting = (value: object): Fields =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !/_at$|^actors?$|^seconds$/.test(name)));

/** Content of a task's index: every chunk, and what the table says of itself. */
const indexOf = (folder: string) => {
  const lines = readFileSync(join(folder, "code-index", "chunks.jsonl"), "utf8")
    .trimEnd()
    .split("\n");
  const meta = JSON.parse(readFileSync(join(folder, "code-index", "meta.json"), "utf8")) as Fields;
  return { rows: meta.rows, head_sha: meta.head_sha, chunks: lines.sort() };
};

const taskOf = (cli: CliOver, row: QueueRow) => {
  const folder = cli.taskFolder(row);
  if (!existsSync(join(folder, "pr-review", "state.json"))) return { files: [], index: null, precis: null };
  const read = (name: string): string => readFileSync(join(folder, "pr-review", name), "utf8");
  return {
    files: readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => !/^code-index\/(chunks\.lance|__manifest)|^code\/\.git/.test(name))
      .sort(),
    index: indexOf(folder),
    precis: read("precis.md"),
    diff: read("diff.patch"),
    state: lasting(JSON.parse(read("state.json")) as object),
  };
};

/** All that a sync leaves behind and that must not depend on how often it was killed. */
export const endState = (cli: CliOver) => {
  const repos = join(cli.data, "repos");
  const bases = readdirSync(repos).flatMap((repo) =>
    readdirSync(join(repos, repo))
      .filter((name) => name.startsWith("branch-"))
      .map((name) => {
        const folder = join(repos, repo, name);
        const meta = JSON.parse(readFileSync(join(folder, "branch-meta.json"), "utf8")) as object;
        return { repo, meta: lasting(meta), index: indexOf(folder), files: readdirSync(folder).sort() };
      }),
  );
  const rows = cli.rows();
  return { rows: rows.map(lasting), bases, tasks: rows.map((row) => taskOf(cli, row)) };
};

/** What must never be left behind, whatever ended: half-made folders, temp files, rows and bases at work. */
export const leftovers = (cli: CliOver): ReadonlyArray<string> => {
  const files = readdirSync(cli.data, { recursive: true, encoding: "utf8" });
  const half = files.filter((name) =>
    /\.(tmp|next|old|fresh)$|\.building|\.removing-/.test(name.split("/").at(-1) ?? ""),
  );
  const rows = cli.rows().filter((row) => row.prep_status === "preparing" || row.prep_status === "waiting_for_base");
  return [...half, ...rows.map((row) => `${row.pr_url} is ${row.prep_status}`)];
};
