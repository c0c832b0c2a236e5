import * as Effect from "effect/Effect";
import { Git } from "../../effects/git/Git.ts";
import { Home } from "../../effects/home/Home.ts";
import { cloneDir } from "../../effects/home/layout.ts";
import { CodeIndex } from "../../effects/index/CodeIndex.ts";
import { evaluateIndex } from "../../effects/index/evaluate.ts";
import { Refused } from "../../src/errors.ts";
import { counted } from "../../src/text/counted.ts";
import { indexTarget } from "../indexTarget.ts";
import { workLayer } from "../layers/work.ts";
import { plainTable } from "../plainTable.ts";
import type { VerbModule } from "../verb.ts";
import { indexFacts } from "./indexText.ts";

/** A commit that touches many files says little about any of them. */
const maxFiles = 10;
/** Commits looked at for each one wanted: merges, sweeping commits and empty subjects fall out. */
const lookAhead = 6;

const percent = (value: number): string => value.toFixed(3);

/** Finds the files of the repository's own commits from their subjects: MRR and recall at 10, by way of searching. */
export const run: VerbModule["run"] = (input) =>
  Effect.gen(function* () {
    const home = yield* Home;
    const git = yield* Git;
    const index = yield* CodeIndex;
    const target = yield* indexTarget(input);
    const meta = yield* index.meta(target.dir);
    const wanted = input.flags.int("n") ?? 100;
    const history = yield* git.log({ clone: cloneDir(home, target.repo), tip: meta.head_sha, max: wanted * lookAhead });
    const commits = history
      .filter((commit) => commit.parents.length <= 1 && commit.files.length > 0 && commit.files.length <= maxFiles)
      .filter((commit) => commit.subject.trim().split(/\s+/).length >= 2)
      .slice(0, wanted);
    const scores = yield* evaluateIndex({ dir: target.dir, commits });
    if (scores.commits === 0) {
      return yield* new Refused({
        message: "no commit of this history says anything about a file that the index holds",
        hint: "try a repository with more history",
      });
    }
    const rows = (["hybrid", "vector", "text"] as const).map((mode) => [
      mode,
      percent(scores[mode].mrr),
      percent(scores[mode].recall_at_10),
    ]);
    return {
      json: { index: indexFacts(target, meta), ...scores },
      text: `${plainTable([["mode", "MRR", "recall@10"], ...rows])}\n${counted(scores.commits, "commit")}, ${meta.provider} ${meta.model}`,
    };
  }).pipe(Effect.provide(workLayer(input.env)));
