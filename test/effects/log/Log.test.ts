import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as TestContext from "effect/TestContext";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import * as Home from "../../../effects/home/Home.ts";
import * as Log from "../../../effects/log/Log.ts";
import { writeFileDurablySync } from "../../../effects/store/durableFile.ts";
import { readFile } from "../../../effects/store/fileOps.ts";

let dir = "";
let umask = 0;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "adk-log-"));
  umask = process.umask(0);
});
afterEach(() => {
  process.umask(umask);
  rmSync(dir, { recursive: true, force: true });
});

const withLog = async <A>(
  options: { verbose?: boolean; argv?: ReadonlyArray<string>; env?: NodeJS.ProcessEnv; data?: string },
  use: (log: Effect.Effect.Success<typeof Log.Log>) => Effect.Effect<A>,
) => {
  const stderr: string[] = [];
  const home = Home.layer({ env: { ADK_DATA_HOME: options.data ?? dir } });
  const layer = Log.layer({
    verbose: options.verbose ?? true,
    verb: "pr-queue list",
    argv: options.argv ?? [],
    env: options.env ?? {},
    stderr: (line) => void stderr.push(line),
  });
  const run = Effect.flatMap(Log.Log, (log) => Effect.map(use(log), (result) => ({ result, file: log.file })));
  const out = await Effect.runPromise(run.pipe(Effect.provide(Layer.provide(layer, home))));
  const text = out.file !== null && existsSync(out.file) ? readFileSync(out.file, "utf8") : "";
  const records = text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { ...out, stderr: stderr.join(""), text, records };
};

describe("Log", () => {
  it("makes neither a file nor a folder without -v, and prints warnings only", async () => {
    const { stderr, file } = await withLog({ verbose: false }, (log) =>
      Effect.all([log.step("building"), log.warn("disk is slow"), log.record("x", {})]),
    );
    expect(file).toBeNull();
    expect(existsSync(join(dir, "logs"))).toBe(false);
    expect(stderr).toBe("warning: disk is slow\n");
  });

  it("starts with verb, scrubbed argv and versions", async () => {
    const { records, file } = await withLog(
      { argv: ["list", "--slack-token", "s3cr3t", "--api_key=abc", "-v"] },
      () => Effect.void,
    );
    expect(file).toMatch(/logs\/pr-queue-list-\d{8}T\d{6}Z-\d+\.log$/);
    expect(records[0]).toMatchObject({
      level: "info",
      event: "start",
      verb: "pr-queue list",
      argv: ["list", "--slack-token", "<redacted>", "--api_key=<redacted>", "-v"],
      versions: { node: process.versions.node },
    });
    expect(String(records[0]?.ts)).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
  });

  it("writes 0600 into a 0700 folder under umask 000", async () => {
    const { file } = await withLog({}, () => Effect.void);
    expect(statSync(file ?? "").mode & 0o777).toBe(0o600);
    expect(statSync(join(dir, "logs")).mode & 0o777).toBe(0o700);
  });

  it("redacts values in every form, in messages, fields, stacks and causes", async () => {
    const secret = `p@ss "word'/+é\\x`;
    const error = new Error(`clone https://u:${secret}@h/ failed`, { cause: new Error(secret) });
    const forms = [
      secret,
      encodeURIComponent(secret),
      Buffer.from(`x:${secret}`).toString("base64"),
      JSON.stringify(secret),
    ];
    const { text, stderr } = await withLog({ env: { MY_PASSWORD: secret } }, (log) =>
      Effect.all([
        log.step(`step ${forms.join(" | ")}`),
        log.warn(`warn ${secret}`),
        log.record("failure", { error, nested: { deep: [secret] }, [secret]: 1 }),
      ]),
    );
    for (const form of forms) {
      expect(text).not.toContain(form);
      expect(stderr).not.toContain(form);
    }
    expect(text).not.toContain(JSON.stringify(secret).slice(1, -1));
    expect(text).toContain("<redacted>");
  });

  it("names reads and writes over 1 MB with their bytes, and no smaller ones", async () => {
    const big = join(dir, "big");
    const { records } = await withLog({}, () =>
      Effect.sync(() => {
        writeFileDurablySync(big, Buffer.alloc(1_500_000));
        readFile(big);
        writeFileDurablySync(join(dir, "small"), Buffer.alloc(10));
      }),
    );
    const uses = records.filter(({ event }) => String(event).startsWith("file."));
    expect(uses.map(({ event, bytes }) => ({ event, bytes }))).toEqual([
      { event: "file.write", bytes: 1_500_000 },
      { event: "file.read", bytes: 1_500_000 },
    ]);
  });

  it("redacts values that are learnt later", async () => {
    const { text } = await withLog({}, (log) =>
      Effect.suspend(() => {
        log.addSecret("learnt-later-1");
        return log.record("x", { value: "learnt-later-1" });
      }),
    );
    expect(text).not.toContain("learnt-later-1");
  });

  it("cannot be led by a message into a second line or an escape sequence", async () => {
    const { stderr } = await withLog({}, (log) => log.step("title\n\x1b]0;x\x07error: fake"));
    expect(stderr).toBe("title \u241berror: fake\n");
  });

  it("keeps its own ts, level and event", async () => {
    const { records } = await withLog({}, (log) =>
      log.record("http", { event: "other", level: "x", ts: 1, status: 200 }),
    );
    expect(records[1]).toMatchObject({ event: "http", level: "info", status: 200 });
  });

  it("survives values that JSON cannot hold", async () => {
    const loop: Record<string, unknown> = {
      big: 10n,
      map: new Map([["k", 1]]),
      bytes: new Uint8Array(3),
      date: new Date(Number.NaN),
    };
    loop.self = loop;
    const { records } = await withLog({}, (log) => log.record("x", { loop }));
    expect(records[1]).toMatchObject({ loop: { big: "10", map: { k: 1 }, bytes: "[3 bytes]", date: null } });
  });

  it("warns once and lets the verb go on when the folder cannot be made", async () => {
    const data = join(dir, "data");
    mkdirSync(data);
    writeFileSync(join(data, "logs"), "a file in the way");
    const { stderr, file, result } = await withLog({ data }, (log) => Effect.as(log.record("x", {}), 7));
    expect(result).toBe(7);
    expect(file).toBeNull();
    expect(stderr.match(/warning:/g)).toHaveLength(1);
  });

  it.runIf(existsSync("/dev/full"))("warns once and lets the verb go on when the disk is full", async () => {
    mkdirSync(join(dir, "logs"));
    symlinkSync("/dev/full", join(dir, "logs", `pr-queue-list-19700101T000000Z-${process.pid}.log`));
    const stderr: string[] = [];
    const layer = Layer.provide(
      Log.layer({ verbose: true, verb: "pr-queue list", argv: [], env: {}, stderr: (line) => void stderr.push(line) }),
      Home.layer({ env: { ADK_DATA_HOME: dir } }),
    );
    const run = Effect.gen(function* () {
      const log = yield* Log.Log;
      yield* log.record("one", {});
      yield* log.record("two", {});
      return 7;
    });
    const result = await Effect.runPromise(run.pipe(Effect.provide(layer), Effect.provide(TestContext.TestContext)));
    expect(result).toBe(7);
    expect(stderr.join("")).toMatch(/^warning: the log of this call ends here: ENOSPC[^\n]*\n$/);
  });
});
