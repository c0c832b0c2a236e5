import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { compileBundle } from "../../cli/startup/codeCache.ts";
import { root } from "../cli/support/program.ts";

const long = process.env.ADK_TEST_LONG === "1";
const parts = [
  "install.sh",
  "bin",
  "package.json",
  "package-lock.json",
  ".npmrc",
  "scripts",
  "src",
  "machines",
  "effects",
  "cli",
  "fixtures",
];

let temp: string;
let checkout: string;
let prefix: string;

/** A checkout of its own: installing builds, and the build of this one is in use by other tests. */
const copyCheckout = (folder: string): string => {
  for (const part of parts) {
    if (existsSync(join(root, part))) cpSync(join(root, part), join(folder, part), { recursive: true });
  }
  return realpathSync(folder);
};

beforeAll(() => {
  temp = mkdtempSync(join(tmpdir(), "adk install "));
  checkout = copyCheckout(join(temp, "check out"));
  symlinkSync(join(root, "node_modules"), join(checkout, "node_modules"));
});
afterAll(() => rmSync(temp, { recursive: true, force: true }));
beforeEach(() => {
  prefix = join(mkdtempSync(join(temp, "case-")), "pre fix");
});

const install = (args: ReadonlyArray<string>, env: NodeJS.ProcessEnv = {}, from = checkout): SpawnSyncReturns<string> =>
  spawnSync("/bin/sh", [join(from, "install.sh"), "--prefix", prefix, ...args], {
    encoding: "utf8",
    cwd: temp,
    env: { PATH: process.env.PATH, HOME: join(temp, "home"), ADK_DATA_HOME: join(temp, "data"), ...env },
  });

const everything = (folder: string): ReadonlyArray<string> =>
  existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: "utf8" }).sort() : [];

/** A PATH that holds these programs alone; a text stands for a script. */
const pathWith = (programs: Readonly<Record<string, string | null>>): string => {
  const folder = mkdtempSync(join(temp, "path-"));
  for (const name of ["sh", "dirname", "cat", "readlink", "grep"]) {
    symlinkSync(
      spawnSync("/bin/sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).stdout.trim(),
      join(folder, name),
    );
  }
  for (const [name, script] of Object.entries(programs)) {
    if (script === null) continue;
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return folder;
};

const node = `exec '${process.execPath}' "$@"`;

describe("install.sh", () => {
  it("links adk, again and again, and takes away exactly that", () => {
    mkdirSync(join(prefix, "bin"), { recursive: true });
    writeFileSync(join(prefix, "bin/other"), "mine");
    const before = everything(prefix);

    const first = install(["--completion"]);
    expect(first.stderr.replace(/^.*doctor.*$/gm, "")).not.toMatch(/^error: (?!adk)/m);
    expect(first.status).toBe(0);
    expect(readlinkSync(join(prefix, "bin/adk"))).toBe(join(checkout, "bin/adk"));
    expect(first.stdout).toContain(`export PATH="${prefix}/bin:$PATH"`);
    expect(readFileSync(join(prefix, "share/zsh/site-functions/_adk"), "utf8")).toMatch(/^#compdef adk/);
    const version = spawnSync(join(prefix, "bin/adk"), ["--version"], { encoding: "utf8" });
    expect(version.stdout).toMatch(/^adk \d+\.\d+\.\d+\n$/);
    for (const name of ["read.cjs", "write.cjs"])
      expect(compileBundle(join(checkout, "dist", name)).fromCache).toBe(true);

    const installed = everything(prefix);
    const again = install(["--completion"], { PATH: `${prefix}/bin:${process.env.PATH}` });
    expect(again.status).toBe(0);
    expect(again.stdout).not.toContain("export PATH");
    expect(everything(prefix)).toEqual(installed);

    const dry = install(["--uninstall", "--dry-run"]);
    expect(dry.stdout).toContain(`would remove ${prefix}/bin/adk`);
    expect(everything(prefix)).toEqual(installed);

    expect(install(["--uninstall"]).status).toBe(0);
    expect(everything(prefix)).toEqual(before);
    expect(existsSync(join(checkout, "node_modules"))).toBe(true);
    expect(install(["--uninstall"])).toMatchObject({ status: 0, stdout: `nothing of adk is in ${prefix}\n` });
  });

  it("changes nothing with --dry-run and says what it would do", () => {
    const before = everything(dirname(prefix));
    const { status, stdout } = install(["--dry-run", "--demo", "--demo-dir", "de mo"]);
    expect(status).toBe(0);
    expect(stdout).toContain(`would link ${prefix}/bin/adk to ${checkout}/bin/adk`);
    expect(stdout).toContain(`would run the demo in ${temp}/de mo`);
    expect(everything(dirname(prefix))).toEqual(before);
    expect(existsSync(join(temp, "de mo"))).toBe(false);
  });

  it.each(["a file", "a link"])("never overwrites %s of somebody else", (kind) => {
    mkdirSync(join(prefix, "bin"), { recursive: true });
    if (kind === "a file") writeFileSync(join(prefix, "bin/adk"), "mine");
    else symlinkSync("/nowhere/adk", join(prefix, "bin/adk"));
    const { status, stderr } = install([]);
    expect(status).toBe(2);
    expect(stderr).toContain(`${prefix}/bin/adk is there already`);
    expect(lstatSync(join(prefix, "bin/adk")).isSymbolicLink()).toBe(kind === "a link");
    expect(everything(prefix)).toEqual(["bin", "bin/adk"]);
    expect(install(["--uninstall"]).status).toBe(0);
    expect(everything(prefix)).toEqual(["bin", "bin/adk"]);
  });

  it.each([
    ["Node.js is missing", { git: "echo git" }, "Node.js is not installed — install Node 22"],
    [
      "Node.js is too old",
      { node: '[ "$1" = -p ] && echo 18.19.1 && exit 0; exit 1', npm: ":", git: "echo git" },
      "Node.js 18.19.1 is too old",
    ],
    ["npm is missing", { node, git: "echo git" }, "npm is not installed"],
    ["git is missing", { node, npm: ":" }, "git is not installed — install it with"],
  ])("stops with the way out when %s", (_, programs, message) => {
    const { status, stderr } = install([], { PATH: pathWith(programs) });
    expect(status).toBe(1);
    expect(stderr).toContain(`error: ${message}`);
    expect(existsSync(prefix)).toBe(false);
  });

  it("refuses options it does not know, with usage and exit 2", () => {
    expect(install(["--prefx", "x"])).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^usage:[\s\S]*error: unknown option --prefx/),
    });
    expect(install(["--demo-dir"])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("--demo-dir needs a value"),
    });
    expect(install(["--help"])).toMatchObject({ status: 0, stdout: expect.stringContaining("examples:") });
  });

  it.runIf(long)("installs a checkout without node_modules, runs the demo, and leaves nothing in the checkout", () => {
    const fresh = copyCheckout(mkdtempSync(join(temp, "fresh-")));
    const before = everything(fresh);
    const demo = join(temp, "demo");
    const result = install(["--demo-dir", demo], {}, fresh);
    expect(result.stderr).not.toMatch(/^error: (?!adk doctor)/m);
    expect(result.status).toBe(0);
    expect(existsSync(join(demo, "config/pr-queue.json5"))).toBe(true);
    expect(install(["--uninstall"], {}, fresh).status).toBe(0);
    expect(everything(fresh)).toEqual(before);
    expect(everything(prefix)).toEqual([]);
  });
});
