import { readFileSync } from "node:fs";
import { join } from "node:path";
import { homePaths } from "../effects/home/Home.ts";
import { branchDir, cloneDir, codeIndexDir } from "../effects/home/layout.ts";
import type { IndexMeta } from "../src/index/types.ts";
import type { Bench } from "./Bench.ts";
import { benchRepository } from "./benchRepository.ts";
import type { BenchChange } from "./changeRequests.ts";
import { type Ended, runAdk } from "./program.ts";

const repoName = "bench";

/** meta.json of an index folder. */
export const indexMeta = (dir: string): IndexMeta => JSON.parse(readFileSync(join(dir, "meta.json"), "utf8"));

/** A data home that has the bench repository indexed at main, and what its first indexing took. */
export interface IndexedHome {
  readonly home: string;
  readonly clone: string;
  readonly base: string;
  readonly added: Ended;
}

let indexed: Promise<IndexedHome> | null = null;

/** Made by `adk repo add` at first use. */
export const indexedHome = (bench: Bench): Promise<IndexedHome> => {
  const make = async (): Promise<IndexedHome> => {
    const home = join(bench.folder, "indexed");
    const added = await runAdk(bench, ["repo", "add", benchRepository(bench).dir, "--name", repoName], { home });
    const paths = homePaths({ env: { ADK_DATA_HOME: home } });
    return {
      home,
      added,
      clone: cloneDir(paths, repoName),
      base: codeIndexDir(branchDir(paths, repoName, "main")),
    };
  };
  indexed ??= make();
  return indexed;
};

/** Queues change requests of the bench repository; gives their URLs, in order. */
export const addChanges = async (
  bench: Bench,
  home: string,
  changes: ReadonlyArray<BenchChange>,
): Promise<ReadonlyArray<string>> => {
  const urls: string[] = [];
  for (const { head, base } of changes) {
    const args = ["pr-queue", "add", "--local", benchRepository(bench).dir, "--head", head, "--base", base, "--json"];
    const { stdout } = await runAdk(bench, args, { home });
    const url = /"pr_url":\s*"([^"]+)"/.exec(stdout)?.[1];
    if (url === undefined) throw new Error(`adk pr-queue add gave no pr_url: ${stdout}`);
    urls.push(url);
  }
  return urls;
};
