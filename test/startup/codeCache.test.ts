import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Either from "effect/Either";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { cacheFileOf, compileBundle } from "../../cli/startup/codeCache.ts";
import { emptyQueue, encodeQueue } from "../../src/queue/codec.ts";
import { newRow, type QueueRow, queueSchemaVersion } from "../../src/queue/row.ts";
import { root } from "../cli/support/program.ts";

const bundles = ["read", "write"] as const;
const pr = "https://github.com/acme/shop/pull/1";

let temp: string;
/** A copy of bin and dist, for damage that other tests must not meet. */
let copy: string;
let data: string;

const row: QueueRow = {
  ...newRow({ pr_url: pr, platform: "github", host: "github.com", owner: "acme", repo: "shop", pr_number: 1 }),
  title: "Keep the cart",
  head_sha: "a".repeat(40),
  head_ref: "cart",
  target_branch: "main",
  merge_base: "b".repeat(40),
  state: "OPEN",
  prep_status: "ready",
  prep_head_sha: "a".repeat(40),
  prep_base_ref: "main",
  prep_merge_base: "b".repeat(40),
  actors: { prep: { version: 1, seq: 2, value: "ready", pending: [] } },
};

const home = (): string => {
  const folder = mkdtempSync(join(temp, "home-"));
  const { bytes } = Either.getOrThrow(
    encodeQueue(emptyQueue, { schema_version: queueSchemaVersion, rev: 1, prs: [row] }),
  );
  mkdirSync(join(folder, "config"), { mode: 0o700 });
  writeFileSync(join(folder, "config/pr-queue.json5"), bytes, { mode: 0o600 });
  return folder;
};

const bundle = (name: (typeof bundles)[number]): string => join(copy, "dist", `${name}.cjs`);

const adk = (
  args: ReadonlyArray<string>,
  options: { readonly env?: NodeJS.ProcessEnv; readonly cwd?: string } = {},
) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(copy, "bin/adk"), ...args], {
    encoding: "utf8",
    cwd: options.cwd ?? temp,
    env: { PATH: process.env.PATH, HOME: temp, ADK_DATA_HOME: data, ...options.env },
  });
  return { status, stdout, stderr };
};

/** What differs between two homes and two runs. */
const masked = (ended: ReturnType<typeof adk>) =>
  JSON.parse(
    JSON.stringify(ended)
      .replaceAll(data, "HOME")
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:]+Z/g, "TIME")
      .replaceAll(/review-[\w-]+/g, "RUN")
      .replaceAll(/(token\\*":\\*"|ADK_CLAIM_TOKEN=)[\w-]+/g, "$1TOKEN"),
  ) as ReturnType<typeof adk>;

const calls: ReadonlyArray<ReadonlyArray<string>> = [
  ["--version"],
  ["pr-queue", "list"],
  ["pr-queue", "list", "--json"],
  ["pr-queue", "list", "--nope"],
  ["pr-queue", "show", "acme/shop#1"],
  ["pr-queue", "show", "acme/shop#2", "--json"],
  ["config", "path"],
  ["config", "set", "embed.provider", "builtin"],
  ["config", "set", "embed.provider", "none at all"],
  ["config", "show", "--json"],
  ["completion", "bash"],
  ["pr-queue", "heartbeat", "acme/shop#1"],
  ["pr-queue", "claim", "acme/shop#1", "--json"],
  ["pr-queue", "claim", "acme/shop#1"],
  ["pr-queue", "release", "acme/shop#1", "--force", "-y"],
  ["pr-queue", "set-status", "acme/shop#1", "reviewed"],
  ["pr-queue", "list", "--status", "reviewed", "--urls-only"],
];

const allCalls = () => {
  data = home();
  return calls.map((args) => ({ args, ...masked(adk(args)) }));
};

const listed = () => {
  data = home();
  return masked(adk(["pr-queue", "list"]));
};

const removeCaches = (): void => {
  for (const name of bundles) rmSync(cacheFileOf(bundle(name)), { force: true });
};

const restoreCaches = (): void => {
  for (const name of bundles) cpSync(cacheFileOf(join(root, "dist", `${name}.cjs`)), cacheFileOf(bundle(name)));
};

beforeAll(() => {
  temp = mkdtempSync(join(tmpdir(), "adk startup "));
  copy = join(temp, "check out");
  for (const part of ["bin", "dist"]) cpSync(join(root, part), join(copy, part), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
});
afterAll(() => rmSync(temp, { recursive: true, force: true }));
beforeEach(restoreCaches);

describe("the code cache", () => {
  it("is made by the build and taken by the Node that made it", () => {
    for (const name of bundles) expect(compileBundle(bundle(name)).fromCache).toBe(true);
  });

  it("changes no answer", () => {
    const cached = allCalls();
    removeCaches();
    expect(allCalls()).toEqual(cached);
    expect(cached.map(({ status }) => status)).toEqual([0, 0, 0, 2, 0, 1, 0, 0, 2, 0, 0, 2, 0, 2, 0, 0, 0]);
  });

  it.each([0, 60, 400_000, 2_000_000])("is left alone when it ends after %i bytes", (length) => {
    const whole = listed();
    truncateSync(cacheFileOf(bundle("read")), length);
    expect(compileBundle(bundle("read")).fromCache).toBe(false);
    expect(listed()).toEqual(whole);
    expect(whole).toMatchObject({ status: 0, stderr: "" });
  });

  it.each([0, 150, 500_000, 2_400_000])("is left alone when byte %i is wrong", (at) => {
    const file = cacheFileOf(bundle("read"));
    const bytes = readFileSync(file);
    bytes.writeUInt8(bytes.readUInt8(at) ^ 0x10, at);
    writeFileSync(file, bytes);
    expect(compileBundle(bundle("read")).fromCache).toBe(false);
    expect(listed()).toMatchObject({ status: 0, stderr: "", stdout: expect.stringContaining("1 row ") });
  });

  it("is left alone when it was made from another text of the same length", () => {
    const file = join(copy, "dist", "other.cjs");
    const text = readFileSync(bundle("read"), "latin1");
    writeFileSync(file, `${text.slice(0, -1)} `, "latin1");
    cpSync(cacheFileOf(bundle("read")), cacheFileOf(file));
    expect(statSync(file).size).toBe(text.length);
    expect(compileBundle(file).fromCache).toBe(false);
    rmSync(file);
    rmSync(cacheFileOf(file));
  });

  it("is left alone by a Node with other flags, and by a folder in its place", () => {
    const whole = listed();
    data = home();
    const flagged = spawnSync(process.execPath, ["--no-opt", join(copy, "bin/adk"), "pr-queue", "list"], {
      encoding: "utf8",
      env: { PATH: process.env.PATH, ADK_DATA_HOME: data },
    });
    expect(flagged).toMatchObject({ status: 0, stderr: "" });
    expect(flagged.stdout.replaceAll(data, "HOME")).toBe(whole.stdout);
    removeCaches();
    mkdirSync(cacheFileOf(bundle("read")));
    expect(listed()).toEqual(whole);
    rmSync(cacheFileOf(bundle("read")), { recursive: true });
  });

  it("is never written by a call", () => {
    removeCaches();
    const dist = join(copy, "dist");
    const before = readdirSync(dist, { recursive: true, encoding: "utf8" }).sort();
    chmodSync(dist, 0o500);
    try {
      expect(listed()).toMatchObject({ status: 0, stderr: "" });
      expect(readdirSync(dist, { recursive: true, encoding: "utf8" }).sort()).toEqual(before);
    } finally {
      chmodSync(dist, 0o700);
    }
  });
});

describe("bin/adk", () => {
  it("answers through links to links and from a folder that is gone", () => {
    const links = mkdtempSync(join(temp, "links-"));
    symlinkSync(join(copy, "bin/adk"), join(links, "first"));
    symlinkSync("first", join(links, "adk"));
    const gone = mkdtempSync(join(temp, "gone-"));
    const script = 'cd "$1" && rmdir "$1" && exec "$2" config path';
    const { status, stdout, stderr } = spawnSync("/bin/sh", ["-c", script, "sh", gone, join(links, "adk")], {
      encoding: "utf8",
      env: { PATH: process.env.PATH, HOME: temp, ADK_DATA_HOME: home() },
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toMatch(/core\.yaml\n$/);
  });

  it("says what to do when it is not built, or half", () => {
    const half = mkdtempSync(join(temp, "half-"));
    cpSync(join(root, "bin"), join(half, "bin"), { recursive: true });
    const run = (...args: ReadonlyArray<string>) =>
      spawnSync(process.execPath, [join(half, "bin/adk"), ...args], { encoding: "utf8" });
    expect(run("--version")).toMatchObject({
      status: 1,
      stdout: "",
      stderr: "error: adk is not built — run ./install.sh in its folder\n",
    });
    mkdirSync(join(half, "dist"));
    cpSync(join(root, "dist/start.cjs"), join(half, "dist/start.cjs"));
    expect(run("--version").status).toBe(0);
    for (const verb of [["config", "path"], ["doctor"]]) {
      const { status, stdout, stderr } = run(...verb);
      expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
      expect(stderr).toMatch(/^error: adk cannot load: [^\n]+ — run \.\/install\.sh in its folder\n$/);
    }
  });
});
