import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { afterEach, describe, expect, it } from "vitest";
import { ensureDir } from "../../../effects/store/durableFile.ts";

const dir = mkdtempSync(join(tmpdir(), "adk-dirs-"));
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const make = (path: string) => Effect.runPromise(Effect.either(ensureDir(path)));

describe("ensureDir", () => {
  it("makes every missing folder 0700 under umask 000 and leaves those that exist as they are", async () => {
    mkdirSync(join(dir, "there"), { recursive: true, mode: 0o755 });
    const umask = process.umask(0);
    await make(join(dir, "there", "a", "b"));
    process.umask(umask);
    expect(statSync(join(dir, "there")).mode & 0o777).toBe(0o755);
    expect(statSync(join(dir, "there", "a")).mode & 0o777).toBe(0o700);
    expect(statSync(join(dir, "there", "a", "b")).mode & 0o777).toBe(0o700);
    expect((await make(join(dir, "there", "a", "b")))._tag).toBe("Right");
  });

  it("says so where a file stands in the way", async () => {
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, "file"), "");
    expect(await make(join(dir, "file", "below"))).toMatchObject({ _tag: "Left", left: { _tag: "WriteFailed" } });
  });

  it.runIf(existsSync("/proc/self"))("says so where no folder can be made", async () => {
    expect(await make("/proc/no-such-folder/below")).toMatchObject({ _tag: "Left", left: { _tag: "WriteFailed" } });
  });
});
