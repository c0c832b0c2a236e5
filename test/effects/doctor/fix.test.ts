import { chmodSync, existsSync, mkdirSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { DoctorInput } from "../../../effects/doctor/finding.ts";
import { logsCheck } from "../../../effects/doctor/logsCheck.ts";
import {
  cpuFinding,
  fileSystemFinding,
  gitFinding,
  isOlder,
  nodeFinding,
} from "../../../effects/doctor/machineChecks.ts";
import { permissionsCheck } from "../../../effects/doctor/permissions.ts";
import { runDoctor } from "../../../effects/doctor/runDoctor.ts";
import { defaultConfig } from "../../../src/config/config.ts";
import { doctorInput } from "./support.ts";

let dir = "";
let input: DoctorInput;
beforeEach(() => {
  ({ dir, input } = doctorInput());
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const mode = (path: string): number => statSync(path).mode & 0o777;

describe("permissions", () => {
  const look = async (changed: Partial<DoctorInput>) =>
    (await Effect.runPromise(runDoctor({ ...input, ...changed }, [permissionsCheck]))).checks[0];

  it("are reported, and mended with --fix only", async () => {
    const folder = join(dir, "repos", "shop");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const file = join(folder, "repo-meta.json");
    writeFileSync(file, "{}");
    chmodSync(file, 0o644);
    chmodSync(folder, 0o755);
    chmodSync(join(dir, "repos"), 0o700);
    expect(await look({})).toMatchObject({
      status: "warn",
      fix: "adk doctor --fix",
      detail: expect.stringContaining("2 of"),
    });
    expect(mode(file)).toBe(0o644);
    expect(await look({ fix: true })).toMatchObject({ status: "pass" });
    expect(mode(file)).toBe(0o600);
    expect(mode(folder)).toBe(0o700);
    expect(await look({})).toMatchObject({ status: "pass" });
  });

  it("of what a link points to are left alone", async () => {
    const outside = doctorInput().dir;
    const target = join(outside, "theirs");
    writeFileSync(target, "");
    chmodSync(target, 0o644);
    symlinkSync(target, join(dir, "link"));
    expect(await look({ fix: true })).toMatchObject({ status: "pass" });
    expect(mode(target)).toBe(0o644);
    rmSync(outside, { recursive: true });
  });

  it("are not looked at inside a clone or a checkout", async () => {
    mkdirSync(join(dir, "original-clone"), { mode: 0o700 });
    writeFileSync(join(dir, "original-clone", "packed"), "");
    chmodSync(join(dir, "original-clone", "packed"), 0o444);
    expect(await look({})).toMatchObject({ status: "pass" });
  });
});

describe("logs", () => {
  const day = 86_400;
  const write = (name: string, ageDays: number, bytes = 10) => {
    mkdirSync(input.home.logs, { recursive: true });
    const path = join(input.home.logs, name);
    writeFileSync(path, Buffer.alloc(bytes));
    const at = Date.now() / 1000 - ageDays * day;
    utimesSync(path, at, at);
    return path;
  };
  const look = async (changed: Partial<DoctorInput>) =>
    (await Effect.runPromise(runDoctor({ ...input, ...changed }, [logsCheck]))).checks[0];

  it("that are too old are deleted with --fix only, never the one of this call", async () => {
    const [old, fresh, own] = [write("a.log", 8), write("b.log", 1), write("own.log", 9)];
    const log = { ...input.log, file: own };
    expect(await look({ log })).toMatchObject({ status: "warn", fix: "adk doctor --fix" });
    expect(existsSync(old)).toBe(true);
    expect(await look({ log, fix: true })).toMatchObject({ status: "pass" });
    expect([old, fresh, own].map((path) => existsSync(path))).toEqual([false, true, true]);
  });

  it("go oldest first when there are too many megabytes", async () => {
    const config = { ...defaultConfig, logs: { max_mb: 1, keep_days: 7 } };
    const [first, second, third] = [write("a.log", 3, 600_000), write("b.log", 2, 600_000), write("c.log", 1, 300_000)];
    expect(await look({ config, fix: true })).toMatchObject({ status: "pass" });
    expect([first, second, third].map((path) => existsSync(path))).toEqual([false, true, true]);
  });

  it("are never followed out of the folder, and other files stay", async () => {
    const other = write("notes.txt", 30);
    const outside = join(dir, "outside.log");
    writeFileSync(outside, "");
    symlinkSync(outside, join(input.home.logs, "link.log"));
    expect(await look({ fix: true })).toMatchObject({ status: "pass" });
    expect([other, outside].map((path) => existsSync(path))).toEqual([true, true]);
  });
});

describe("machine checks", () => {
  it("compare versions by number", () => {
    expect(isOlder("2.9.0", "2.43.7")).toBe(true);
    expect(isOlder("2.43.7", "2.43.7")).toBe(false);
    expect(isOlder("2.44", "2.43.7")).toBe(false);
    expect(isOlder("2.43", "2.43.7")).toBe(true);
  });

  it("want Node 20.19 and git 2.43.7; the latter fails only with --strict", () => {
    expect(nodeFinding("20.18.3").status).toBe("fail");
    expect(nodeFinding("22.1.0").status).toBe("pass");
    expect(gitFinding("2.43.6", false).status).toBe("warn");
    expect(gitFinding("2.43.6", true).status).toBe("fail");
    expect(gitFinding("2.50.1", true).status).toBe("pass");
  });

  it("want AVX2 and FMA", () => {
    expect(cpuFinding("flags\t\t: fpu avx avx2 fma\n").status).toBe("pass");
    expect(cpuFinding("flags\t\t: fpu avx fma\n")).toMatchObject({
      status: "fail",
      detail: expect.stringContaining("lacks avx2"),
    });
  });

  it("warn of remote file systems and of little space", () => {
    expect(fileSystemFinding(0x6969, 1e12)).toMatchObject({ status: "warn", detail: expect.stringContaining("NFS") });
    expect(fileSystemFinding(0xff534d42, 1e12).detail).toContain("CIFS");
    expect(fileSystemFinding(0xef53, 1e8)).toMatchObject({
      status: "warn",
      detail: expect.stringContaining("100.0 MB free"),
    });
    expect(fileSystemFinding(0xef53, 1e12).status).toBe("pass");
  });
});
