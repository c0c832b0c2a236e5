// warm.ts DIST: runs the light verbs of each bundle in this one process and leaves what V8 compiled as its code cache.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import * as Either from "effect/Either";
import { parse } from "../../cli/parse.ts";
import { cacheFileOf, compileBundle } from "../../cli/startup/codeCache.ts";
import { type BundleName, lightVerbs } from "../../cli/startup/lightVerbs.ts";
import type { LightBundle } from "../../cli/startup/start.ts";
import { emptyQueue, encodeQueue } from "../../src/queue/codec.ts";
import { newRow, type QueueRow, queueSchemaVersion } from "../../src/queue/row.ts";

const pr = "https://github.com/acme/shop/pull/1";

/** Calls whose code is worth keeping: the cache holds a function when one of them ran it. Each must end with 0. */
const calls: Readonly<Record<BundleName, ReadonlyArray<ReadonlyArray<string>>>> = {
  read: [
    ["pr-queue", "list"],
    ["pr-queue", "list", "--json"],
    ["pr-queue", "show", pr],
    ["pr-queue", "show", pr, "--json"],
    ["config", "path"],
    ["config", "show"],
    ["completion", "bash"],
    ["config", "set", "embed.provider", "builtin"],
    ["config", "show", "--json"],
  ],
  write: [
    ["pr-queue", "claim", pr, "--json"],
    ["pr-queue", "heartbeat", pr],
    ["pr-queue", "release", pr, "--status", "reviewed"],
    ["pr-queue", "set-status", pr, "pending"],
  ],
};

/** Prepared at its key and ready, so that it can be claimed. */
const row: QueueRow = {
  ...newRow({ pr_url: pr, platform: "github", host: "github.com", owner: "acme", repo: "shop", pr_number: 1 }),
  title: "Keep the cart",
  author: "ada",
  head_ref: "cart",
  head_sha: "a".repeat(40),
  target_branch: "main",
  merge_base: "b".repeat(40),
  state: "OPEN",
  last_checked_at: "2026-01-02T03:04:05Z",
  prep_status: "ready",
  prep_started_at: "2026-01-02T03:04:05Z",
  prep_completed_at: "2026-01-02T03:04:08Z",
  prep_head_sha: "a".repeat(40),
  prep_base_ref: "main",
  prep_merge_base: "b".repeat(40),
  actors: { prep: { version: 1, seq: 2, value: "ready", pending: [] } },
};

const writeQueue = (home: string): void => {
  const queue = { schema_version: queueSchemaVersion, rev: 1, prs: [row] };
  const { bytes } = Either.getOrThrowWith(encodeQueue(emptyQueue, queue), ({ message }) => new Error(message));
  mkdirSync(join(home, "config"), { recursive: true, mode: 0o700 });
  writeFileSync(join(home, "config", "pr-queue.json5"), bytes, { mode: 0o600 });
};

/** Runs one call; of a claim, gives the environment that proves it. */
const run = async ({ runVerb, verbs }: LightBundle, argv: ReadonlyArray<string>, env: NodeJS.ProcessEnv) => {
  const call = parse(argv, env);
  if (call.kind !== "run") throw new Error(`adk ${argv.join(" ")} is not understood`);
  const { spec, input } = call;
  const module = verbs[spec.path.join(" ")];
  const ending = await runVerb(module === undefined ? spec : { ...spec, load: async () => module }, input);
  if (ending.exitCode !== 0) throw new Error(`adk ${argv.join(" ")}: ${ending.stderr.trim()}`);
  if (spec.path.at(-1) !== "claim") return {};
  const { run_id, token } = JSON.parse(ending.stdout) as { readonly run_id: string; readonly token: string };
  return { ADK_RUN_ID: run_id, ADK_CLAIM_TOKEN: token };
};

const warm = async (dist: string, name: BundleName, home: string): Promise<void> => {
  const file = join(dist, `${name}.cjs`);
  const compiled = compileBundle(file);
  const bundle = compiled.evaluate(createRequire(file)) as LightBundle;
  let env: NodeJS.ProcessEnv = { ADK_DATA_HOME: home };
  for (const argv of calls[name]) env = { ...env, ...(await run(bundle, argv, env)) };
  writeFileSync(cacheFileOf(file), compiled.cacheBytes());
};

const [, , folder = ""] = process.argv;
const home = mkdtempSync(join(tmpdir(), "adk-warm-"));
try {
  writeQueue(home);
  for (const name of Object.keys(lightVerbs) as ReadonlyArray<BundleName>) await warm(resolve(folder), name, home);
} finally {
  rmSync(home, { recursive: true, force: true });
}
