import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CliHome, cliHome } from "../cli/support/queueHome.ts";
import { readyRow } from "../effects/queue/support/rows.ts";

const long = process.env.ADK_TEST_LONG === "1";
const kinds = ["ENOSPC", "EIO", "EDQUOT", "short"] as const;
let home: CliHome;
beforeEach(() => {
  home = cliHome();
});
afterEach(() => home.remove());

interface Verb {
  readonly args: ReadonlyArray<string>;
  /** The file that the verb changes, below the data home. */
  readonly file: string;
  readonly before: string;
  /** Whether the file says what the verb was told, in whole. */
  readonly isNew: (text: string) => boolean;
}

const baseMeta = {
  schema_version: 1,
  branch: "main",
  slug: "main",
  last_indexed_sha: "a".repeat(40),
  last_indexed_at: "2026-01-01T08:00:00Z",
  provider: "builtin",
  embed_model: "static",
  dim: 256,
  chunker_version: 1,
  chunks: 1,
  created_by: "auto",
  created_at: "2026-01-01T08:00:00Z",
  auto_reason: "2 open PRs",
  last_used_at: null,
  state: "fresh",
};

const repoMeta = {
  schema_version: 1,
  name: "shop",
  platform: "github",
  host: "github.com",
  owner: "acme",
  repo: "shop",
  url: "https://github.com/acme/shop.git",
  default_branch: "main",
  tracked_branches: [],
};

const queueText = JSON.stringify({ schema_version: 4, rev: 1, prs: [readyRow(1), readyRow(2)] });
const body = (text: string): string => text.slice(text.indexOf('{"schema_version"'));

const verbs: ReadonlyArray<readonly [string, Verb]> = [
  [
    "config set",
    {
      args: ["config", "set", "pr_sync.base_jobs", "3"],
      file: "config/core.yaml",
      before: "# mine\npr_sync:\n  base_jobs: 1 # few\n",
      isNew: (text) => text === "# mine\npr_sync:\n  base_jobs: 3 # few\n",
    },
  ],
  [
    "repo branch promote",
    {
      args: ["repo", "branch", "promote", "shop", "--branch", "main"],
      file: "repos/shop/branch-main/branch-meta.json",
      before: `${JSON.stringify(baseMeta, null, 2)}\n`,
      isNew: (text) => {
        const { actor, error, ...rest } = JSON.parse(text);
        const { auto_reason, ...kept } = baseMeta;
        return JSON.stringify(rest) === JSON.stringify({ ...kept, created_by: "user" });
      },
    },
  ],
  [
    "pr-queue set-status",
    {
      args: ["pr-queue", "set-status", "acme/shop#1", "approved"],
      file: "config/pr-queue.json5",
      before: queueText,
      isNew: (text) => {
        const { rev, prs } = JSON.parse(body(text));
        return rev === 2 && prs.length === 2 && prs[0].status === "approved" && prs[1].status === "pending";
      },
    },
  ],
];

const prepare = (verb: Verb): string => {
  const path = join(home.data, verb.file);
  mkdirSync(dirname(path), { recursive: true });
  for (const name of readdirSync(dirname(path))) rmSync(join(dirname(path), name), { recursive: true });
  writeFileSync(path, verb.before);
  return path;
};

const faulty = (verb: Verb, fault: string) => home.run(verb.args, { NODE_ENV: "test", ADK_FAULT: fault });

/** How many file operations a run of the verb does: the first N at whose operation nobody dies, found by halving. */
const countOperations = async (verb: Verb): Promise<number> => {
  const diesAt = async (n: number): Promise<boolean> => {
    prepare(verb);
    return (await faulty(verb, `*:${n}:kill`)).signal === "SIGKILL";
  };
  let low = 1;
  let high = 2;
  while (await diesAt(high)) [low, high] = [high, high * 2];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (await diesAt(middle)) low = middle;
    else high = middle;
  }
  return low;
};

describe.each(verbs)("adk %s while the Nth file operation fails, for every N", (_, verb) => {
  it("leaves its file exactly old or exactly new, no temp, and never says that it went well when it is old", {
    timeout: 900_000,
  }, async () => {
    if (verb.args[0] === "repo") {
      mkdirSync(join(home.data, "repos", "shop"), { recursive: true });
      writeFileSync(join(home.data, "repos", "shop", "repo-meta.json"), JSON.stringify(repoMeta));
    }
    prepare(verb);
    expect(await faulty(verb, "*:1000000:kill")).toMatchObject({ code: 0, stderr: "" });
    const total = await countOperations(verb);
    expect(total).toBeGreaterThan(5);
    const seen = { old: 0, full: 0 };
    for (let n = 1; n <= total; n += 1) {
      for (const kind of long ? kinds : [kinds[n % kinds.length] ?? "EIO"]) {
        const path = prepare(verb);
        const { code, signal, stderr } = await faulty(verb, `*:${n}:${kind}`);
        const what = `operation ${n} ${kind}: ${code} ${stderr}`;
        const text = readFileSync(path, "utf8");
        expect(signal, what).toBeNull();
        const old = text === verb.before;
        if (!old) expect(verb.isNew(text), what).toBe(true);
        if (old) expect(code, what).not.toBe(0);
        if (kind === "short") expect(code, what).toBe(0);
        if (code !== 0) expect(stderr, what).toMatch(/^error: .+ — .+\n$/);
        if (code !== 0) expect(stderr, what).toContain(home.data);
        expect(readdirSync(dirname(path)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
        if (old) seen.old += 1;
        if (stderr.includes(`cannot write ${path}: disk `)) seen.full += 1;
      }
    }
    process.stdout.write(`adk ${verb.args.join(" ")}: ${total} operations, ${seen.old} left it old\n`);
    expect(seen.old).toBeGreaterThan(2);
    expect(seen.full).toBeGreaterThan(0);
  });
});
