import { existsSync } from "node:fs";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { Home } from "../../effects/home/Home.ts";
import { codeIndexDir, docsDir, reviewDir, taskDir, worktreeDir } from "../../effects/home/layout.ts";
import { readTaskState } from "../../effects/prepare/taskState.ts";
import { terminalText } from "../../src/text/sanitize.ts";
import { queueEngineLayer } from "../layers/queueEngine.ts";
import type { VerbModule } from "../verb.ts";
import { namedRow, onePr } from "./prQueueInput.ts";

/** Where a PR's task folder is and what is in it. Works for PRs that are not queued. */
export const run: VerbModule["run"] = (input) =>
  Effect.gen(function* () {
    const home = yield* Home;
    const pr = yield* taskIdentity(input);
    const folder = taskDir(home, pr);
    const state = yield* readTaskState(folder);
    const review = reviewDir(folder);
    const has = (name: string): boolean => existsSync(join(review, name));
    const document = {
      pr_url: pr.pr_url,
      task_dir: folder,
      exists: existsSync(folder),
      prepared: state !== null,
      head_sha: state?.head_sha ?? null,
      base_ref: state?.base_ref ?? null,
      merge_base: state?.merge_base ?? null,
      used_base: state?.used_base ?? null,
      prepared_at: state?.prepared_at ?? null,
      notes: state?.notes ?? [],
      paths: {
        code: worktreeDir(folder),
        code_index: codeIndexDir(folder),
        docs: docsDir(folder),
        review,
        precis: join(review, "precis.md"),
        diff: join(review, "diff.patch"),
      },
      has_precis: has("precis.md"),
      has_diff: has("diff.patch"),
      has_findings: has("findings.json"),
    };
    const text = document.prepared
      ? [
          `${pr.pr_url}: prepared at ${document.head_sha?.slice(0, 12) ?? "-"} (${document.prepared_at ?? "-"})`,
          `  seeded from ${state?.used_base === null || state === null ? "nothing" : `${state.used_base.branch} at ${state.used_base.sha.slice(0, 12)}`}`,
          `  precis ${document.paths.precis}`,
          `  diff   ${document.paths.diff}`,
          `  code   ${document.paths.code}`,
          ...document.notes.map((note) => `  note: ${note}`),
        ].join("\n")
      : `${pr.pr_url}: not prepared — run: adk pr-task prepare ${pr.pr_url}`;
    return { json: document, text: terminalText(text) };
  }).pipe(Effect.provide(queueEngineLayer));

const taskIdentity = (input: Parameters<VerbModule["run"]>[0]) =>
  Effect.gen(function* () {
    const pr = yield* onePr(input);
    if (pr.platform !== "local") return pr;
    return yield* namedRow(input);
  });
